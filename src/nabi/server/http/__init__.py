"""HTTP: an ASGI app over a store or a model file, and the uvicorn server that runs it."""
