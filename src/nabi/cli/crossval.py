"""`nabi crossval`."""

import time
from collections.abc import Iterable
from functools import partial
from typing import Annotated, Any

import typer

from nabi.cli import options as o
from nabi.cli import screen
from nabi.cli.judged import Beta, as_json, judged, show
from nabi.cli.options import UsageError
from nabi.cli.recipe import Recipe
from nabi.cli.report import Report, check_report, titled, write_report
from nabi.cli.source import LabelledTexts
from nabi.errors import InputError
from nabi.readers import Part, Reader

LeaveOneOut = Annotated[
    bool, typer.Option("--leave-one-out", help="Leave one text out at a time; the default.")
]
Folds = Annotated[
    int | None, typer.Option(metavar="K", min=2, help="Leave one of K folds out at a time.")
]
Group = Annotated[
    str | None,
    typer.Option(metavar="COL", help="Leave texts of one value out together: an author, a thread."),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Draws the folds.")]


def crossval(
    *,
    source: LabelledTexts,
    leave_one_out: LeaveOneOut = False,
    folds: Folds = None,
    group: Group = None,
    seed: Seed = 0,
    recipe: Recipe,
    beta: Beta = 1.0,
    report: Report = None,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Say how good a model will be on new texts: each is judged by a model that never saw it.

    ```
    nabi crossval reviews.csv
    nabi crossval reviews.csv --folds 10 --ngrams 1-2 --alpha 0.1
    nabi crossval reviews.csv --report report.html
    ```
    """
    from nabi.crossval import crossval as judge

    if leave_one_out + (folds is not None) + (group is not None) > 1:
        raise UsageError("Only one of --leave-one-out, --folds and --group.")
    model = recipe.classifier(source.threads)
    check_report(report, model, source.data or ())
    reader = source.reader(table=group is not None)
    with screen.progress(reader, "reading", quiet=quiet) as parts:
        texts, labels, groups = _columns(parts, reader, source, group)
    start = time.perf_counter()
    result = judge(model, texts, labels, folds=folds, groups=groups, seed=seed)
    seconds = time.perf_counter() - start
    gold = [result.labels[i] for i in result.gold.tolist()]
    said = [result.labels[i] for i in result.predicted.tolist()]
    found = judged(gold, said, result.log_proba, result.labels)
    rejected = source.write_rejects(reader, "crossval")
    if report:
        from nabi.report import of_crossval

        ways: dict[str, Any] = {"folds": folds, "groups": groups, "seed": seed, "result": result}
        page = partial(of_crossval, model, texts, labels, **ways)
        write_report(report, page, titled(source.data), reader=reader, quiet=quiet)
    way = f"{folds} folds" if folds else f"by {group}" if group else "leave one out"
    if json:
        more = {"way": way, "alpha": model.alpha, "seconds": round(seconds, 3)}
        screen.print_json({**as_json(found, screen.rows(reader), beta), **more})
    else:
        show(found, screen.rows_line(screen.rows(reader), rejected), beta)
        print(f"\n{way}, in {seconds:.2f} s: each text by a model that never saw it")


def _columns(
    parts: Iterable[Part], reader: Reader, source: LabelledTexts, group: str | None
) -> tuple[Any, list[str], list[Any] | None]:
    """Texts, labels and perhaps groups of all rows."""
    if group is None:
        return *texts_and_labels(parts), None
    texts: list[str | None] = []
    labels: list[str] = []
    groups: list[Any] = []
    for part in parts:
        assert part.labels is not None
        frame = _strings(part, [source.text or "text", group], reader.label)
        texts += frame[0]
        groups += frame[1]
        labels += part.labels
    return texts, labels, groups


def texts_and_labels(parts: Iterable[Part]) -> tuple[Any, list[str]]:
    """All texts as one batch, and their labels."""
    import nabi._native as _native

    batches: list[_native.Batch] = []
    labels: list[str] = []
    for part in parts:
        assert part.labels is not None
        batches.append(part.texts)
        labels += part.labels
    return _native.Batch.joined(batches), labels


def _strings(part: Part, names: list[str], label: str | None) -> list[list[str | None]]:
    """Columns of a part as strings."""
    from nabi.columns.kinds import Kind
    from nabi.columns.reading import frame_of_part
    from nabi.features import Features

    kinds = {name: Kind("text", Features()) for name in names}
    frame = frame_of_part(part, kinds, label)
    found = []
    for name in names:
        if name not in frame.columns:
            known = ", ".join(map(repr, frame.columns))
            raise InputError(f"no column {name!r}; the columns are {known}")
        column = frame.columns[name]
        values = [column.value(i) for i in range(len(frame))]
        found.append([None if value is None else str(value) for value in values])
    return found
