"""Put the parts of a server together: a store or a model file, its endpoints, its document."""

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version

import msgspec

from nabi.server.http.app import App
from nabi.server.http.call import Call, Service
from nabi.server.http.endpoint import Endpoint
from nabi.server.http.openapi import document
from nabi.server.http.pages import Pages
from nabi.server.http.routes import operations, predicting


def app_of(service: Service) -> App:
    """Return the app of a service; one with a store also learns and forgets."""
    endpoints = [*predicting.ENDPOINTS, *operations.ENDPOINTS]
    if service.store is not None:
        from nabi.server.http.routes import (
            drift,
            examples,
            exports,
            judging,
            labelling,
            pool,
            teaching,
            trying,
        )

        groups = (teaching, examples, judging, pool, labelling, trying, drift, exports)
        endpoints += [endpoint for group in groups for endpoint in group.ENDPOINTS]
    return App(service, [*endpoints, _openapi(endpoints)], Pages())


def _openapi(endpoints: Sequence[Endpoint]) -> Endpoint:
    @cache
    def written() -> bytes:
        return msgspec.json.encode(document(endpoints, version("nabi")))

    def openapi(call: Call) -> bytes:
        """Describe the API."""
        return written()

    return Endpoint("GET", "/openapi.json", openapi, None)
