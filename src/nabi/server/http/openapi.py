"""The OpenAPI document, made of the endpoints and their types by defspec."""

from collections.abc import Iterable
from typing import Any

import msgspec
from defspec import OpenAPI, OpenAPIComponent, OpenAPIInfo, SecuritySchemeHTTP

from nabi.server.http.endpoint import Endpoint
from nabi.server.http.shapes import ErrorAnswer

ABOUT = "Predict, explain, learn, correct and forget. See docs/server.md of nabi."
TEXT = {"schema": {"type": "string"}}
KEYED = "With the header Idempotency-Key, a second request gets the answer of the first."


def document(endpoints: Iterable[Endpoint], version: str) -> dict[str, Any]:
    """Return the OpenAPI document of some endpoints."""
    schemes = {"token": SecuritySchemeHTTP(scheme="bearer")}
    api = OpenAPI(
        openapi="3.1.0",
        info=OpenAPIInfo(title="nabi", description=ABOUT, version=version),
        components=OpenAPIComponent(security_schemes=schemes),  # type: ignore[arg-type]
        security=[{"token": []}],
    )
    listed = list(endpoints)
    for endpoint in listed:
        _add(api, endpoint)
    found: dict[str, Any] = api.to_dict()
    for endpoint in listed:
        operation = found["paths"][endpoint.path][endpoint.method.lower()]
        _complete(operation, endpoint, found["components"]["schemas"])
    (error,), more = msgspec.json.schema_components(
        (ErrorAnswer,), ref_template="#/components/schemas/{name}"
    )
    found["components"]["schemas"] |= more
    found["components"]["responses"] = {"error": {"description": "A refusal.", **_json(error)}}
    return found


def _add(api: OpenAPI, endpoint: Endpoint) -> None:
    is_json = endpoint.content_type == "application/json"
    api.register_route(
        endpoint.path,
        endpoint.method,
        summary=endpoint.summary,
        request_type=endpoint.body,
        response_type=endpoint.answer if is_json else str,
        response_content_type=endpoint.content_type.split(";")[0],
        query_type=endpoint.query,
        operation_id=f"{endpoint.run.__name__}",
        security=[] if endpoint.role is None else None,
    )


def _complete(operation: dict[str, Any], endpoint: Endpoint, schemas: dict[str, Any]) -> None:
    """Add what defspec does not know: refusals, required bodies, files, idempotency keys."""
    if endpoint.role is not None:
        operation["description"] = f"For tokens of the role {endpoint.role}, or a higher one."
    if endpoint.body is not None:
        operation["requestBody"]["required"] = True
        _add_one_of(schemas[endpoint.body.__name__], endpoint.body.ONE_OF)
    if endpoint.keyed:
        operation["description"] += f" {KEYED}"
    for kind in endpoint.files:
        operation["responses"]["200"]["content"][kind] = TEXT
    refused = {"$ref": "#/components/responses/error"}
    operation["responses"] |= {"4XX": refused, "5XX": refused}


def _add_one_of(schema: dict[str, Any], names: tuple[str, ...]) -> None:
    if names:
        schema["oneOf"] = [{"required": [name]} for name in names]


def _json(schema: Any) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}
