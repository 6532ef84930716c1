"""Invented people: cast and crew."""

from __future__ import annotations

from dataclasses import dataclass

FIRST_ID = 1_710_001

_NAMES = (
    "Ottoline Varga", "Bram Castellane", "Ysolde Marchetti", "Tobiah Okonjo-Lind", "Maren Ashgrove",
    "Leopold Quill", "Saoirse Wetherby", "Iñaki Belmonde", "Perpetua Lowe", "Casimir Thorne",
    "Noor Halvorsen", "Wilhelmina Draper-Roux", "Ezekiel Marsh", "Zdeňka Pralinová",
    "Fitzgerald Umber", "Anneliese Kordt", "Dashiell Renn", "Oluwaseun Tidewell",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Person:
    """A TMDB person."""

    id: int
    name: str

    @property
    def image(self) -> str:
        """A TMDB-relative portrait path."""
        return f"/person{self.id}.jpg"


def everyone() -> dict[int, Person]:
    """All people by id."""
    people = (Person(FIRST_ID + 17 * index, name) for index, name in enumerate(_NAMES))
    return {person.id: person for person in people}


def person_id(index: int) -> int:
    """The id of the n-th person, counted round."""
    return FIRST_ID + 17 * (index % len(_NAMES))
