"""CSV that several threads cut, each from a guess on, has the records that one thread finds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nabi import _native

ROWS = st.sampled_from(
    ["a,b", '"a, b",c', '"a\n""b""",c', "a", '"a\n', "", "é,x", 'x"y,z', '"a"b,c']
)


def found(text, threads):
    block = np.frombuffer(text, np.uint8)
    options = {"delimiter": ord(","), "quote": ord('"'), "line_end": 10, "columns": 2}
    records = _native.CsvBlock(
        block, size=len(block), final=True, wanted=[0, 1], longest=2**24, threads=threads, **options
    )
    columns = [records.column(i).to_list() for i in (0, 1)]
    return columns, records.begins.tolist(), records.ends.tolist(), records.bad, records.consumed


@given(st.lists(ROWS, min_size=1, max_size=40), st.integers(2, 5))
def test_threads_find_the_records_of_one(rows, threads):
    part = "\n".join(rows) + "\n"
    text = (part * (threads * 2**20 // len(part) + 2)).encode()  # a megabyte is worth a thread
    assert found(text, threads) == found(text, 1)
