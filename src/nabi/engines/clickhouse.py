"""A model as a NAIVE_BAYES dictionary of ClickHouse: approximate, in single precision."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import nabi
from nabi.base.labels import Label
from nabi.engines.entities import entity_values
from nabi.engines.sql.letters import (
    DOTTED_I,
    FINAL_SIGMA,
    SIGMA,
    SMALL_SIGMA,
    VARIATION,
    Letters,
    letters,
    lower_case,
)
from nabi.engines.sql.script import NAME
from nabi.engines.sql.tokens import ENTITY, check_recipe, without_groups
from nabi.engines.terms import Terms
from nabi.errors import InputError
from nabi.files.replace import replacing
from nabi.scoring.prior import Prior

__all__ = ["ClickHouseExport", "clickhouse_export"]

ROWS = 5000  # of one insert
# A dictionary cuts its text at white space: in a token a tab and a space are other characters.
BLANKS = {"\t": "\x01", " ": "\x02"}
Part = tuple[str, str]  # a name, and the expression that it stands for


def clickhouse_export(
    model: object,
    *,
    name: str = "nabi",
    table: str = "texts",
    id: str = "id",
    text: str = "text",
    prior: Prior = None,
) -> "ClickHouseExport":
    """A model as a table of counts, a dictionary of layout NAIVE_BAYES and a query (version 26.9).

    ClickHouse adds up weights in single precision: where two classes are nearly level, its label
    may be another than the model's.

    Parameters
    ----------
    model : TextClassifier
        A model with the event `multinomial` or `binary`, and whole counts.
    name : str
        The name of the dictionary; its table is `name_ngrams`.
    table, id, text : str
        The table to classify, and its columns.
    prior : optional
        A prior to use instead of the model's.
    """
    if not NAME.fullmatch(name):
        raise InputError(f"name is {name!r}; expected letters, digits and _, such as spam_model")
    terms = Terms.of(model, prior=prior)
    check_recipe(terms.recipe)
    if terms.event not in ("multinomial", "binary"):
        raise InputError(
            f"ClickHouse has no event model {terms.event}; expected multinomial or binary: train "
            f"with --event multinomial"
        )
    if (terms.counts % 1).any():
        raise InputError(
            "ClickHouse takes whole counts, and sample weights made some that are not; train "
            "without them"
        )
    kept = np.flatnonzero(np.isfinite(terms.start))
    if set(kept.tolist()) - set(terms.classes.tolist()):
        raise InputError("ClickHouse needs a word of each class, and a class has none; drop it")
    return ClickHouseExport(terms, name, _quoted(table), _quoted(id), _quoted(text))


@dataclass(frozen=True, eq=False)
class ClickHouseExport:
    """The SQL of a model for ClickHouse.

    Attributes
    ----------
    statements : list of str
        What makes the table of counts, fills it, and makes the dictionary.
    classify : str
        The query of `id` and `label` of each row; of a null text the label is null.
    """

    terms: Terms
    name: str
    table: str
    id: str
    text: str

    @property
    def _classes(self) -> list[int]:
        """The classes that a text can have."""
        return np.flatnonzero(np.isfinite(self.terms.start)).tolist()

    @property
    def statements(self) -> list[str]:
        """Statements that make the table of counts, fill it, and make the dictionary."""
        logs = self.terms.start[self._classes]
        shares = np.exp(logs) / np.exp(logs).sum()
        priors = ", ".join(
            f"({c}, {p!r})" for c, p in zip(self._classes, shares.tolist(), strict=True)
        )
        counts = f"{self.name}_ngrams"
        return [
            f"create table {counts} (ngram String, class_id UInt32, count UInt64) "
            "engine = MergeTree order by (class_id, ngram)",
            *self._inserts(counts),
            f"create dictionary {self.name} (ngram String, class_id UInt32, count UInt64)\n"
            f"primary key ngram source(clickhouse(table {_literal(counts)}))\n"
            f"layout(naive_bayes(class_attribute 'class_id' n 1 mode 'token' "
            f"alpha {self.terms.alpha!r} priors_mode 'explicit' priors [{priors}]))\n"
            "lifetime(0)",
        ]

    def _inserts(self, counts: str) -> Iterator[str]:
        terms, names = self.terms, [_blanked(name) for name in self.terms.features]
        kept = np.flatnonzero(np.isin(terms.classes, self._classes)).tolist()
        feature = terms.feature_of_cell
        for i in range(0, len(kept), ROWS):
            rows = (
                f"({_literal(names[feature[j]])}, {terms.classes[j]}, {int(terms.counts[j])})"
                for j in kept[i : i + ROWS]
            )
            yield f"insert into {counts} values {', '.join(rows)}"

    @property
    def classify(self) -> str:
        """The query of the label of each row."""
        labels = [self.terms.labels[c] for c in self._classes]
        found = f"naiveBayesClassifier({_literal(self.name)}, arrayStringConcat(tokens, ' '))"
        of = f"[{', '.join(map(str, self._classes))}]"
        to = f"[{', '.join(map(_literal, labels))}]"
        default = _literal(labels[0])
        parts = ",\n  ".join(f"{expression} as {name}" for name, expression in self._parts())
        return (
            f"with {parts}\nselect {self.id} as id, if(isNull({self.text}), null, "
            f"transform({found}, {of}, {to}, {default})) as label\nfrom {self.table}"
        )

    @property
    def script(self) -> str:
        """All statements, and the query at the end."""
        head = f"-- A model of nabi {nabi.__version__} for ClickHouse; approximate.\n"
        return head + ";\n".join([*self.statements, self.classify]) + ";\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the statements and the query to a file."""
        with replacing(os.fspath(path)) as file:
            file.write(self.script.encode())

    # ---- from a text to its tokens ----

    def _parts(self) -> Iterator[Part]:
        recipe = self.terms.recipe
        yield "given", f"ifNull({self.text}, '')"
        yield from _decoded() if recipe.entities else [("decoded", "given")]
        yield from self._lowered() if recipe.lowercase else [("lowered", "decoded")]
        tokens = []
        if recipe.ngrams is not None:
            yield from self._words()
            tokens += [_grams(size) for size in range(recipe.ngrams[0], recipe.ngrams[1] + 1)]
        if spans := recipe.chars or recipe.hangul:
            own = self._letters
            piece = own.hangul_run if recipe.hangul else f"[^{own.space}]+"
            blank = _literal(BLANKS[" "])
            found = f"extractAll(lowered, {_literal(piece)})"
            yield "padded", f"arrayMap(p -> concat({blank}, p, {blank}), {found})"
            tab = BLANKS["\t"] if recipe.ngrams is not None else ""
            tokens += [_of_piece(size, spans[0], tab) for size in range(spans[0], spans[1] + 1)]
        every = f"arrayConcat({', '.join(tokens)})"
        yield "tokens", f"arrayDistinct({every})" if recipe.binary else every

    @property
    def _letters(self) -> Letters:
        recipe = self.terms.recipe
        is_cut = recipe.preset == "words" and recipe.unspaced is not None
        return letters(lambda code: f"\\x{{{code:x}}}", is_cut=is_cut)

    def _lowered(self) -> Iterator[Part]:
        own, (capitals, small) = self._letters, lower_case()
        final = _literal(own.final_sigma)
        last = f"replaceRegexpAll(decoded, {final}, '\\\\1{FINAL_SIGMA}\\\\2')"
        sigmas = f"if(position(decoded, '{SIGMA}') = 0, decoded, {last})"
        yield "sigmas", f"replaceAll({sigmas}, '{SIGMA}', '{SMALL_SIGMA}')"
        dotted = f"replaceAll(sigmas, '{DOTTED_I}', 'i\u0307')"
        table = f"{_literal(capitals)}, {_literal(small)}"
        yield "lowered", f"lower(translateUTF8({dotted}, {table}))"

    def _words(self) -> Iterator[Part]:
        recipe, own = self.terms.recipe, self._letters
        if recipe.preset == "sklearn":
            yield "every", f"extractAll(lowered, {_literal(f'[{own.word}][{own.word}]+')})"
        else:
            yield (
                "plain",
                "".join(["replaceAll(" * len(VARIATION), "lowered"])
                + "".join(f", '{c}', '')" for c in VARIATION),
            )
            found = f"extractAll(plain, {_literal(own.piece)})"
            yield "pieces", found
            yield "every", self._cut(own)
        stops = ", ".join(map(_literal, recipe.stop_words or ()))  # type: ignore[arg-type]
        yield "words", f"arrayFilter(w -> w not in ({stops}), every)" if stops else "every"

    def _cut(self, own: Letters) -> str:
        whole = "replaceAll(p, '\u2019', '\\'')"
        if not own.unspaced:
            return f"arrayMap(p -> {whole}, pieces)"
        assert self.terms.recipe.unspaced is not None
        low, high = self.terms.recipe.unspaced
        unit = f"extractAll(p, {_literal(f'[{own.unspaced}][{own.mark}]*')})"
        # In the order of the text: of each start, the short ones first.
        grams = (
            f"arrayFlatten(arrayMap(u -> arrayMap(i -> arrayMap(k -> arrayStringConcat("
            f"arraySlice(u, i, k)), range(least({low}, toInt64(length(u))), "
            f"toInt64(least({high}, length(u) - i + 1)) + 1)), "
            f"range(1, toInt64(length(u)) - least({low}, toInt64(length(u))) + 2)), [{unit}]))"
        )
        is_run = f"match(p, {_literal(f'^[{own.unspaced}]')})"
        return f"arrayFlatten(arrayMap(p -> if({is_run}, {grams}, [{whole}]), pieces))"


def _decoded() -> Iterator[Part]:
    """HTML entities as the characters that they stand for."""
    values = entity_values()
    names, texts = (f"[{', '.join(map(_literal, each))}]" for each in (values, values.values()))
    found = f"match(given, {_literal(ENTITY)})"
    pieces = _literal(f"{without_groups(ENTITY)}|[^&]+|&")
    yield "parts", f"if({found}, extractAll(given, {pieces}), [given])"
    yield (
        "named",
        f"arrayMap(p -> if(startsWith(p, '&'), extract(p, {_literal(f'^{ENTITY}$')}), ''), parts)",
    )
    number = "reinterpretAsUInt64(reverse(unhex(leftPad(substring(n, 3, length(n) - 3), 16, '0'))))"
    yield (
        "codes",
        f"arrayMap(n -> multiIf(substring(n, 1, 2) in ('#x', '#X'), toInt64({number}), "
        "startsWith(n, '#'), toInt64(substring(n, 2, length(n) - 2)), -1), named)",
    )
    key = "if(c < 0, n, concat('#', toString(c)))"
    other = f"if(c < 0, p, {_character('c')})"
    value = f"transform({key}, {names}, {texts}, {other})"
    yield (
        "decoded",
        f"arrayStringConcat(arrayMap((p, n, c) -> if(n = '', p, {value}), parts, named, codes))",
    )


def _character(code: str) -> str:
    """The character of a code point, as UTF-8."""
    sixes = [f"bitAnd(bitShiftRight({code}, {6 * i}), 63) + 128" for i in range(3)]
    first = f"bitShiftRight({code}, {{}}) + {{}}"
    return (
        f"multiIf({code} between 55296 and 57343 or {code} > 1114111, '\ufffd', "
        f"{code} < 128, char({code}), "
        f"{code} < 2048, char({first.format(6, 192)}, {sixes[0]}), "
        f"{code} < 65536, char({first.format(12, 224)}, {sixes[1]}, {sixes[0]}), "
        f"char({first.format(18, 240)}, {sixes[2]}, {sixes[1]}, {sixes[0]}))"
    )


def _grams(size: int) -> str:
    """The word n-grams of one size."""
    if size == 1:
        return "words"
    gram = f"arrayStringConcat(arraySlice(words, i, {size}), {_literal(BLANKS[' '])})"
    return f"arrayMap(i -> {gram}, range(1, greatest(1, toInt64(length(words)) - {size - 2})))"


def _of_piece(size: int, least: int, tab: str) -> str:
    """The n-grams of one size of the pieces: of a piece that is too short, the piece."""
    grams = (
        f"arrayMap(i -> concat({_literal(tab)}, substringUTF8(p, i, {size})), "
        f"range(1, greatest(1, toInt64(lengthUTF8(p)) - {size - 1}) + 1))"
    )
    pieces = "padded" if size == least else f"arrayFilter(p -> lengthUTF8(p) >= {size}, padded)"
    return f"arrayFlatten(arrayMap(p -> {grams}, {pieces}))"


def _blanked(name: str) -> str:
    """A feature's name as a token without white space."""
    return "".join(BLANKS.get(c, c) for c in name)


def _literal(value: Label) -> str:
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _quoted(name: str) -> str:
    return ".".join(
        "`" + part.replace("\\", "\\\\").replace("`", "\\`") + "`" for part in name.split(".")
    )
