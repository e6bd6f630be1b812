"""One hostile input after the other. A case depends on its seed and number alone."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from fuzz import mutations
from fuzz.mutations import nasty
from fuzz.stock import MARK, NUMBER, WRITTEN, Stock, specs, written

AUDITS = ("estimate-eta", "nu-max", "estimate-j", "advantage", "audit", "check", "tune")
LINES = (
    "advantage.high > 0.05", "j(tau=6).high > 0.05", "nu_max.high > 10", "j(tau=1, mechanism=rr:epsilon=1).low >= 0.5",
    "eta_max.estimate > 0.99", "advantage(mechanism='llp:k=8').high > 1e-3", "mean_loss.high<inf", "renyi(alpha=2).high > 1",
)  # fmt: skip
VALUES: dict[str, Sequence[str]] = {
    "label": ("y", "Y", "text", "number", "absent"), "positive": ("1", "0", "2", "yes"),
    "exclude": ("note", "text", "number", "whole", "absent", "y"), "categorical": ("whole", "text", "number", "y"),
    "delimiter": (",", ";", "tab", "\t", ".", "ab", "\x00"), "decimal": (".", ","), "group": ("person", "text", "y", "absent"),
    "repeats": ("people", "copies", "x"), "eta": ("guess", "number", "y", "text"), "eta_file": ("e.parquet", "absent.parquet"),
    "estimator": ("knn", "knn:k=5", "auto", "linear", "boosted", "x", "sklearn:naive_bayes.GaussianNB", "sklearn:os.system"),
    "k": ("1", "5", "50", "1000000", "-1", "0x"), "queries": ("1", "20", "200", "all", "0"), "recall": ("0.5", "1", "0", "nan"),
    "mechanism": specs(), "tau": ("1,2,6", "0:10:0.1", "0:1:1e-9", "inf", "nan", "-1"), "utility": ("zero-one", "balanced"),
    "bags": ("30", "100", "3"), "smoothness": ("1,0.5", "0,1", "x", "1e400,1"), "alpha": ("1,2,inf", "0.5", "1e308", ","),
    "attacker": ("optimal", "baseline", "prediction", "x"), "guess": ("guess", "text", "y", "whole"),
    "confidence": ("0.9", "0.999999", "0.5", "1", "nan"), "seed": ("0", "7", "-1", str(10**30)), "fail_if": LINES,
    "policy": ("p.toml", "absent.toml"), "baseline": ("old.json", "absent.json"), "cluster": ("whole", "text", "absent"),
    "prior": ("guess", "number", "text"), "to": ("r.csv", "r.parquet", "r.svm", "sub/r.csv", "t.csv", "-"),
    "format": ("text", "json", "csv", "markdown", "html", "sarif", "junit", "github", "json=o.json", "html=o/x.html", "x", "csv="),
    "export": ("in-toto", "in-toto=s.json", "x"), "output": ("out", "o/p", "t.csv", "."),
    "per_row": ("rows.parquet", "t.csv", "x/rows.parquet"), "threads": ("1",), "config": ("c.toml", "absent.toml"),
    "original": ("t.csv", "t.parquet", "absent.csv"),
}  # fmt: skip
COSTLY = {"explain", "debug"}  # fits models once for each column; shows where an error comes from
ENVIRONMENTS = (
    {},
    {},
    {},
    {"COLUMNS": "20"},
    {"COLUMNS": "0"},
    {"FORCE_COLOR": "1"},
    {"TERM": "dumb"},
    {"LANG": "C"},
    {"COLUMNS": "x"},
)


@dataclass(frozen=True)
class Case:
    """A folder, a command in it, and what the case is about."""

    seed: int
    number: int
    kind: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    believable: bool = True  # whether what it reads may be what the tool wrote
    told: frozenset[str] = frozenset()  # files of which names and labels may be cells of features

    def __str__(self) -> str:
        return f"FUZZ_SEED={self.seed} case {self.number} ({self.kind}): labeldp-audit {shlex.join(self.arguments)}"


def drawn(seed: int, number: int, stock: Stock) -> Case:
    for attempt in itertools.count():
        rng = Random(f"{seed}:{number}:{attempt}")
        kind = rng.choice(KINDS)
        case = Case(seed, number, kind.__name__.strip("_"), environment=dict(rng.choice(ENVIRONMENTS)))
        with contextlib.suppress(pa.ArrowException):  # not every kind of file holds every kind of column
            return kind(rng, case, stock)
    raise AssertionError


# ---- tables


def _odd_table(rng: Random, case: Case, stock: Stock) -> Case:
    table = stock.base.slice(0, rng.choice((0, 1, 2, 5, 200, 240)))
    for _ in range(rng.choice((1, 1, 2, 4))):
        made = mutations.odd_column(rng, len(table))
        where = rng.randrange(table.num_columns)
        match rng.randrange(3):
            case 0:
                table = table.set_column(where, table.column_names[where], made)
            case 1:
                table = table.append_column(_name(rng), made)
            case _:
                table = table.rename_columns(
                    [_name(rng) if i == where else one for i, one in enumerate(table.column_names)]
                )
    name = rng.choice(("t.parquet", "t.arrow", "t.stream.arrow", "t.feather", "t.csv"))
    return _audit(rng, replace(case, files={name: written(table, name)}), name)


def _name(rng: Random) -> str:
    return nasty(rng).encode(errors="replace").decode()


def _damaged_table(rng: Random, case: Case, stock: Stock) -> Case:
    name = rng.choice(WRITTEN)
    return _audit(rng, replace(case, files={name: mutations.of_bytes(rng, stock.tables[name])}), name)


def _recoded_table(rng: Random, case: Case, stock: Stock) -> Case:
    name = rng.choice(("t.csv", "t.tsv", "t.svm"))
    data = mutations.of_text(rng, stock.tables[name])
    if rng.random() < 0.3:
        return _audit(rng, replace(case, stdin=data, told=frozenset(_marks_of_head(data))), "-")
    return _audit(rng, replace(case, files={name: data}), name)


def _wrong_name(rng: Random, case: Case, stock: Stock) -> Case:
    """A table under the name of another kind, in a folder, or a name that breaks messages."""
    data = stock.tables[rng.choice(WRITTEN)]
    name = rng.choice((f"t.{rng.choice(('csv', 'parquet', 'arrow', 'svm', 'json', 'txt', 'csv.gz'))}", _file_name(rng)))
    if rng.random() < 0.3:
        parts = {f"d/p={_file_name(rng, '')}/{i}.parquet": stock.tables["t.parquet"] for i in range(2)}
        return _audit(
            rng, replace(case, files=parts | {f"d/{_file_name(rng)}": data}), rng.choice(("d", "d/*/*", "d/**"))
        )
    return _audit(rng, replace(case, files={name: data}), name)


def _file_name(rng: Random, ending: str = ".csv") -> str:
    return as_typed(nasty(rng).replace("/", "_").replace("\x00", "_").strip(".") or "x")[:30] + ending


def as_typed(text: str) -> str:
    """Halves of characters reach a program as bytes, which Python stands for by other halves."""
    try:
        text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return text.encode(errors="surrogatepass").decode(errors="surrogateescape")
    return text


def _audit(rng: Random, case: Case, data: str) -> Case:
    """Of a table: any command that takes one, with a few options."""
    command = rng.choice((*AUDITS, "release", "estimate-j", "check"))
    cheap = ["--estimator", rng.choice(("knn", "knn", "linear", "auto"))] if command != "release" else []
    return _typed(rng, case, command, [data, *cheap, *_wanted(rng, command)], few=rng.choice((0, 0, 1, 2)))


def _wanted(rng: Random, command: str) -> list[str]:
    """Without which a command says only that it is missing."""
    match command:
        case "release":
            return [
                "--to",
                rng.choice(("r.csv", "r.parquet", "r.arrow", "r.svm")),
                "--mechanism",
                rng.choice(specs()),
            ]
        case "check" | "tune":
            return ["--fail-if", rng.choice(LINES)]
    return []


# ---- what is typed


def _options(rng: Random, case: Case, stock: Stock) -> Case:
    name = rng.choice(("t.csv", "t.parquet", "t.svm"))
    command = rng.choice((*AUDITS, "release"))
    given = [name, *_wanted(rng, command), "--no-config"]
    return _typed(rng, replace(case, files={name: stock.tables[name]}), command, given, few=rng.randrange(1, 6))


def _mechanisms(rng: Random, case: Case, stock: Stock) -> Case:
    spec = rng.choice(specs())
    for _ in range(rng.randrange(3)):
        name, _, fields = spec.partition(":")
        key, _, _ = rng.choice(fields.split(",")).partition("=")
        value = rng.choice((str(rng.choice(mutations.NUMBERS)), nasty(rng), "1|2", "0.1", "2"))
        spec = rng.choice(
            (f"{name}:{key}={value}", f"{spec},{key}={value}", f"{name}:{fields},{nasty(rng)}", _shuffled(rng, spec))
        )
    command = rng.choice(("advantage", "estimate-j", "nu-max", "tune", "release"))
    given = ["t.csv", "--exclude", "note", "--mechanism", spec.replace("\x00", "")]
    given += [] if command == "release" else ["--estimator", "knn"]
    files = {"t.csv": stock.tables["t.csv"]}
    line = ["--fail-if", LINES[0]] if command == "tune" else _wanted(rng, command)[:2]
    return _typed(rng, replace(case, files=files), command, given + line, few=0)


def _shuffled(rng: Random, text: str) -> str:
    at, to = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    return text[:at] + text[at:to][::-1] + text[to:]


def _policy_lines(rng: Random, case: Case, stock: Stock) -> Case:
    line = rng.choice(LINES)
    line = rng.choice(
        (_shuffled(rng, line), line.replace("0", nasty(rng), 1), line + nasty(rng), line.replace("tau", nasty(rng)))
    )
    stored = rng.choice(list(stock.reports))
    files = {"old.json": json.dumps(stock.reports[stored]).encode()}
    return _typed(
        rng,
        replace(case, files=files),
        "check",
        ["old.json", "--fail-if", line.replace("\x00", "")],
        few=rng.choice((0, 0, 1)),
        stored=True,
    )


def _typed(rng: Random, case: Case, command: str, given: list[str], few: int, *, stored: bool = False) -> Case:
    """stored: a report is judged, to which what changes numbers must not be said, or it is all that is refused."""
    from labeldp_audit.cli import app

    params = {one.name: one for one in app.commands().commands[command].params if one.opts[0].startswith("-")}
    names = sorted(params.keys() - COSTLY - {"help", "install_completion", "show_completion"})
    given = list(given)
    for name in rng.sample(names, min(few, len(names))):
        flags = [*params[name].opts, *params[name].secondary_opts]
        given.append(rng.choice(flags))
        if not getattr(params[name], "is_flag", False):
            value = rng.choice(VALUES.get(name, ("x",))) if rng.random() < 0.8 else nasty(rng).replace("\x00", "")
            given.append(value)
    if rng.random() < 0.5 and "--no-output" not in given and "output" in params:
        given.append("--no-output")
    if not {"-f", "--format", "--export"} & {*given} and "format" in params and rng.random() < 0.6:
        given += ["-f", rng.choice(VALUES["format"][:8])]
    if "few_rows" in params and not stored:
        given.append("--few-rows")
    head = frozenset().union(*(_marks_of_head(data) for data in case.files.values()))
    return replace(case, arguments=(command, *map(as_typed, given)), told=case.told | head)


def _marks_of_head(data: bytes) -> set[str]:
    """Cells of features that damage put where names of columns stand."""
    for encoding in ("utf-8", "utf-16", "utf-32", "latin-1"):
        try:
            text = data.decode(encoding)
        except (UnicodeDecodeError, UnicodeError):
            continue
        head = text if text.count('"') % 2 or "\r" in text else text.lstrip("\n\ufeff").partition("\n")[0]
        pieces = head.replace('"', ",").replace("\t", ",").replace(":", ",").replace(" ", ",").split(",")
        return {piece for piece in pieces if MARK in piece or NUMBER.match(piece)} | (
            {MARK} if head is text and len(text) < 10**6 and MARK in text else set()
        )
    return set()


# ---- configurations


def _configuration(rng: Random, case: Case, stock: Stock) -> Case:
    values: dict[str, Any] = {
        "label": "y",
        "exclude": ["note"],
        "mechanism": ["rr:epsilon=2"],
        "estimator": "knn",
        "confidence": 0.95,
    }
    policy: dict[str, Any] = {"fail_if": list(LINES[:3]), "on_unproven": "pass", "confidence": 0.9}
    digest = stock.reports["nu-max"]["dataset"]["sha256"]
    policy["waiver"] = [{"quantity": "nu_max", "dataset": f"sha256:{digest}", "until": "2027-01-31", "reason": "known"}]
    document = mutations.of_json(rng, values | {"policy": policy})
    name = rng.choice(("labeldp-audit.toml", "pyproject.toml", "c.toml"))
    text = _toml({"tool": {"labeldp-audit": document}} if name == "pyproject.toml" else document)
    data = mutations.of_text(rng, text) if rng.random() < 0.3 else text
    data = mutations.of_bytes(rng, data) if rng.random() < 0.2 else data
    command = rng.choice(("estimate-j", "check", "nu-max"))
    given = [
        "t.csv",
        *(["--config", name] if name == "c.toml" else []),
        *(["--show-config"] if rng.random() < 0.2 else []),
    ]
    files = {name: data, "t.csv": stock.tables["t.csv"]}
    return replace(_typed(rng, replace(case, files=files), command, given, few=0), told=frozenset())


def _policy_file(rng: Random, case: Case, stock: Stock) -> Case:
    document = {
        "fail_if": list(LINES[: rng.randrange(1, 6)]),
        "waiver": [{"quantity": "j", "dataset": "sha256:" + "0" * 64, "until": "2027-01-31", "reason": "known"}],
    }
    data = _toml(mutations.of_json(rng, document))
    data = mutations.of_bytes(rng, data) if rng.random() < 0.4 else data
    files = {"p.toml": data, "old.json": json.dumps(stock.reports["audit"]).encode()}
    return _typed(rng, replace(case, files=files), "check", ["old.json", "--policy", "p.toml"], few=0, stored=True)


def _variables(rng: Random, case: Case, stock: Stock) -> Case:
    name = rng.choice(list(VALUES))
    value = as_typed(rng.choice((rng.choice(VALUES[name]), nasty(rng))).replace("\x00", ""))
    environment = {f"LABELDP_AUDIT_{name.upper()}": value} | (
        {"LABELDP_AUDIT_ESTIMATOR": "knn"} if name != "estimator" else {}
    )
    files = {"t.csv": stock.tables["t.csv"]}
    made = _typed(rng, replace(case, files=files), rng.choice(("estimate-j", "check", "advantage")), ["t.csv"], few=0)
    return replace(made, environment=case.environment | environment)


def _toml(document: Any) -> bytes:
    """JSON is nearly TOML: inline tables, and a top level of keys."""

    def value(one: Any) -> str:
        if isinstance(one, dict):
            return "{" + ", ".join(f"{json.dumps(key)} = {value(item)}" for key, item in one.items()) + "}"
        if isinstance(one, list):
            return "[" + ", ".join(map(value, one)) + "]"
        return '""' if one is None else json.dumps(one)

    if not isinstance(document, dict):
        return value(document).encode()
    return "".join(f"{json.dumps(key)} = {value(item)}\n" for key, item in document.items()).encode()


# ---- what the tool wrote


def _stored_report(rng: Random, case: Case, stock: Stock) -> Case:
    name = rng.choice(list(stock.reports))
    document = mutations.of_json(rng, stock.reports[name])
    changed = document != stock.reports[name]
    data = json.dumps(document).encode()
    data = mutations.of_bytes(rng, data) if rng.random() < 0.2 else data
    good = json.dumps(stock.reports[name]).encode()
    files = {"r.json": data, "old.json": good}
    command, given = rng.choice(
        (
            ("report", ["r.json"]), ("check", ["r.json", "--fail-if", rng.choice(LINES)]), ("diff", ["old.json", "r.json"]),
            ("diff", ["r.json", "old.json"]), ("check", ["old.json", "--baseline", "r.json"]), ("report", ["r.json", "--export", "in-toto"]),
            ("check", ["."]), ("check", ["-"]),
        )
    )  # fmt: skip
    case = replace(case, files=files, stdin=data)
    made = _typed(rng, case, command, given, few=rng.choice((0, 0, 1)), stored=True)
    # A folder is searched for what begins as a report, and of an option that is given twice the last counts.
    unread = given == ["."] or "--show-config" in made.arguments or made.arguments.count("--baseline") > 1
    return replace(made, told=frozenset(), believable=not changed or unread)


def _eta_file(rng: Random, case: Case, stock: Stock) -> Case:
    """Damaged, or sealed again without a column or a fact that it has to have."""
    data = mutations.of_bytes(rng, stock.eta)
    if rng.random() < 0.5:
        table = pq.read_table(io.BytesIO(stock.eta))
        said = json.loads(table.schema.metadata[b"labeldp-audit"])
        where = rng.randrange(table.num_columns)
        name, other = table.column_names[where], rng.choice((pa.array(["x"] * len(table)), table.column("k")))
        match rng.randrange(3):
            case 0:
                table = table.remove_column(where)
            case 1 if not pa.types.is_integer(table.schema.field(where).type):
                table = table.set_column(where, name, other)
            case _:
                del said[rng.choice(sorted(said))]
        data = _sealed(table, said)
    files = {"e.parquet": data, "t.parquet": stock.tables["t.parquet"]}
    command = rng.choice(("nu-max", "estimate-j", "advantage", "audit", "check", "tune"))
    given = ["t.parquet", "--eta-file", "e.parquet", *_wanted(rng, command)]
    return _typed(rng, replace(case, files=files), command, given, few=rng.choice((0, 0, 1)))


def _sealed(table: pa.Table, said: Any) -> bytes:
    from labeldp_audit.data import eta_file

    sink = io.BytesIO()
    try:
        columns = {name: eta_file._column(table.column(name)) for name in table.column_names}
        said[eta_file.DIGEST] = eta_file._digest(columns, said)
    except Exception:  # it cannot be sealed, which the tool should say
        pass
    pq.write_table(table.replace_schema_metadata({eta_file.KEY: json.dumps(said).encode()}), sink)
    return sink.getvalue()


def _release(rng: Random, case: Case, stock: Stock) -> Case:
    spec = rng.choice(list(stock.releases))
    files = dict(stock.releases[spec])
    target = rng.choice(sorted(files))
    data = files[target]
    if target.endswith(".json") and rng.random() < 0.8:
        data = json.dumps(mutations.of_json(rng, json.loads(data))).encode()
    elif target.endswith(".csv") and rng.random() < 0.5:
        data = mutations.of_text(rng, data)
    else:
        data = mutations.of_bytes(rng, data)
    files[target] = data
    main = next(name for name in files if name in ("r.csv", "r.parquet"))
    original = main.replace("r.", "t.")
    files[original] = stock.tables[original]
    manifest = next(name for name in files if name.endswith(".json"))
    command, given = rng.choice(
        (
            ("verify", [main]), ("verify", [main, "--original", original]), ("verify", [main, "--original", original]),
            ("attack", [original, main, "--exclude", "note", "--attacker", "optimal"]), ("report", [manifest, "--export", "in-toto"]),
            ("verify", [main, "--original", original, "--mechanism", rng.choice(specs())]),
            ("attack", [original, main, "--exclude", "note"]),
        )
    )  # fmt: skip
    return _typed(rng, replace(case, files=files), command, given, few=rng.choice((0, 0, 1)))


KINDS: tuple[Callable[[Random, Case, Stock], Case], ...] = (
    _odd_table, _odd_table, _damaged_table, _damaged_table, _recoded_table, _recoded_table, _wrong_name, _options, _options, _mechanisms,
    _policy_lines, _configuration, _policy_file, _variables, _stored_report, _stored_report, _eta_file, _eta_file, _release, _release,
)  # fmt: skip
