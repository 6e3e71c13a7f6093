"""The steps from a table of texts to a table of tokens, each a common table expression.

texts(doc, id, text) -> entities -> lower case -> pieces -> words -> n-grams -> tokens(doc, token)
"""

from collections.abc import Iterator
from dataclasses import dataclass

from nabi.engines.sql.dialects import Dialect, literal
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
from nabi.errors import InputError
from nabi.features.recipe import Features

ENTITY = "&(?:amp;)*(#[0-9]{1,10};|#[xX][0-9a-fA-F]{1,8};|[A-Za-z][A-Za-z0-9]{1,31};)"
REPLACEMENT = "\ufffd"
Step = tuple[str, str]  # the name of a table, and the query that makes it


def check_recipe(recipe: Features) -> None:
    """Refuse a recipe that no query can follow."""
    given = {
        f"the preset {recipe.preset!r}": recipe.preset == "tweets",
        "a tokenizer of your own": recipe.tokenizer is not None,
        "hash buckets": recipe.buckets is not None,
        "negation": recipe.negation,
        "strip_accents": recipe.strip_accents,
        f"the normal form {recipe.normalize}": recipe.normalize is not None,
        f"stems ({recipe.stem})": recipe.stem is not None,
        "Korean morphemes": recipe.korean,
    }
    for what, is_given in given.items():
        if is_given:
            raise InputError(
                f"SQL cannot express {what}: use nabi.engines.duckdb.register, which runs nabi "
                f"itself in DuckDB, or train without"
            )


@dataclass(frozen=True)
class Tokens:
    """The query's steps for a recipe, in a dialect; `entities` is the name of their table."""

    recipe: Features
    dialect: Dialect
    entities: str

    @property
    def steps(self) -> list[Step]:
        """The tables from `texts` to `tokens`, in order."""
        return [*self._decoded(), *self._lowered(), *self._words(), *self._characters(), self._all]

    @property
    def _letters(self) -> Letters:
        recipe = self.recipe
        is_cut = recipe.preset == "words" and recipe.unspaced is not None
        return letters(self.dialect.escape, is_cut=is_cut)

    # ---- entities ----

    def _decoded(self) -> Iterator[Step]:
        """HTML entities as the characters that they stand for."""
        if not self.recipe.entities:
            yield "decoded", "select doc, text from texts where text is not null"
            return
        with_entities = self.dialect.matches("text", ENTITY)
        yield "encoded", f"select doc, text from texts where {with_entities}"
        yield "parts", self.dialect.pieces("encoded", "text", f"{without_groups(ENTITY)}|[^&]+|&")
        name = self.dialect.group.format("piece", literal(f"^{ENTITY}$"))
        yield "named", f"select doc, pos, piece, {name} as name from parts"
        number = self.dialect.hexadecimal.format("substr(name, 3, length(name) - 3)")
        code = (
            f"case when name like '#x%' or name like '#X%' then {number}\n"
            "    when name like '#%' then cast(substr(name, 2, length(name) - 2) as bigint) end"
        )
        yield "coded", f"select doc, pos, piece, name, {code} as code from named"
        value = (
            "case when e.value is not null then e.value when c.code is null then c.piece\n"
            f"    when c.code between 55296 and 57343 or c.code > 1114111 then '{REPLACEMENT}'\n"
            "    else chr(cast(c.code as integer)) end"
        )
        yield (
            "decoded",
            f"select c.doc, string_agg({value}, '' order by c.pos) as text\n"
            f"  from coded c left join {self.entities} e\n"
            "    on e.name = coalesce('#' || cast(c.code as text), c.name) group by c.doc\n"
            "  union all select doc, text from texts "
            f"where text is not null and not {with_entities}",
        )

    # ---- lower case ----

    def _lowered(self) -> Iterator[Step]:
        """Small letters, as the kernel knows them; a sigma at the end of a word has its own."""
        if not self.recipe.lowercase:
            yield "lowered", "select doc, text from decoded"
            return
        capitals, small = lower_case()
        final = literal(self._letters.final_sigma)
        last = f"regexp_replace(text, {final}, '\\1{FINAL_SIGMA}\\2', 'g')"
        sigmas = f"replace({last}, '{SIGMA}', '{SMALL_SIGMA}')"
        text = f"case when text like '%{SIGMA}%' then {sigmas} else text end"
        dotted = f"replace({text}, '{DOTTED_I}', 'i\u0307')"
        lower = self.dialect.ascii_lower
        translated = lower.format(f"translate({dotted}, {literal(capitals)}, {literal(small)})")
        # Few texts have other capitals than A to Z, and to translate takes a while.
        has_capitals = self.dialect.matches("text", f"[{self._capitals(capitals)}]")
        yield (
            "lowered",
            f"select doc, case when {has_capitals} then {translated}\n"
            f"    else {lower.format('text')} end as text from decoded",
        )

    def _capitals(self, capitals: str) -> str:
        return "".join(self.dialect.escape(ord(c)) for c in sorted(capitals + SIGMA + DOTTED_I))

    # ---- words ----

    def _words(self) -> Iterator[Step]:
        """The table `words`: doc, place and word."""
        recipe = self.recipe
        if recipe.ngrams is None:
            return
        if recipe.preset == "sklearn":
            word = f"[{self._letters.word}]"
            yield "pieces", self.dialect.pieces("lowered", "text", f"{word}{word}+")
            yield "uncut", "select doc, pos, 1 as unit, 1 as size, piece as token from pieces"
        else:
            yield "plain", f"select doc, translate(text, '{VARIATION}', '') as text from lowered"
            yield "pieces", self.dialect.pieces("plain", "text", self._letters.piece)
            yield from self._cut()
        stops = ", ".join(map(literal, recipe.stop_words or ()))  # type: ignore[arg-type]
        kept = f" where token not in ({stops})" if stops else ""
        place = "row_number() over (partition by doc order by pos, unit, size) as place"
        place = "0 as place" if recipe.ngrams == (1, 1) else place
        yield "words", f"select doc, {place}, token from uncut{kept}"
        if recipe.ngrams != (1, 1):
            yield "grams", self._grams(*recipe.ngrams)

    def _cut(self) -> Iterator[Step]:
        """Words, and n-grams of letters in place of those of scripts without spaces."""
        own = self._letters
        word = "select doc, pos, 1 as unit, 1 as size, replace(piece, '\u2019', '''') as token"
        if not own.unspaced:
            yield "uncut", f"{word} from pieces"
            return
        assert self.recipe.unspaced is not None
        low, high = self.recipe.unspaced
        is_run = self.dialect.matches("piece", f"^[{own.unspaced}]")
        yield "runs", f"select doc, pos as run, piece from pieces where {is_run}"
        unit = f"[{own.unspaced}][{own.mark}]*"
        yield "units", self.dialect.pieces("runs", "piece", unit, "run")
        parts = [f"{word} from pieces where not {is_run}"]
        for size in range(low, high + 1):
            rest = [f"lead(piece, {i}) over w" for i in range(1, size)]
            parts.append(
                f"select * from (select doc, run, pos, {size}, {' || '.join(['piece', *rest])} "
                "as token\n    from units window w as (partition by doc, run order by pos)) n"
                " where token is not null"
            )
        if low > 1:  # a run that is too short counts as a whole
            parts.append(
                "select doc, run, 1, 1, string_agg(piece, '' order by pos) from units\n"
                f"    group by doc, run having count(*) < {low}"
            )
        yield "uncut", "\n  union all ".join(parts)

    def _grams(self, low: int, high: int) -> str:
        parts = []
        for size in range(low, high + 1):
            rest = [f"lead(token, {i}) over w" for i in range(1, size)]
            gram = " || ' ' || ".join(["token", *rest])
            parts.append(
                f"select * from (select doc, {gram} as token\n"
                "    from words window w as (partition by doc order by place)) n"
                " where token is not null"
            )
        return "\n  union all ".join(parts)

    # ---- n-grams of characters ----

    def _characters(self) -> Iterator[Step]:
        """The table `chars`: n-grams of pieces with a space at either end."""
        recipe, own = self.recipe, self._letters
        spans = recipe.chars or recipe.hangul
        if spans is None:
            return
        piece = own.hangul_run if recipe.hangul else f"[^{own.space}]+"
        yield "bare", self.dialect.pieces("lowered", "text", piece)
        yield "padded", "select doc, ' ' || piece || ' ' as piece from bare"
        low, high = spans
        tab = "chr(9) || " if recipe.ngrams is not None else ""
        parts = []
        for size in range(low, high + 1):
            shorter = "" if size == low else f"\n    where length(piece) >= {size}"
            numbers = self.dialect.numbers.format(1, f"greatest(1, length(piece) - {size - 1})")
            parts.append(
                f"select doc, {tab}substr(piece, cast(u.i as integer), {size}) as token\n"
                f"    from padded cross join {numbers}{shorter}"
            )
        yield "chars", "\n  union all ".join(parts)

    @property
    def _all(self) -> Step:
        recipe = self.recipe
        tables = []
        if recipe.ngrams is not None:
            tables.append("words" if recipe.ngrams == (1, 1) else "grams")
        if recipe.chars or recipe.hangul:
            tables.append("chars")
        return "tokens", " union all ".join(f"select doc, token from {table}" for table in tables)


def without_groups(regex: str) -> str:
    """The regular expression without its group: databases give the group in place of the match."""
    return regex.replace("*(#", "*(?:#")
