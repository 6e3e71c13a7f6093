"""`nabi serve`."""

from functools import partial
from pathlib import Path

from click import UsageError

from nabi.cli.options import common as o
from nabi.cli.options.declare import argument, flag, option
from nabi.cli.options.place import STORE, place_or_none
from nabi.cli.show.address import announce, log_to_screen
from nabi.errors import MissingExtraError


def serve(
    model: str | None = argument(
        "A model file to serve read-only (or --data).", "MODEL", required=False
    ),
    *,
    data: str | None = option(
        "The data directory of a server that learns; made if it is not there.", "DIR"
    ),
    store: str | None = STORE,
    port: int = option("Port; 0 is any that is free.", "P", default=8765, least=0),
    host: str = option("Address to listen at.", "HOST", default="127.0.0.1"),
    watch: bool = flag("Read MODEL again when the file changes."),
    cert: str | None = option("Certificate (PEM), for TLS.", "FILE"),
    key: str | None = option("Private key of the certificate (PEM).", "FILE"),
    insecure_http: bool = flag(
        "Listen at a network address without TLS: behind a proxy.", first=False
    ),
    name: list[str] = option(
        "Another name by which clients call the server; may be repeated.", "NAME", default=()
    ),
    token_file: str | None = option(
        "File of the token (default: DIR/token, or MODEL.token).", "FILE", first=False
    ),
    open_page: bool = flag("Open the page in a browser.", name="--open"),
    max_upload: int = option(
        "Megabytes of a file that is uploaded.", "MB", default=1024, least=1, first=False
    ),
    max_body: int = option("Megabytes of a request.", "MB", default=16, least=1, first=False),
    max_texts: int = option("Texts in a request.", "N", default=10_000, least=1, first=False),
    max_text: int = option("Characters of a text.", "N", default=1_048_576, least=1, first=False),
    max_connections: int = option("Connections at once.", "N", default=1000, least=1, first=False),
    max_words: int = option(
        "New words that one token may bring.", "N", default=10_000_000, least=0, first=False
    ),
    max_classes: int = option(
        "New classes that one token may bring.", "N", default=1000, least=0, first=False
    ),
    out: o.Output,
) -> None:
    """Answer by HTTP: predict and explain, and with --data also learn, correct and forget.

    The token that clients need is in DIR/token; of a --store that several servers share, make some
    by `nabi store token add`. See docs/server.md and docs/team.md.

    ```
    nabi serve --data mail-data --port 8765
    nabi serve mail.nabi --watch
    nabi serve mail.nabi --host ::1 --cert cert.pem --key key.pem
    ```
    """
    place = place_or_none(data, store) if model is None or data or store else None
    if (model is None) == (place is None):
        raise UsageError("Either a MODEL to serve as it is, or --data DIR to learn into.")
    if watch and model is None:
        raise UsageError("--watch is for a MODEL; what --data learns is used at once.")
    try:
        from nabi.server.http.limits import MB, Limits
        from nabi.server.http.start import Settings, start
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"`nabi serve` needs {error.name}", "server") from None
    limits = Limits(
        body=max_body * MB,
        upload=max_upload * MB,
        texts=max_texts,
        text=max_text,
        connections=max_connections,
        new_words=max_words,
        new_classes=max_classes,
    )
    settings = Settings(
        model=model,
        data=place,
        watch=watch,
        host=host,
        port=port,
        names=tuple(name),
        cert=cert,
        key=key,
        insecure=insecure_http,
        token_file=None if token_file is None else Path(token_file),
        limits=limits,
    )
    log_to_screen()
    start(settings, partial(announce, out, opens=open_page))
