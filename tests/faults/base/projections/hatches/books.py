"""Hatches of the catalogue without a fault."""


def target(row, context):
    """The book that a hit means.

    In Python because the test needs a hatch.
    """
    return {"kind": "book", "id": row.get("id", 0)}


def outcome(row, context):
    """What became of a shop.

    In Python because the test needs another one.
    """
    return "completed"
