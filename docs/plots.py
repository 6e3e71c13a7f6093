"""Draws the pictures of plots.md: python docs/plots.py.

Each is what an example saves, in fewer colours: so a page loads at once.
"""

import io
import runpy
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
EXAMPLES = ("author_age_gender", "body_measures", "margins", "recommend", "two_blobs")
COLOURS = 96


def main() -> None:
    """Draw them all."""
    for name, picture in pictures().items():
        (PICTURES / name).write_bytes(picture)


def pictures() -> dict[str, bytes]:
    """Each picture by the name of its file."""
    return {
        name: _small(drawn)
        for example in EXAMPLES
        for name, drawn in runpy.run_path(f"{ROOT}/examples/{example}.py")["pictures"]().items()
    }


def _small(drawn: object) -> bytes:
    """A PNG file of few colours."""
    large, small = io.BytesIO(), io.BytesIO()
    drawn.figure.savefig(large, format="png")
    image = Image.open(large).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    image.save(small, format="png", optimize=True)
    return small.getvalue()


if __name__ == "__main__":
    main()
