"""JMESPath, compiled to closures: the one expression language of the catalogue."""

from engine.expressions.expression import Expression, ExpressionFault, compile  # noqa: A004

__all__ = ["Expression", "ExpressionFault", "compile"]
