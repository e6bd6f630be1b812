"""Changes that a damaged disk, another tool or a hostile person makes: to bytes, text, JSON and tables."""

from __future__ import annotations

import datetime
import decimal
import string
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pyarrow as pa

# What may break a message, a page, a spreadsheet, a runner's log or a terminal.
NASTY = (
    "", " ", "\x1b[31mred", "\x1b]0;title\x07", "a\nb", "a\r\nb", "a\tb", "\x00", "\ufeffy", "\u202eevil", "\u2028", "\x85", "\x7f",
    "=1+1", "+1", "-1", "@SUM(A1)", "|cmd", "::error::x", "##[error]x", "<script>alert(1)</script>", "](javascript:x)",
    "`x`", "$(x)", "%s%n", "{0}", "{{x}}", "[x]", "[red]x[/red]", "é", "日本語", "👩‍👩‍👧", "\ud800", "y" * 300, "z" * 70_000,
    "None", "nan", "inf", "null", "../../x", "/", "--label", "-", "'", '"', "\\", "a,b", "a;b", "a=b", "a|b", "(x)",
)  # fmt: skip
NUMBERS = (0, 1, -1, 2, 255, 2**31, 2**53 + 1, 2**63, 2**64, 10**400, -(10**30), 0.0, -0.0, 0.5, 1e-300, 1e308, 5e-324)


def nasty(rng: Random) -> str:
    return rng.choice(NASTY) if rng.random() < 0.8 else "".join(rng.choices(string.printable, k=rng.randrange(1, 40)))


# ---- bytes


def of_bytes(rng: Random, data: bytes) -> bytes:
    for _ in range(rng.choice((1, 1, 1, 2, 5, 20))):
        data = rng.choice(_ON_BYTES)(rng, data)
    return data


def _flipped(rng: Random, data: bytes) -> bytes:
    return _replaced(rng, data, 1, lambda one: bytes([one[0] ^ 1 << rng.randrange(8)]))


def _overwritten(rng: Random, data: bytes) -> bytes:
    word = rng.choice((b"\x00", b"\xff", b"\x7f\xff\xff\xff", b"\xff" * 8, b"\x80" + b"\x00" * 7, rng.randbytes(4)))
    return _replaced(rng, data, len(word), lambda _: word)


def _cut_off(rng: Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _taken_out(rng: Random, data: bytes) -> bytes:
    start = rng.randrange(len(data) + 1)
    return data[:start] + data[start + rng.choice((1, 2, 8, 100, 5000)) :]


def _doubled(rng: Random, data: bytes) -> bytes:
    start = rng.randrange(len(data) + 1)
    piece = data[start : start + rng.choice((1, 8, 200))]
    return data[:start] + piece * rng.choice((2, 3, 50)) + data[start + len(piece) :]


def _zeroed(rng: Random, data: bytes) -> bytes:
    size = rng.choice((4, 64, 512, 4096))
    return _replaced(rng, data, size, lambda piece: bytes(len(piece)))


def _appended(rng: Random, data: bytes) -> bytes:
    return data + rng.choice((b"\x00", b"\n" * 3, rng.randbytes(30), data))


def _replaced(rng: Random, data: bytes, size: int, by: Callable[[bytes], bytes]) -> bytes:
    if not data:
        return data
    start = rng.choice((rng.randrange(len(data)), max(0, len(data) - 1 - rng.randrange(1, 300))))  # footers are small
    return data[:start] + by(data[start : start + size]) + data[start + size :]


_ON_BYTES = (_flipped, _flipped, _overwritten, _cut_off, _taken_out, _doubled, _zeroed, _appended)


# ---- text


def of_text(rng: Random, data: bytes) -> bytes:
    """Another encoding, other line ends, odd quotation marks, cells or lines."""
    text = data.decode(errors="surrogateescape")
    for _ in range(rng.choice((1, 1, 2))):
        text = rng.choice(_ON_TEXT)(rng, text)
    encoding = rng.choice(("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp037"))
    return text.encode(encoding, errors=rng.choice(("replace", "surrogatepass")) if encoding == "utf-8" else "replace")


def _line(rng: Random, text: str, change: Callable[[str], str]) -> str:
    lines = text.split("\n")
    at = rng.choice((0, rng.randrange(len(lines)), len(lines) - 1))
    return "\n".join([*lines[:at], change(lines[at]), *lines[at + 1 :]])


def _cell(rng: Random, line: str) -> str:
    cells = line.split(",")
    cells[rng.randrange(len(cells))] = rng.choice((nasty(rng), f'"{nasty(rng)}"', str(rng.choice(NUMBERS)), ""))
    return ",".join(cells)


_ON_TEXT: Sequence[Callable[[Random, str], str]] = (
    lambda rng, text: text,
    lambda rng, text: text.replace("\n", rng.choice(("\r\n", "\r", "\n\n", "\u2028"))),
    lambda rng, text: text.replace(",", rng.choice((";", "\t", "|", ",,", " , "))),
    lambda rng, text: _line(rng, text, lambda line: _cell(rng, line)),
    lambda rng, text: _line(rng, text, lambda line: _cell(rng, line)),
    lambda rng, text: _line(rng, text, lambda line: line + ',"'),
    lambda rng, text: _line(rng, text, lambda line: line[: len(line) // 2]),
    lambda rng, text: _line(rng, text, lambda line: line * rng.choice((0, 2, 500))),
    lambda rng, text: _line(rng, text, lambda line: line + "\n" + nasty(rng)),
    lambda rng, text: text.partition("\n")[2],
    lambda rng, text: text.partition("\n")[0],
    lambda rng, text: text.rstrip("\n"),
    lambda rng, text: nasty(rng) + text,
)


# ---- JSON


def of_json(rng: Random, document: Any) -> Any:
    """A copy with one or a few values, keys or lists changed."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        places = list(_places(document))
        if not places:
            return document
        document = _changed(rng, document, rng.choice(places))
    return document


def _places(value: Any, path: tuple[Any, ...] = ()) -> Any:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inside:
        yield (*path, key)
        yield from _places(item, (*path, key))


def _changed(rng: Random, value: Any, path: tuple[Any, ...]) -> Any:
    copy = value.copy()
    key = path[0]
    if len(path) > 1:
        copy[key] = _changed(rng, copy[key], path[1:])
        return copy
    match rng.randrange(8):
        case 0:
            del copy[key]
        case 1 if isinstance(copy, dict):
            copy[nasty(rng)] = copy.pop(key)
        case 2 if isinstance(copy, list):
            copy.insert(key, copy[key])
        case 3 if isinstance(copy[key], str) and copy[key]:
            copy[key] = rng.choice((copy[key][:-1], copy[key] + "0", copy[key].upper(), copy[key][::-1]))
        case 4 if isinstance(copy[key], int | float) and not isinstance(copy[key], bool):
            half = copy[key] // 2 if isinstance(copy[key], int) else copy[key] / 2
            copy[key] = rng.choice((copy[key] + 1, -copy[key], copy[key] * 2, half, *NUMBERS))
        case _:
            copy[key] = odd_value(rng)
    return copy


def odd_value(rng: Random) -> Any:
    deep: Any = 0
    for _ in range(rng.choice((2, 60))):
        deep = rng.choice(([deep], {"a": deep}))
    values = (
        None,
        True,
        False,
        nasty(rng),
        rng.choice(NUMBERS),
        [],
        {},
        deep,
        [nasty(rng)] * 3,
        {nasty(rng): 1},
        "Infinity",
    )
    return rng.choice(values)


# ---- tables


def odd_column(rng: Random, rows: int) -> pa.Array:
    """One of a type or with values that few tables have."""
    made = rng.choice(_COLUMNS)(rng, rows)
    if rng.random() < 0.2 and rows:
        hole = pa.array([rng.random() < 0.3 for _ in range(rows)])
        made = pa.compute.if_else(hole, pa.scalar(None, made.type), made) if _can_be_missing(made.type) else made
    return made


def _can_be_missing(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_string(kind)


def _of(kind: pa.DataType, value: Callable[[Random], Any]) -> Callable[[Random, int], pa.Array]:
    return lambda rng, rows: pa.array([value(rng) for _ in range(rows)], kind)


_DAY = datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.UTC)
_COLUMNS: Sequence[Callable[[Random, int], pa.Array]] = (
    _of(pa.float64(), lambda rng: rng.choice((0.0, -0.0, 1e308, -1e308, 5e-324, rng.gauss(0, 1)))),
    _of(pa.float64(), lambda rng: rng.choice((float("inf"), float("-inf"), float("nan"), 1.0))),
    _of(pa.float64(), lambda rng: float("nan")),
    _of(pa.float32(), lambda rng: rng.gauss(0, 1)),
    _of(pa.float16(), lambda rng: rng.gauss(0, 1)),
    _of(pa.int64(), lambda rng: rng.choice((2**63 - 1, -(2**63), 0))),
    _of(pa.uint64(), lambda rng: rng.choice((2**64 - 1, 2**63, 0))),
    _of(pa.int8(), lambda rng: rng.randrange(-128, 128)),
    _of(pa.int64(), lambda rng: rng.randrange(10**18)),
    _of(pa.bool_(), lambda rng: rng.random() < 0.5),
    _of(pa.string(), lambda rng: rng.choice(NASTY[:-20]).encode(errors="replace").decode()),
    _of(pa.string(), lambda rng: "".join(rng.choices(string.ascii_letters, k=12))),
    _of(pa.large_string(), lambda rng: rng.choice("abc")),
    _of(pa.binary(), lambda rng: rng.randbytes(3)),
    _of(pa.binary(4), lambda rng: rng.randbytes(4)),
    _of(pa.decimal128(38, 10), lambda rng: decimal.Decimal(rng.randrange(10**9)).scaleb(-5)),
    _of(pa.decimal256(60, 20), lambda rng: decimal.Decimal(rng.randrange(10**30)).scaleb(-20)),
    _of(pa.date32(), lambda rng: _DAY.date() + datetime.timedelta(rng.randrange(9999))),
    _of(pa.timestamp("ns"), lambda rng: rng.randrange(-(2**62), 2**62)),
    _of(pa.timestamp("us", "Europe/Berlin"), lambda rng: _DAY + datetime.timedelta(rng.randrange(9999))),
    _of(pa.time64("us"), lambda rng: rng.randrange(86_400_000_000)),
    _of(pa.duration("s"), lambda rng: rng.randrange(10**6)),
    _of(pa.list_(pa.int64()), lambda rng: [1] * rng.randrange(3)),
    _of(pa.struct([("a", pa.int64()), ("b", pa.string())]), lambda rng: {"a": 1, "b": "x"}),
    _of(pa.map_(pa.string(), pa.int64()), lambda rng: [("a", 1)]),
    _of(pa.list_(pa.list_(pa.float64()), 1), lambda rng: [[1.0]]),
    lambda rng, rows: pa.nulls(rows),
    lambda rng, rows: pa.nulls(rows, pa.float64()),
    lambda rng, rows: pa.array([rng.choice("uvw") for _ in range(rows)]).dictionary_encode(),
    lambda rng, rows: pa.array([rng.randrange(3) for _ in range(rows)]).dictionary_encode(),
    lambda rng, rows: pa.DictionaryArray.from_arrays(
        pa.array([rng.randrange(3) for _ in range(rows)], pa.int8()), pa.array(["same", "same", None])
    ),
    lambda rng, rows: pa.array(["v"] * rows),
    lambda rng, rows: pa.UnionArray.from_dense(
        pa.array([0] * rows, pa.int8()), pa.array(range(rows), pa.int32()), [pa.array(range(rows))]
    ),
    lambda rng, rows: pa.array([1] * rows, pa.int64()).view(pa.duration("ns")),
)  # fmt: skip
