"""A model in a browser: the kernel as WebAssembly, and a page that works offline."""

from nabi.engines.web.export import WebExport, web_export

__all__ = ["WebExport", "web_export"]
