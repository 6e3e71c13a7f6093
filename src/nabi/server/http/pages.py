"""Pages for people: files of `page/`, by Starlette, which knows about ETags and traversal."""

from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from nabi.report.web.modules import SHARED
from nabi.server.http.access import PAGE_HEADERS
from nabi.server.http.refusal import Refusal

FOLDER = Path(__file__).parent / "page"
ALIASES = {"/": "/index.html", "/docs": "/docs.html"}


class Pages:
    """An ASGI app that sends the files of folders, as one, with strict headers."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._files = StaticFiles(directory=folder, packages=[SHARED])

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Send a file."""

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *PAGE_HEADERS]
            await send(message)

        path = ALIASES.get(scope["path"], scope["path"])
        try:
            await self._files({**scope, "path": path}, receive, with_headers)
        except HTTPException as error:
            raise Refusal(404, "no_such_path", "there is no such page; see /docs") from error
