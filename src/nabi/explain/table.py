"""Why a row got its label: what each column says, and each word of its texts."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64
from nabi.base.fixed_point import as_real
from nabi.base.labels import Label
from nabi.explain.text import (
    Explanation,
    Term,
    by_label,
    difference,
    explain,
    sides,
)
from nabi.features.columns import Kind
from nabi.features.frame import Column, Frame
from nabi.features.values import Values, values_of
from nabi.scoring.table import TableScoring


@dataclass(frozen=True)
class ColumnTerm:
    """A column of the row and what it adds to the score."""

    column: str
    model: str
    value: Any  # None: missing
    evidence: float  # for `of`, against `against`
    weights: Mapping[Label, float]  # what it adds to the log joint of each class
    seen: Mapping[Label, str]  # what each class has seen there, in a few words
    words: tuple[Term, ...] = ()  # of a text, strongest first
    remark: str = ""  # why it says nothing, where it does


@dataclass(frozen=True)
class TableExplanation:
    """A decision on a row and its evidence.

    The score is the log of how much more probable `of` is than `against`: for two classes these
    are the second and the first (above 0: the second), for more the best and the runner-up.

        score = prior + sum of the terms' evidence

    and for each class c, joint[c] = log_prior[c] + sum of terms' weights[c].
    """

    label: Label
    of: Label
    against: Label | None  # None where there is one class only; the score is then its log joint
    score: float
    prior: float
    terms: tuple[ColumnTerm, ...]  # strongest first
    proba: Mapping[Label, float]
    joint: Mapping[Label, float]
    log_prior: Mapping[Label, float]
    impossible: Mapping[Label, tuple[str, ...]]  # the classes ruled out, and by which columns

    def __str__(self) -> str:
        """The sum, written out."""
        aim = f"evidence: above 0 for {self.of}"
        if self.against is not None:
            aim += f", below 0 for {self.against}"
        rows: list[tuple[str, str, float, str]] = [("prior", "", self.prior, "")]
        for term in self.terms:
            rows.append((term.column, shown(term.value), term.evidence, about(term)))
            rows += [
                (f"  {w.word}", f"x{w.times}", w.evidence, counts_of(w)) for w in term.words[:5]
            ]
            if len(term.words) > 5:
                rest = sum(word.evidence for word in term.words[5:])
                rows.append((f"  ({len(term.words) - 5} more words)", "", rest, ""))
        wide = [max(len(row[0]) for row in rows), max(len(row[1]) for row in rows)]
        lines = [
            f"  {name:<{wide[0]}}  {value:<{wide[1]}}  {evidence:+10.4f}  {why}".rstrip()
            for name, value, evidence, why in rows
        ]
        lines.append(f"  {'score':<{wide[0]}}  {'':<{wide[1]}}  {self.score:+10.4f}")
        for label, why in self.impossible.items():
            lines.append(f"\n{label} is impossible: {', '.join(why) or 'its prior is 0'}")
        return f"{self.label}  ({self.proba[self.label]:.4f})\n\n{aim}\n" + "\n".join(lines)


def shown(value: Any, most: int = 30) -> str:
    """A value in a few letters."""
    if value is None:
        return "(missing)"
    text = f"{value:g}" if isinstance(value, float) else " ".join(str(value).split())
    return text if len(text) <= most else text[: most - 3] + "..."


def about(term: ColumnTerm) -> str:
    """`gaussian: male mean 5.85 sd 0.187; female ...`"""
    if term.remark:
        return f"{term.model}: {term.remark}"
    seen = "; ".join(f"{label} {what}" for label, what in list(term.seen.items())[:4])
    more = f"; {len(term.seen) - 4} more" if len(term.seen) > 4 else ""
    return f"{term.model}: {seen}{more}" if seen else term.model


def counts_of(word: Term) -> str:
    """`seen: pos 12, neg 3`"""
    seen = ", ".join(f"{label} {count:g}" for label, count in list(word.counts.items())[:4])
    return f"seen: {seen or 'never'}"


def explain_row(
    scoring: TableScoring, frame: Frame, log_prior: F64, proba: F64, best: int
) -> TableExplanation:
    """The evidence for the one row of a frame, which got the best class."""
    labels = scoring.counts.labels
    of, against = sides(proba, best)
    found = []
    for name, column, kind in scoring.columns(frame):
        values = values_of(name, column, kind)
        term = scoring.term(name, values, 1)[0]
        found.append((_term(scoring, name, column, kind, values, term, (of, against)), term))
    joint = log_prior + np.sum([term for _, term in found], axis=0)
    prior = float(difference(log_prior[None], of, against)[0])
    # Not from the joints: next to a density of exp(-1e300) each, what the prior adds is lost.
    with np.errstate(invalid="ignore"):
        score = prior + float(np.sum([each.evidence for each, _ in found]))
    ruled_out = {
        labels[c]: tuple(each.column for each, term in found if np.isneginf(term[c]))
        for c in np.flatnonzero(np.isneginf(joint))
    }
    terms = [each for each, _ in found]
    if len(ruled_out) == len(labels):  # as the label, so the score: the prior's alone
        terms, score = [replace(each, evidence=0.0) for each in terms], prior
    terms.sort(key=lambda each: (-abs(each.evidence), each.column))
    return TableExplanation(
        label=labels[best],
        of=labels[of],
        against=None if against is None else labels[against],
        score=score,
        prior=prior,
        terms=tuple(terms),
        proba=by_label(labels, proba),
        joint=by_label(labels, joint),
        log_prior=by_label(labels, log_prior),
        impossible=ruled_out,
    )


def _term(
    scoring: TableScoring,
    name: str,
    column: Column,
    kind: Kind,
    values: Values,
    term: F64,
    aim: tuple[int, int | None],
) -> ColumnTerm:
    labels = scoring.counts.labels
    gone = bool(values.missing[0])
    words: tuple[Term, ...] = ()
    remark = _remark(scoring, name, kind, values, term)
    if kind.model == "text" and not gone:
        words = _words(scoring, name, column, values, aim).terms
    seen = {} if gone or remark else _seen(scoring, name, kind, values)
    return ColumnTerm(
        column=name,
        model=kind.model,
        value=None if gone else column.value(0),
        evidence=float(difference(term[None], *aim)[0]),
        weights=by_label(labels, term),
        seen=dict(zip(labels, seen, strict=bool(seen))),
        words=words,
        remark=remark,
    )


def _remark(scoring: TableScoring, name: str, kind: Kind, values: Values, term: F64) -> str:
    if values.missing[0]:
        counts = scoring.weighing.missing == "evidence"
        return "missing, which counts too" if counts else "missing, and skipped"
    if values.strange[0]:
        return "a value the model cannot have, and skipped"
    if kind.model == "categorical" and not term.any() and not _known(scoring, name, values):
        return "never seen, and skipped"
    return ""


def _known(scoring: TableScoring, name: str, values: Values) -> bool:
    return bool(len(_cells(scoring, name, values)[0]))


def _cells(scoring: TableScoring, name: str, values: Values) -> tuple[F64, Any]:
    """How often the value was seen, and by which classes."""
    assert values.tokens is not None
    encoded = (values.tokens.to_list()[0] or "").encode()
    names = np.frombuffer(encoded, np.uint8)
    cells = scoring.counts.columns[name].find(names, np.array([0, len(encoded)], np.uint64))
    return as_real(cells.counts), cells.classes


def _words(
    scoring: TableScoring, name: str, column: Column, values: Values, aim: tuple[int, int | None]
) -> Explanation:
    """The words of a text, for and against the same classes as the row."""
    text = column.texts[0] or ""
    own = scoring.scorings[name]
    none = np.zeros(len(scoring.docs))
    leaning = np.zeros(len(scoring.docs))
    of, against = aim
    leaning[of] = 2.0
    if against is not None:
        leaning[against] = 1.0
    batch = values.tokens or _native.Batch.from_sequence([text])
    return explain(own, batch, text, none, leaning, of)


def _seen(scoring: TableScoring, name: str, kind: Kind, values: Values) -> list[str]:
    """What each class has seen in a column, in a few words."""
    n = scoring.observed[name]
    if kind.model in ("gaussian", "lognormal", "poisson"):
        weights, place = scoring.measured[name]
        if kind.model == "poisson":
            return [f"rate {rate:.4g}" for rate in weights.rate[:, place].tolist()]
        mean, deviation = weights.mean[:, place], weights.deviation[:, place]
        of = "log: " if kind.model == "lognormal" else ""
        pairs = zip(mean.tolist(), deviation.tolist(), strict=True)
        return [f"{of}mean {m:.4g} sd {s:.4g}" for m, s in pairs]
    if kind.model == "text":
        return [f"{count:g} texts" for count in n.tolist()]
    if kind.model == "histogram":
        assert values.numbers is not None
        logs = scoring.term(name, values, 1)[0]
        return [f"{share:.2%} in this bin" for share in np.exp(logs).tolist()]
    counts = np.zeros(len(n))
    found, classes = _cells(scoring, name, values)
    counts[classes] = found
    return [f"{count:g} of {of:g}" for count, of in zip(counts.tolist(), n.tolist(), strict=True)]
