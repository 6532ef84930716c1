"""Explaining a call: what it would do and why, without a network and without a secret."""

from engine.explain.explanation import Explanation, describe

__all__ = ["Explanation", "describe"]
