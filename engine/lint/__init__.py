"""Lint: everything that can be known of a catalogue without calling an upstream."""

from engine.lint.rulebook import RULES, Rule, check, findings

__all__ = ["RULES", "Rule", "check", "findings"]
