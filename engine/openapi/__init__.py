"""OpenAPI documents beside the catalogue: comparing them with it, and drafting entries from them."""
