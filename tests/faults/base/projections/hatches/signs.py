"""Hatches of the variant that is not the default."""


def named(row, context):
    """A sign with its name.

    In Python because the test needs one in a variant.
    """
    return {"name": row.get("title")}
