"""An embedded ErsatzTV with an invented library: `create_app` gives a fresh one as an ASGI app."""

from .app import create_app

__all__ = ["create_app"]
