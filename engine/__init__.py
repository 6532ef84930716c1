"""The interpreter: reads a ledger of tools and answers MCP calls with it; it knows no server."""

__version__ = "0.1.0"
