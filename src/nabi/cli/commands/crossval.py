"""`nabi crossval`."""

import time
from functools import partial
from typing import Annotated

import typer

from nabi.cli.labelled import read_labelled
from nabi.cli.options import common as o
from nabi.cli.options.common import UsageError
from nabi.cli.options.recipe import TableRecipe
from nabi.cli.options.report import (
    Report,
    check_report,
    titled,
    write_report,
)
from nabi.cli.options.source import LabelledTexts
from nabi.cli.show import screen
from nabi.cli.show.figures import (
    Beta,
    as_json,
    judged,
    show,
)

LeaveOneOut = Annotated[
    bool, typer.Option("--leave-one-out", help="Leave one text or row out at a time; the default.")
]
Folds = Annotated[
    int | None, typer.Option(metavar="K", min=2, help="Leave one of K folds out at a time.")
]
Group = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Leave texts or rows of one value out together: an author, a thread. The model of a "
        "table does not learn from that column.",
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Draws the folds.")]


def crossval(
    *,
    source: LabelledTexts,
    leave_one_out: LeaveOneOut = False,
    folds: Folds = None,
    group: Group = None,
    seed: Seed = 0,
    recipe: TableRecipe,
    beta: Beta = 1.0,
    report: Report = None,
    json: o.Json = False,
    quiet: o.NoProgress = False,
) -> None:
    """Say how good a model will be on new data: each text or row by a model that never saw it.

    ```
    nabi crossval reviews.csv
    nabi crossval reviews.csv --folds 10 --ngrams 1-2 --alpha 0.1
    nabi crossval people.csv --label job --columns age=histogram --group town
    nabi crossval reviews.csv --report report.html
    ```
    """
    from nabi.judging import crossval as judge

    if leave_one_out + (folds is not None) + (group is not None) > 1:
        raise UsageError("Only one of --leave-one-out, --folds and --group.")
    data = read_labelled(
        source, recipe, beside="crossval", writes=[report], group=group, quiet=quiet
    )
    model, reader = data.model, data.reader
    check_report(report, model, source.data or ())
    start = time.perf_counter()
    result = judge(model, data.documents, data.labels, folds=folds, groups=data.groups, seed=seed)
    seconds = time.perf_counter() - start
    gold = [result.labels[i] for i in result.actual.tolist()]
    said = [result.labels[i] for i in result.predicted.tolist()]
    found = judged(gold, said, result.log_proba, result.labels)
    rejected = source.write_rejects(reader)
    if report:
        from nabi.report import of_crossval

        page = partial(
            of_crossval,
            model,
            data.documents,
            data.labels,
            folds=folds,
            groups=data.groups,
            seed=seed,
            result=result,
        )
        write_report(report, page, titled(source.data), reader=reader, quiet=quiet)
    way = f"{folds} folds" if folds else f"by {group}" if group else "leave one out"
    if json:
        more = {"way": way, "alpha": result.alpha, "seconds": round(seconds, 3)}
        more |= {"columns": model.columns_} if hasattr(model, "columns_") else {}
        screen.print_json({**as_json(found, screen.rows(reader), beta), **more})
    else:
        show(found, screen.rows_line(screen.rows(reader), rejected), beta)
        print(f"\n{way}, in {seconds:.2f} s: each {data.noun} by a model that never saw it")
