"""Case files: arguments, upstream answers and the result that is right, as data."""

from engine.cases.runner import KEY, Outcome, Played, judge, play, run

__all__ = ["KEY", "Outcome", "Played", "judge", "play", "run"]
