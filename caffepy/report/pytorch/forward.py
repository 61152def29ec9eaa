"""Steps as the statements of a method.

A value that the next statement alone reads stays inside an expression, or is called x.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from caffepy.report.pytorch.lines import statement, wrapped
from caffepy.report.pytorch.names import shown, unused
from caffepy.report.pytorch.step import Module, Step

WIDTH = 88
"""Columns of an expression around another one."""
PASSING = ("x", "y", "z", "t")
"""Names of values that the next statement reads and no other."""
LOOP = 3
"""Helper modules in a row that make a loop."""
LARGE = 3
"""Modules in a helper module of which a loop is made."""


@dataclass
class _Pending:
    """An expression that has no name yet."""

    value: int
    text: str
    last: int  # the step that it ends with
    comment: str


class Method:
    """Writes the statements of one method."""

    def __init__(
        self,
        steps: Sequence[Step],
        names: Mapping[int, str],
        *,
        attribute: Callable[[Module], str],
        wish: Callable[[int], str],
        results: Collection[int],
        taken: Collection[str] = (),
        original: Callable[[Step], str] = lambda step: step.name,
    ) -> None:
        """``names``: of the values that come from outside. ``attribute``: of a module.

        ``wish``: a name for a value that stays.
        ``taken``: names that no value may have. ``original``: Caffe's name of a layer, for a
        comment.
        """
        self._steps, self.names, self._attribute, self._wish = (
            list(steps),
            dict(names),
            attribute,
            wish,
        )
        self._results, self._taken, self._original = set(results), set(taken), original
        self._reads = Counter(value for step in steps for value in step.inputs)
        self._last = {value: i for i, step in enumerate(steps) for value in step.inputs}
        for value in results:
            self._reads[value] += 1
            self._last[value] = len(steps)
        self.lines: list[str] = []
        self._pending: _Pending | None = None

    def write(self) -> Method:
        """Write the statements, without a return."""
        i = 0
        while i < len(self._steps):
            run = self._loop_at(i)
            if run >= LOOP:
                self._loop(i, run)
                i += run
            else:
                self._step(i)
                i += 1
        return self

    def give_back(self, values: Sequence[int]) -> list[str]:
        """The statements, with a return of these values."""
        pending, self._pending = self._pending, None
        if pending and list(values) == [pending.value]:
            return [*self.lines, *statement(f"return {pending.text}", pending.comment)]
        self._pending = pending
        self._flush()
        return [
            *self.lines,
            *statement(f"return {', '.join(self.names[value] for value in values)}"),
        ]

    def finish(self) -> None:
        """Give every value its name."""
        self._flush()

    def _step(self, i: int) -> None:
        step, pending = self._steps[i], self._pending
        known = dict(self.names)
        if (
            pending
            and step.nests
            and step.inputs
            and step.inputs[0] == pending.value
            and self._reads[pending.value] == 1
        ):
            known[pending.value] = pending.text
            text = self._code(step, known)
            if len(text) <= WIDTH:
                self._pending = _Pending(step.outputs[0], text, i, pending.comment)
                return
        self._flush()
        text = self._code(step, self.names)
        comment = self._comment(step)
        if len(step.outputs) == 1:
            self._pending = _Pending(step.outputs[0], text, i, comment)
            return
        called = []
        for value in step.outputs:
            called.append(self._name(value, i) if self._reads[value] else "_")
            self.names[value] = called[-1]
        self.lines += statement(f"{', '.join(called)} = {text}", comment)

    def _code(self, step: Step, names: Mapping[int, str]) -> str:
        module = self._attribute(step.module) if step.module else ""
        return step.code.format(*(names[value] for value in step.inputs), m=module)

    def _comment(self, step: Step) -> str:
        """Caffe's name of a layer that is no attribute."""
        return "" if step.module or not step.layers else shown(self._original(step))

    def _flush(self) -> None:
        """Give the expression a name."""
        pending, self._pending = self._pending, None
        if pending is None:
            return
        name = self._name(pending.value, pending.last)
        self.names[pending.value] = name
        self.lines += statement(
            f"{name} = {pending.text}", "" if pending.comment == name else pending.comment
        )

    def _live(self, after: int) -> set[str]:
        """Names of values that a step behind this one reads."""
        return {name for value, name in self.names.items() if self._last.get(value, -1) > after}

    def _name(self, value: int, made: int) -> str:
        """``x`` for what the next statement alone reads, else the blob's name."""
        live = self._live(made)
        if self._last.get(value, 0) <= made + 1 and value not in self._results:
            for name in PASSING:
                if name not in live and name not in self._taken:
                    return name
        everywhere = {name for name in self.names.values() if name not in PASSING}
        return unused(self._wish(value), live | everywhere | self._taken | set(PASSING))

    def _loop_at(self, i: int) -> int:
        """How many steps from here on are helper modules of one class in a row.

        Each reads the one before it, and is its only reader.
        """
        first = self._steps[i]
        if first.module is None or len(first.module.children) < LARGE or first.code != "{m}({0})":
            return 1
        if (
            self.names.get(first.inputs[0], PASSING[0]) not in PASSING
            or self._reads[first.inputs[0]] > 1
        ):
            return 1
        run = 1
        for before, step in zip(self._steps[i:], self._steps[i + 1 :]):
            alone = self._reads[before.outputs[0]] == 1 and step.inputs == before.outputs
            if not (
                alone
                and step.module
                and step.module.cls == first.module.cls
                and step.code == first.code
            ):
                break
            run += 1
        return run

    def _loop(self, i: int, run: int) -> None:
        self._flush()
        end = i + run - 1
        name = self.names[self._steps[i].inputs[0]]
        blocks = [self._attribute(step.module) for step in self._steps[i : end + 1] if step.module]
        self.lines += wrapped("for block in (", blocks, "):")
        self.lines.append(f"    {name} = block({name})")
        self.names[self._steps[end].outputs[0]] = name
