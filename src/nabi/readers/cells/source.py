"""Sources whose rows are lists of cells, each a string or missing."""

from collections.abc import Iterator, Sequence

from nabi.readers.files import File
from nabi.readers.likely import Values
from nabi.readers.lines import LineSource
from nabi.readers.parts import Bad, LinePlace, Row
from nabi.readers.source import Wants

Cells = tuple[LinePlace, Sequence[str | None]]  # where a row is, and its cells


class CellSource(LineSource):
    """Rows of cells."""

    TABULAR = True

    def __init__(self, file: File, wants: Wants) -> None:
        super().__init__(file, wants)
        if not self.keeps:
            wanted = self.texts if self.label is None else [*self.texts, self.label]
            self._values = list(dict.fromkeys(wanted))

    def _cells(self, bad: Bad) -> Iterator[Cells]:
        """Yield the place and the cells of each row, one for each of `_values`."""
        raise NotImplementedError

    def _rows(self, bad: Bad) -> Iterator[Row]:
        for place, cells in self._cells(bad):
            yield Row(place, tuple(cells), shown(cells))


def by_column(names: Sequence[str], rows: Sequence[Sequence[str | None]]) -> Values:
    """Return the cells of each column; those that a short row lacks are missing."""
    return {
        name: [row[i] if i < len(row) else None for row in rows] for i, name in enumerate(names)
    }


def shown(cells: Sequence[str | None]) -> str:
    """Return a row as text, for a file of bad rows."""
    return "\t".join(cell or "" for cell in cells)
