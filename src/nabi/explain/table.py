"""Why a row got its label: what each column says, and each word of its texts."""

from dataclasses import replace
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, exact_sum
from nabi.base.fixed_point import as_real
from nabi.explain.builder import Verdict, by_label, column_sums, encoded, explain_text
from nabi.explain.explanation import ColumnTerm, TableExplanation, Term
from nabi.features.columns import Kind
from nabi.features.frame import Column, Frame
from nabi.features.values import Values, values_of
from nabi.scoring.table import TableScoring


def explain_row(
    scoring: TableScoring, frame: Frame, log_prior: F64, verdict: Verdict
) -> TableExplanation:
    """The evidence for the one row of a frame."""
    labels = verdict.labels
    terms = [_term(scoring, *each, verdict) for each in scoring.columns(frame)]
    joint = column_sums([log_prior, *(np.array([*term.weights.values()]) for term in terms)])
    attributes = verdict.attributes(log_prior, joint)
    prior = attributes["prior"]
    # Not from the joints: next to a density of exp(-1e300) each, what the prior adds is lost.
    score = exact_sum([prior, *(term.evidence for term in terms)])
    impossible = {
        labels[c]: tuple(term.column for term in terms if np.isneginf(term.weights[labels[c]]))
        for c in np.flatnonzero(np.isneginf(joint))
    }
    if len(impossible) == len(labels):  # as the label, so the score: the prior's alone
        terms, score = [replace(term, evidence=0.0) for term in terms], prior
    terms.sort(key=lambda term: (-abs(term.evidence), term.column))
    return TableExplanation(**attributes, score=score, terms=tuple(terms), impossible=impossible)


def _term(
    scoring: TableScoring, name: str, column: Column, kind: Kind, verdict: Verdict
) -> ColumnTerm:
    values = values_of(name, column, kind)
    share = scoring.term(name, values, 1)[0]
    gone = bool(values.missing[0])
    words: tuple[Term, ...] = ()
    remark = _remark(scoring, name, kind, values, share)
    if kind.model == "text" and not gone:
        text = column.texts[0] or ""
        batch = values.tokens or _native.Batch.from_sequence([text])
        nothing = np.zeros(len(share))
        words = explain_text(scoring.scorings[name], batch, text, nothing, verdict).words
    seen = [] if gone or remark else _seen(scoring, name, kind, values)
    return ColumnTerm(
        column=name,
        model=kind.model,
        value=None if gone else column.value(0),
        evidence=float(verdict.evidence(share[None])[0]),
        weights=by_label(verdict.labels, share),
        seen=dict(zip(verdict.labels, seen, strict=bool(seen))),
        words=words,
        remark=remark,
    )


def rounded(number: float) -> str:
    """A number in four digits: 45132.7 -> '45,130', 0.187312 -> '0.1873'"""
    short = f"{number:.4g}"
    return f"{float(short):,.0f}" if 1e4 <= abs(number) < 1e12 else short


def _remark(scoring: TableScoring, name: str, kind: Kind, values: Values, share: F64) -> str:
    if values.missing[0]:
        counts = scoring.weighing.missing == "evidence"
        return "missing, which counts too" if counts else "missing, and skipped"
    if values.strange[0]:
        return "a value the model cannot have, and skipped"
    silent = kind.model == "categorical" and not share.any()
    never = silent and not len(_value(scoring, name, values)[0])
    return "never seen, and skipped" if never else ""


def _value(scoring: TableScoring, name: str, values: Values) -> tuple[F64, Any]:
    """Return the counts of a value, and the classes that have them."""
    assert values.tokens is not None
    cells = scoring.counts.columns[name].find(*encoded([values.tokens.to_list()[0] or ""]))
    return as_real(cells.counts), cells.classes


def _seen(scoring: TableScoring, name: str, kind: Kind, values: Values) -> list[str]:
    """Return for each class a few words on the values that it has seen in a column."""
    n = scoring.observed[name]
    if kind.model in ("gaussian", "lognormal", "poisson"):
        weights, index = scoring.measured[name]
        if kind.model == "poisson":
            return [f"rate {rounded(rate)}" for rate in weights.rate[:, index].tolist()]
        mean, deviation = weights.mean[:, index], weights.deviation[:, index]
        of = "log: " if kind.model == "lognormal" else ""
        pairs = zip(mean.tolist(), deviation.tolist(), strict=True)
        return [f"{of}mean {rounded(m)} sd {rounded(s)}" for m, s in pairs]
    if kind.model == "text":
        return [f"{count:g} texts" for count in n.tolist()]
    if kind.model == "histogram":
        logs = scoring.term(name, values, 1)[0]
        return [f"{share:.2%} in this bin" for share in np.exp(logs).tolist()]
    counts = np.zeros(len(n))
    found, classes = _value(scoring, name, values)
    counts[classes] = found
    return [f"{count:g} of {of:g}" for count, of in zip(counts.tolist(), n.tolist(), strict=True)]
