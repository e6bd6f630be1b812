"""What every kind of file keeps to, ours and those of packages that are installed beside it."""

from __future__ import annotations

import gzip

import pyarrow as pa
import pytest
from people import people, write_everywhere

from labeldp_audit.core.errors import DataError
from labeldp_audit.data.sources.content import digest
from labeldp_audit.data.sources.contract import HowText
from labeldp_audit.data.sources.delimited import Widened
from labeldp_audit.data.sources.locate import SOURCES, file

AS_IT_IS = HowText(None, frozenset())
SVM = b"".join(b"%d 1:%d 2:0.5\n" % (row % 2, row) for row in range(1, 40))
each = pytest.mark.parametrize("ending", SOURCES.names())


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    """A file of each kind: `example` of the source, where it has one."""
    folder = tmp_path_factory.mktemp("examples")
    write_everywhere(people(40), folder)
    made = {"pq": (folder / "t.parquet").read_bytes(), "tsv.gz": gzip.compress((folder / "t.tsv").read_bytes())}
    for ending in ("svm", "libsvm", "svmlight"):
        made |= {ending: SVM, f"{ending}.gz": gzip.compress(SVM)}
    found = {}
    for ending in SOURCES.names():
        found[ending] = folder / f"t.{ending}"
        content = getattr(SOURCES.get(ending), "example", made.get(ending))
        if content is not None:
            found[ending].write_bytes(content)
    return found


def read(source, columns, size):
    """Text is read again, once it is known which types its columns have."""
    while True:
        try:
            return list(source.batches(columns, size))
        except Widened:
            continue


@each
def test_columns_have_names_and_types(ending, examples):
    source = file(examples[ending], AS_IT_IS)
    assert source.name == examples[ending].name
    assert list(source.types) == list(source.types) and len(list(source.types)) > 1
    assert all(kind is None or isinstance(kind, pa.DataType) for kind in source.types.values())


@each
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_rows_come_in_batches_of_one_size(ending, size, examples):
    source = file(examples[ending], AS_IT_IS)
    batches = read(source, list(source.types), size)
    rows = sum(batch.num_rows for batch in batches)
    assert rows > 1 and source.rows in (None, rows)
    assert all(batch.num_rows == size for batch in batches[:-1]) and 0 < batches[-1].num_rows <= size
    assert all(batch.schema.names == list(source.types) for batch in batches)
    kinds = {name: kind for name, kind in source.types.items() if kind is not None}
    assert {name: batches[0].schema.field(name).type for name in kinds} == kinds


@each
def test_some_columns_in_any_order_are_those_of_the_whole(ending, examples):
    source = file(examples[ending], AS_IT_IS)
    first, *_, last = list(source.types)
    whole = pa.Table.from_batches(read(source, list(source.types), 1000))
    some = pa.Table.from_batches(read(source, [last, first], 1000))
    assert some.column_names == [last, first]
    assert some.equals(whole.select([last, first]))
    assert pa.Table.from_batches(read(source, list(source.types), 1000)).equals(whole)  # as often as it is asked


@each
def test_a_column_stays_text_if_it_is_to(ending, examples):
    """Unless the file itself says which types it has."""
    first = next(iter(file(examples[ending], AS_IT_IS).types))
    source = file(examples[ending], HowText(None, frozenset((first,))))
    [kind] = {batch.schema.field(first).type for batch in read(source, [first], 1000)}
    typed = ending in ("parquet", "pq", "arrow", "feather") or "svm" in ending
    assert typed or pa.types.is_string(kind) or pa.types.is_large_string(kind)


@each
def test_its_bytes_are_what_the_digest_is_of(ending, examples):
    [content] = file(examples[ending], AS_IT_IS).contents
    assert b"".join(content.blocks()) == examples[ending].read_bytes()
    assert len(digest([content])) == 64


@each
@pytest.mark.parametrize("rubbish", [b"\x00\x01\x02{[<", b"{\n", b"a"])
def test_rubbish_is_read_or_refused_in_one_line(ending, rubbish, tmp_path):
    place = tmp_path / f"t.{ending}"
    place.write_bytes(rubbish)
    try:
        source = file(place, AS_IT_IS)
        read(source, list(source.types), 100)
    except DataError as error:
        assert place.name in str(error) and "\n" not in str(error)


def test_an_unknown_kind_lists_what_exists(tmp_path):
    (tmp_path / "t.doc").write_bytes(b"x")
    with pytest.raises(DataError, match="unknown kind of file") as caught:
        file(tmp_path / "t.doc", AS_IT_IS)
    assert ".parquet .csv" in caught.value.hint
