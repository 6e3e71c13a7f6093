"""Pictures of every view: light and dark, a phone and a desk, English and Korean.

python -m tests.page.pictures [FOLDER]     # build/pages if no folder is given
"""

import itertools
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from browsing import launched
from page_views import LANGUAGES, SIZES, empty_steps, labelled_twice, prepared, spread, steps
from visiting import Serving, Visit


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    with launched() as browser:
        for language, locale in LANGUAGES.items():
            with tempfile.TemporaryDirectory() as data:
                serving = labelled_twice(spread(prepared(Serving(Path(data) / "data"), language)))
                for (size, screen), scheme in itertools.product(SIZES.items(), ("light", "dark")):
                    visit = Visit(browser, serving, language=locale, color_scheme=scheme, **screen)
                    for name in steps(visit, language):
                        visit.page.evaluate("scrollTo(0, 0)")
                        whole = not name.endswith("keys")
                        visit.page.screenshot(
                            path=folder / f"{name}-{language}-{size}-{scheme}.png", full_page=whole
                        )
                    assert visit.errors == [], visit.errors
                    visit.context.close()
                serving.kill()
                serving = Serving(Path(data) / "empty")
                for (size, screen), scheme in itertools.product(SIZES.items(), ("light", "dark")):
                    visit = Visit(browser, serving, language=locale, color_scheme=scheme, **screen)
                    for name in empty_steps(visit):
                        path = folder / f"{name}-{language}-{size}-{scheme}.png"
                        visit.page.screenshot(path=path, full_page=True)
                    visit.context.close()
                serving.kill()
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/pages"))
