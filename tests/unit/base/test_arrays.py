"""Arrays that several threads work on."""

import numpy as np
import pytest

from nabi.base.arrays import SPAN, in_spans, narrow


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_numbers_are_narrowed_to_the_first_type_that_holds_them(threads):
    few, many = np.arange(200, dtype=np.uint64), np.arange(3 * SPAN + 1, dtype=np.uint64)
    kinds = np.uint8, np.uint16, np.uint32
    for array, dtype in [(few, np.uint8), (many, np.uint32), (many << 24, np.uint64)]:
        narrowed = narrow(array, *kinds, threads=threads)
        assert narrowed.dtype == dtype
        assert (narrowed == array).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_low_bits_are_left_out_before(threads):
    array = np.arange(2 * SPAN, dtype=np.uint64) << np.uint64(24)
    narrowed = narrow(array, np.uint8, shift=24, threads=threads)
    assert narrowed.dtype == np.uint64
    assert narrowed.tolist() == list(range(2 * SPAN))
    assert narrow(array[:256], np.uint8, shift=24, threads=threads).dtype == np.uint8


def test_an_empty_array_has_no_span():
    assert in_spans(0, lambda span: span.start, 2) == []
    assert narrow(np.empty(0, np.uint64), np.uint8).dtype == np.uint8


def test_spans_come_in_order_and_cover_all():
    found = in_spans(3 * SPAN, lambda span: (span.start, span.stop), 3)
    assert found == [(i * SPAN, (i + 1) * SPAN) for i in range(3)]
