"""What was written is read: any table, in any dialect, whatever stands between its rows."""

import csv
import gzip
import io
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nabi.readers import csv_file, json_rows, lines, read
from nabi.readers.files import encodings
from rows import rows_of, skipped, texts_of

# Everything that CSV gives a meaning, and what Unicode holds in store.
marks = st.text(st.sampled_from(list('",;|\t\n\r\0 a#é\u2028\x85\ufeff😀\U0010ffff')), max_size=12)
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
texts = st.one_of(marks, anything)
labels = texts.filter(lambda label: label.strip())
tables = st.lists(st.tuples(texts, labels), min_size=1, max_size=12)
blocks = st.sampled_from([1, 2, 7, 64, 2**20])
BAD_CSV = ["lonely", "a,b,c", '"a"b,c', 'a,"b"c', "a,", 'a," "', "\udcff,x", 'a,"\udce9"']
BAD_JSON = ["lonely", "[1]", "3", '{"text": "a"', '{"text": "a"}', "{} {}", '{"label": "\udcff"}']


@pytest.fixture(scope="module")
def path():
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "table"


@pytest.fixture(autouse=True, scope="module")
def sizes():
    """The function that sets how many bytes are read at a time, and rows are in a part."""
    kept = [(module, "BLOCK", module.BLOCK) for module in (csv_file, json_rows, lines)]
    kept += [(module, "ROWS", module.ROWS) for module in (csv_file, lines)]

    def set_to(size):
        for module, name, _ in kept:
            setattr(module, name, size)

    yield set_to
    for module, name, size in kept:
        setattr(module, name, size)


def save(path, data):
    """Write a file, if it is one that no reader would take for a picture or a program."""
    assume(sum(byte < 32 and byte not in b"\t\n\r" for byte in data) <= encodings.FEW)
    path.write_bytes(data)


def written(rows, **dialect):
    """A CSV file as Python writes it."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, **dialect)
    writer.writerow(["text", "label"])
    writer.writerows(rows)
    return out.getvalue()


# A carriage return is quoted only where it is part of the line's end, up to Python 3.12.
dialects = st.fixed_dictionaries(
    {
        "delimiter": st.sampled_from(",;|\t"),
        "quoting": st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
        "lineterminator": st.just("\r\n"),
    }
)


@given(tables, dialects, st.booleans(), blocks)
def test_csv_as_python_writes_it(path, sizes, rows, dialect, small, block):
    sizes(block)
    data = written(rows, **dialect).encode()
    save(path, data)
    path.write_bytes(gzip.compress(data) if small else data)
    reader = read(path, delimiter=dialect["delimiter"], quotes=True)
    assert rows_of(reader) == rows
    assert (reader.read, reader.used, reader.rejected) == (len(rows), len(rows), 0)


@given(tables, st.sampled_from(["\n", "\r\n", "\r"]), blocks)
def test_csv_of_any_line_end(path, sizes, rows, end, block):
    sizes(block)
    save(path, written(rows, quoting=csv.QUOTE_ALL, lineterminator=end).encode())
    assert rows_of(read(path, delimiter=",")) == rows


@given(tables, st.sampled_from(["\n", "\r\n"]), blocks, st.booleans())
def test_jsonl(path, sizes, rows, end, block, ascii):
    sizes(block)
    objects = [{"text": text, "label": label} for text, label in rows]
    data = "".join(json.dumps(each, ensure_ascii=ascii) + end for each in objects)
    save(path, data.encode())
    assert rows_of(read(path, format="jsonl")) == rows


@given(tables, blocks, st.sampled_from([None, 0, 2]), st.booleans())
def test_json_arrays(path, sizes, rows, block, indent, ascii):
    sizes(block)
    objects = [{"text": text, "label": label} for text, label in rows]
    save(path, json.dumps(objects, indent=indent, ensure_ascii=ascii).encode())
    assert rows_of(read(path, format="jsonl")) == rows


@given(
    st.lists(
        st.one_of(st.tuples(texts, labels), st.sampled_from(BAD_CSV)), min_size=1, max_size=15
    ),
    blocks,
)
def test_bad_rows_of_csv_cost_none_of_the_others(path, sizes, rows, block):
    sizes(block)
    data, line, good, bad = "text,label\n", 2, [("first", "x")], []
    for row in [*good, *rows]:
        if isinstance(row, str):
            bad.append(
                (line, row.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
            )
            record = row + "\n"
        else:
            good.append(row)
            record = written([row], quoting=csv.QUOTE_ALL, lineterminator="\n")[
                len('"text","label"\n') :
            ]
        data += record
        line += record.count("\n")
    save(path, data.encode("utf-8", "surrogateescape"))
    assert skipped(path, delimiter=",") == (good[1:], bad)


@given(
    st.lists(st.one_of(st.tuples(texts, labels), st.sampled_from(BAD_JSON)), max_size=15), blocks
)
def test_bad_lines_of_json_cost_none_of_the_others(path, sizes, rows, block):
    sizes(block)
    rows = [("first", "x"), *rows]
    lines = [
        row if isinstance(row, str) else json.dumps({"text": row[0], "label": row[1]})
        for row in rows
    ]
    save(path, "\n".join(lines).encode("utf-8", "surrogateescape"))
    good, bad = skipped(path, format="jsonl")
    assert good == [row for row in rows if not isinstance(row, str)]
    assert [line for line, _ in bad] == [
        i + 1 for i, row in enumerate(rows) if isinstance(row, str)
    ]


@given(st.binary(max_size=16), blocks)
def test_any_bytes_are_rows_or_rejects(path, sizes, data, block):
    sizes(block)
    save(path, b'text,label\nfirst,x\n"' + data)
    rows, rejects = skipped(path, delimiter=",")
    assert rows[0] == ("first", "x")
    assert all(line is not None for line, _ in rejects)


@given(st.binary(max_size=16), blocks)
def test_a_rejects_file_has_a_row_for_each_bad_row(path, sizes, data, block):
    sizes(block)
    save(path, b'text,label\nfirst,x\n"' + data)
    reader = read(path, delimiter=",", skip_bad=True)
    texts_of(reader)
    rejects = path.with_name("rejects.csv")
    reader.write_rejects(rejects)
    rows = [(str(path), str(each.line), each.reason, each.row) for each in reader.rejects]
    with open(rejects, encoding="utf-8", newline="") as file:
        assert [tuple(row) for row in csv.reader(file)][1:] == rows
    if rows:
        again = read(rejects, text="row", label="line", delimiter=",")
        assert rows_of(again) == [(row, line) for _, line, _, row in rows]
