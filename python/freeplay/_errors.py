# SPDX-License-Identifier: Apache-2.0
"""How Freeplay says no: the exceptions of the engine under the same names, with the same words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Sequence

if TYPE_CHECKING:
    from ._result import Result


@dataclass(frozen=True)
class Issue:
    """One mistake in a model: where, what was found and expected, what may have been meant."""

    file: str
    line: int
    column: int
    path: str
    message: str
    hint: str
    fatal: bool = True

    def __str__(self) -> str:
        place = ":".join([self.file] * bool(self.file) + [str(n) for n in (self.line, self.column) if n > 0])
        return ((f"{place}: " if place else "") + (f"{self.path}: " if self.path else "") + self.message
                + (f" ({self.hint})" if self.hint else ""))


class ModelError(ValueError):
    """The model is wrong; `issues` lists every mistake at once, each with its place.

    >>> import freeplay as fp
    >>> try:
    ...     fp.loads("[bodies.rod]\\nmass = 1\\ninertai = 1").check()
    ... except fp.ModelError as error:
    ...     print(error.issues[0].path, "-", error.issues[0].hint)
    bodies.rod.inertai - did you mean 'inertia'?
    """

    def __init__(self, issues: Sequence[Issue]) -> None:
        super().__init__(list(issues))
        self.issues: list[Issue] = list(issues)

    def __str__(self) -> str:
        return "\n".join(map(str, self.issues))


class AssemblyError(ValueError):
    """No pose satisfies the joints of the mechanism."""


class IoError(OSError):
    """A file could not be read or written."""


class PathError(KeyError, AttributeError):
    """There is nothing of that name; the message says what may have been meant."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class SimulationError(RuntimeError):
    """A `Simulator` could not do what it was asked; it stays where it was."""


class RunFailed(RuntimeError):
    """Raised by `run(check=True)` for a run that did not get there. `result` holds the motion up to then."""

    def __init__(self, result: "Result") -> None:
        super().__init__(result.trouble)
        self.result = result

    def __reduce__(self) -> tuple[type, tuple["Result"]]:
        return type(self), (self.result,)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run. `result` holds the motion up to then."""

    def __init__(self, result: "Result | None" = None) -> None:
        super().__init__("interrupted" + (f" at t = {result.summary['time']:.9g} s" if result else ""))
        self.result = result


class ModelWarning(UserWarning):
    """Something in a model is legal but suspicious, or its start had to be changed."""


class RunWarning(UserWarning):
    """A run did not get there, or saw what should not be."""
