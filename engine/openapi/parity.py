"""Parity: does a tool take exactly what its endpoint takes, by the server's own OpenAPI document?

An omitted body field of a full replace is written as empty, and an undeclared query parameter cannot
be reached at all: both are found here before anybody loses a setting.  OpenAPI 3.0 and 3.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from engine.bind import Binding
from engine.contract import Input
from engine.errors import Finding
from engine.forms import Form
from engine.model import Json, Route, Source
from engine.openapi.endpoints import Document, Endpoint, Field, alike
from engine.openapi.schematics import differences, kind_of
from engine.plan import Operation, Plan

Fields: TypeAlias = Mapping[str, Form]


def findings(plans: Iterable[Plan], document: Json) -> list[Finding]:
    """What the plans of one server and its document say differently, in the order of the tools.

    Steps are held to their routes only: they choose what they ask for.  What is not JSON is not in
    such a document, and a body or route that is made by Python or by a table cannot be compared.
    """
    known = Document(document)
    if not known.paths:
        return [Finding("", "", "the document has no paths", "is it OpenAPI 3 in JSON?")]
    return [
        finding
        for plan in plans
        for operation in plan.operations
        for finding in _operation(plan, operation, known)
    ]


def _operation(plan: Plan, operation: Operation, known: Document) -> Iterator[Finding]:
    for step in (*operation.before, *operation.after):
        yield from _route(step.binding, step.source, known)
    binding, source = operation.binding, operation.source
    if binding is None or binding.route is None or operation.format != "json":
        return
    endpoint = _endpoint(binding, known)
    if endpoint is None:
        yield from _route(binding, source, known)
        return
    compared = _Comparison(plan, operation, known)
    yield from compared.path(binding, endpoint, source.at("path"))
    yield from compared.fields(binding.query, endpoint.query, source.at("query"))
    yield from compared.body(binding, endpoint, source.at("body"))


def _route(binding: Binding, source: Source, known: Document) -> Iterator[Finding]:
    if binding.route is not None and _endpoint(binding, known) is None:
        problem = f"the document has no {binding.route}"
        yield Finding(source.file, f"{source.key}.route", problem)


def _endpoint(binding: Binding, known: Document) -> Endpoint | None:
    """The endpoint of a request; a word of our own labels may be two segments of its path."""
    route = binding.route
    if route is None:
        return None
    longer = route.path
    for name, form in binding.path.items():
        if form.word == "wire":
            longer = longer.replace(f"{{{name}}}", f"{{{name}}}/{{{name}}}")
    return known.endpoint(route) or known.endpoint(Route(route.verb, longer))


class _Comparison:
    """Compares one operation with its endpoint."""

    def __init__(self, plan: Plan, operation: Operation, known: Document) -> None:
        self._operation = operation
        self._known = known
        # Where a null counts as not given, none is ever sent and the document's own say nothing.
        self._nulls = plan.server.policy.nulls == "send"
        # Under the envelope policy a tool says on purpose what of an endpoint it offers.
        self._whole = plan.server.policy.result == "verbatim"

    def path(self, binding: Binding, endpoint: Endpoint, source: Source) -> Iterator[Finding]:
        """Types of placeholders: their names need not agree, their places do."""
        path = binding.route.path if binding.route else ""
        for at, part in enumerate(path.strip("/").split("/")):
            name, field = part.strip("{}"), endpoint.path.get(at)
            # Whatever is sent in a path is text.
            if part == f"{{{name}}}" and field is not None and field.kind.word != "string":
                form = binding.path.get(name)
                given = self._input(form) if form else self._operation.inputs.get(name)
                yield from self._types(given, field, source.at(name))

    def body(self, binding: Binding, endpoint: Endpoint, source: Source) -> Iterator[Finding]:
        """The members of a JSON body."""
        if endpoint.body is None:
            if binding.body is not None:
                yield _finding(source, "the endpoint takes no body")
        elif binding.body is None:
            yield _finding(source, "the endpoint takes a body, and none is sent")
        elif binding.body.word == "object" and endpoint.body.members is not None:
            sent = dict(zip(binding.body.members, binding.body.parts, strict=True))
            fields = {
                name: Field(name, kind, required=name in endpoint.body.required)
                for name, kind in endpoint.body.members.items()
            }
            yield from self.fields(sent, fields, source)

    def fields(self, sent: Fields, taken: Mapping[str, Field], source: Source) -> Iterator[Finding]:
        """Query parameters, or members of a body: exactly these, with these types."""
        for name in sent:
            if name not in taken:
                near = alike(name, taken)
                yield _finding(source.at(name), "the endpoint does not take this", near)
        for name, field in taken.items():
            if name in sent:
                given = self._input(sent[name])
                yield from self._types(given, field, source.at(name))
                yield from self._required(given, field, source.at(name))
            elif self._whole or field.required:
                yield _finding(source.at(name), "the endpoint takes this, and it cannot be sent")

    def _types(self, given: Input | None, field: Field, source: Source) -> Iterator[Finding]:
        if given is not None:
            ours = kind_of(given.accepts)
            for place, problem in differences(ours, field.kind, nulls=self._nulls):
                yield _finding(Source(source.file, source.key + place), problem)

    def _required(self, given: Input | None, field: Field, source: Source) -> Iterator[Finding]:
        if given is not None and field.required and not given.required:
            yield _finding(source, "the endpoint requires this", "required = true")
        if given is not None and given.required and not field.required and self._whole:
            yield _finding(source, "the endpoint does not require this")

    def _input(self, form: Form) -> Input | None:
        """The input that a form passes on as it is, None for any other form."""
        name = form.inputs[0] if form.word == "input" else _read(form)
        return self._operation.inputs.get(name) if name else None


def _read(form: Form) -> str | None:
    """The input that an expression such as `input.name` reads and nothing else."""
    path: Sequence[str] = (form.expressions[0].dotted() or ()) if form.word == "expression" else ()
    return path[1] if len(path) == 2 and path[0] == "input" else None


def _finding(source: Source, problem: str, hint: str = "") -> Finding:
    return Finding(source.file, source.key, problem, hint)
