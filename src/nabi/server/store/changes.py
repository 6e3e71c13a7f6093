"""Changes that a store takes, and the outcome of a submission."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Learn:
    """Learn a text with its label.

    Parameters
    ----------
    text, label : str
        The document and its class.
    id : str, optional
        A name of the example that no other has (default: a random one).
    subject : str, optional
        The person whose data it is, by which it can be forgotten.
    source : str, optional
        Where the example comes from: a file, a queue.
    audit : bool
        Whether the text was chosen from the pool by chance: see `nabi.server.labelling`.
    """

    text: str
    label: str
    id: str | None = None
    subject: str | None = None
    source: str | None = None
    audit: bool = False


@dataclass(frozen=True, slots=True)
class Relabel:
    """Give an example another label."""

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class Forget:
    """Forget examples, and erase them from the disk: by id, by exact text, or by subject.

    Exactly one of `id`, `text` and `subject` is given. With `text`, `label` restricts to one class,
    and `copies` says how many: "one" (the latest) or "all".
    """

    id: str | None = None
    text: str | None = None
    label: str | None = None
    subject: str | None = None
    copies: str = "all"


@dataclass(frozen=True, slots=True)
class Undo:
    """Take a change back: the state becomes that of a replay without it.

    `position` is that of the entry (default: all entries of the last submission of the same `who`
    that is not undone). An undo can be undone; forgetting cannot.
    With `own`, changes of somebody else are refused, and changes of examples that somebody else has
    relabelled since.
    """

    position: int | None = None
    own: bool = False


@dataclass(frozen=True, slots=True)
class Rename:
    """Rename a class to a name that no class has."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Join:
    """Move all examples of some classes into one, which may be one of them or new."""

    labels: tuple[str, ...]
    into: str


@dataclass(frozen=True, slots=True)
class Drop:
    """Drop a class: its examples are no longer counted. Undo brings them back; see Forget."""

    label: str


@dataclass(frozen=True, slots=True)
class PoolText:
    """A text that waits for a label, or with `label` one that has it already."""

    text: str
    id: str | None = None
    subject: str | None = None
    source: str | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class AddTexts:
    """Add texts to the pool; those that are there already, but for case and white space, are not.

    What has a label is also learned.
    """

    texts: tuple[PoolText, ...]


@dataclass(frozen=True, slots=True)
class RemoveTexts:
    """Remove texts without a label from the pool: all, or those of a source."""

    source: str | None = None


@dataclass(frozen=True, slots=True)
class Skip:
    """Do not ask this person about a text of the pool; with `undo`, ask again."""

    id: str
    undo: bool = False


@dataclass(frozen=True, slots=True)
class Second:
    """A second person's label of a text that another has labelled; it is not learned."""

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class SetProject:
    """Keep the settings of the labelling project."""

    settings: Mapping[str, object]


Change = (
    Learn | Relabel | Forget | Undo | Rename | Join | Drop
    | AddTexts | RemoveTexts | Skip | Second | SetProject
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Key:
    """An idempotency key: a second submission with it gets the outcome of the first.

    `body` is what was asked, in bytes; another body under the same key is refused. The journal
    keeps keyed digests of both.
    """

    key: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Allowance:
    """The most new words and new classes that a `who` may bring in all; None: any number."""

    words: int | None = None
    classes: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """The new words and new classes that a `who` has brought so far."""

    words: int = 0
    classes: int = 0


@dataclass(frozen=True, slots=True)
class Receipt:
    """Proof of forgetting: a keyed digest of what was forgotten, the position and the time.

    `digest` is that of the lines that DIR/receipts.jsonl holds for the position.
    """

    digest: str
    position: int
    time: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a submission.

    Attributes
    ----------
    position : int
        Of the last entry; a view at this position or later holds the changes.
    ids : tuple of str or None
        The id of each Learn and Relabel, in order; None for one that was forgotten since
        (when an idempotency key asks again).
    forgotten, undone, moved : int
        The number of examples forgotten, of changes undone, and of examples that changed class.
    receipt : Receipt, optional
        Of what was forgotten.
    added, duplicates, removed : int
        The number of texts that came to the pool, that were there already, and that left it.
    """

    position: int
    ids: tuple[str | None, ...] = ()
    forgotten: int = 0
    undone: int = 0
    moved: int = 0
    receipt: Receipt | None = None
    added: int = 0
    duplicates: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Example:
    """An example as it is now.

    `label` is None where it is not counted (undone, or its class was dropped); `taught` is the
    label that it was learned with, `position` that of its learn entry.
    """

    position: int
    id: str
    text: str
    label: str | None
    taught: str
    time: float
    who: str
    subject: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """Which examples: those that fulfil all conditions given.

    Parameters
    ----------
    contains : str, optional
        A part of the text, whatever the case of ASCII letters.
    text, id, label, subject, source, who : str, optional
        Exactly this.
    counted : bool, optional
        Only examples that are counted (default), that are not (False), or both (None).
    """

    contains: str | None = None
    text: str | None = None
    id: str | None = None
    label: str | None = None
    subject: str | None = None
    source: str | None = None
    who: str | None = None
    counted: bool | None = True


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a store: for `/readyz` and `/metrics`."""

    position: int  # of the view that predicts
    head: int  # of the journal, durable
    queued: int  # submissions that wait
    examples: int  # that are counted
    classes: Mapping[str, int] = field(default_factory=dict)  # examples by class
    read_only: str | None = None  # the reason, after a failed write
    snapshot: int = 0  # the position of the last snapshot
    scrub_due: bool = False  # something was forgotten since the last scrub
