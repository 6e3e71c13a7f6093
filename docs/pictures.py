"""Draws the terminal pictures: python docs/pictures.py.

Each is what a command prints, with its colours, as an SVG file that fetches nothing.
"""

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURES = Path(__file__).resolve().parent / "pictures"
WIDTH = 88
ASPECT = 0.6  # of a character, in most fonts of one width

# As rich's own, without the fonts that it would fetch.
SVG = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: {char_height}px;
  line-height: {line_height}px;
}}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""

REVIEWS = {
    "good": """\
        a warm and funny film, and the cast is wonderful
        we laughed from the first scene to the last
        wonderful music, a clever plot, a lovely ending
        the cast is great and the story is moving
        I laughed a lot, and I would see it again
        funny, fast and full of surprises
        a small film with a big heart
        the leads are wonderful together
        clever, warm and just long enough
        we laughed, we cried, we clapped at the end
        a lovely story, simply told
        great acting and a moving last act
        the dialogue is sharp and very funny
        a wonderful evening for young and old
        a great cast, and every scene is a joy
        the children laughed and so did I
        moving, honest and beautifully filmed
        a joy from the start to the end
        the plot is clever, the music is lovely
        warm, tender and well played, go and see it""",
    "bad": """\
        a dull film, and the plot is weak
        too long, and boring from the start
        the jokes are old and the acting is wooden
        a weak script, a silly plot, a dull ending
        I slept a lot, and I would not see it again
        flat, slow and far too long
        a big budget and an empty film
        the leads are painful to watch
        dull, loud and boring
        we yawned, we sighed, we left before the end
        a thin story, badly told
        weak acting and a boring last act
        the dialogue is wooden and never funny
        a wasted evening for young and old
        a dull cast, and every scene is too long
        the children were bored and so was I
        predictable, cold and badly played
        a mess from the start to the end
        the plot is silly, the music is too loud
        slow, weak and badly filmed, stay at home""",
}
REVIEW = "The plot is weak and it is too long, but the cast is wonderful and we laughed a lot."


def main() -> None:
    """Draw them all."""
    PICTURES.mkdir(exist_ok=True)
    for name, picture in pictures().items():
        (PICTURES / name).write_text(picture, "utf-8")


def pictures() -> dict[str, str]:
    """Each picture by the name of its file."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "films.csv"), "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("text", "label"), *_reviews()])
        _printed(folder, "train", "films.csv", "-o", "films.nabi", "--quiet")
        explained = _printed(folder, "explain", "films.nabi", REVIEW, "--top", "9")
        helped = _printed(folder, "--help")
    return {
        "explain.svg": _picture(f'nabi explain films.nabi "{REVIEW}" --top 9', explained),
        "help.svg": _picture("nabi --help", helped),
    }


def _reviews() -> list[tuple[str, str]]:
    return [
        (line.strip(), label) for label, lines in REVIEWS.items() for line in lines.splitlines()
    ]


def _printed(folder: str, *arguments: str) -> str:
    """What a command prints, in colour."""
    environment = {
        **{name: value for name, value in os.environ.items() if name != "NO_COLOR"},
        "COLUMNS": str(WIDTH),
        "COLORTERM": "truecolor",
        "FORCE_COLOR": "1",
        "PYTHONUTF8": "1",
        "TERM": "xterm-256color",
    }
    command = [sys.executable, "-m", "nabi.cli", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode()


def _stripped(printed: str) -> str:
    """Without the blank lines above and below."""
    lines = printed.rstrip().splitlines()
    while not Text.from_ansi(lines[0]).plain.strip():
        del lines[0]
    return "\n".join(lines)


def _picture(command: str, printed: str) -> str:
    """A terminal with a command and what it prints."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        console = Console(
            record=True,
            width=WIDTH,
            file=nowhere,
            force_terminal=True,
            color_system="truecolor",
            highlight=False,
        )
        console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
        console.print()
        console.print(Text.from_ansi(_stripped(printed)))
        name = command.split()[1].strip("-")
        svg = console.export_svg(
            title="", code_format=SVG, font_aspect_ratio=ASPECT, unique_id=name
        )
    return "".join(f"{line.rstrip()}\n" for line in svg.splitlines() if line.strip())


if __name__ == "__main__":
    main()
