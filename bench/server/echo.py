"""A bare ASGI echo on the same server, with the same JSON decoding: what there is to compare with.

python -m bench.server.echo
"""

import sys

import msgspec

from nabi.server.http.limits import Limits
from nabi.server.http.routes.predicting import Predict
from nabi.server.http.serving import listening, run

DECODER = msgspec.json.Decoder(Predict)


async def echo(scope, receive, send):
    body, more = b"", True
    while more:
        message = await receive()
        body += message["body"]
        more = message["more_body"]
    answer = msgspec.json.encode(DECODER.decode(body))
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


if __name__ == "__main__":
    listener = listening("127.0.0.1", 0)
    print(f"echo at http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    try:
        run(echo, listener, limits=Limits())
    except KeyboardInterrupt:
        sys.exit(0)
