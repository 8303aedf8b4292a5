# SPDX-License-Identifier: Apache-2.0
"""Laws of a program: what numba or ctypes compiled, or plain Python, behind the C interface of plug-ins."""

from __future__ import annotations

import math
import sys
import time
from typing import Any, Callable, Mapping, NoReturn, Optional, Union, overload

from . import _core

#: The arguments of each kind of law, in the order of freeplay/plugin.h.
ARGUMENTS = {
    "contact": ("d", "v", "v0", "mass", "modulus", "radius", "length"),
    "friction": ("v", "load"),
    "wear": ("k", "p", "v", "shear", "h"),
}
Unit = Union[str, tuple[str, float]]

_registered: dict[tuple[str, str], "OwnLaw"] = {}


def allow_plugins(allowed: bool = True) -> None:
    """Lets this process open the compiled plug-ins that models name; they can do whatever you can. Off until it is called."""
    _core.allow_plugins(bool(allowed))


class OwnLaw:
    """A law of this program, made by `own`. Call it with the numbers of its parameters for the table of a model:
    `m.joints.pin.clearance.contact = law(K="1e10 N/m^1.5")`."""

    def __init__(self, kind: str, name: str, function: Any, parameters: Mapping[str, Unit], exact: bool, doc: str) -> None:
        if kind not in ARGUMENTS:
            raise ValueError(f"a law of contact, friction or wear, not '{kind}'")
        self.kind, self.name, self.parameters, self.exact = kind, name, dict(parameters), exact
        self.__doc__ = doc or type(self).__doc__
        address = _address(function)
        arguments = [] if address else _arguments(function, kind, self.parameters)
        listed = []
        for key, unit in self.parameters.items():
            unit, fallback = unit if isinstance(unit, tuple) else (unit, math.nan)
            listed.append((str(key), str(unit), "", float(fallback), -math.inf, math.inf))
        try:
            self._core = _core.RegisteredLaw(kind, name, doc, listed, exact, address, function, arguments, len(ARGUMENTS[kind]))
        except ValueError as error:
            raise ValueError(str(error)) from None
        self.compiled = address != 0
        _registered[kind, name] = self

    def __call__(self, **numbers: Any) -> dict[str, Any]:
        """The table that a model takes: the law with these numbers."""
        return {"law": "plugin", "plugin": f"@{self.name}", **numbers}

    @property
    def calls(self) -> int:
        """How often plain Python was asked so far, by all threads; 0 of compiled code."""
        return self._core.calls()

    @property
    def seconds(self) -> float:
        """How long that took, the wait for the interpreter included; s."""
        return self._core.seconds()

    def __repr__(self) -> str:
        spent = "compiled" if self.compiled else f"{self.calls} calls, {self.seconds:.3g} s"
        return f"<{self.kind} law '@{self.name}' of this program, {spent}>"


@overload
def own(kind: str, *, name: Optional[str] = None, parameters: Optional[Mapping[str, Unit]] = None,
        exact: bool = False) -> Callable[[Any], OwnLaw]: ...


@overload
def own(kind: str, function: Any, *, name: Optional[str] = None, parameters: Optional[Mapping[str, Unit]] = None,
        exact: bool = False) -> OwnLaw: ...


def own(kind: str, function: Any = None, *, name: Optional[str] = None, parameters: Optional[Mapping[str, Unit]] = None,
        exact: bool = False) -> Any:
    """Makes a law of `kind` ("contact", "friction" or "wear") of a function of this program; without one, a decorator.

    `parameters` are its numbers with their units, `{"K": "N/m^1.5"}`, or with unit and default, `{"b": ("1", 0.3)}`. The
    function is

    - plain Python. Its arguments are called as in formulas (contact: d, v, v0, mass, modulus, radius, length; friction: v, load;
      wear: k, p, v, shear, h), those it uses, and as its parameters. It returns the force, the coefficient or the rate in SI; with
      `exact=True` also the derivatives by the first two arguments of its kind. About a microsecond a call, one thread at a time;
      `calls` and `seconds` of the law, and `law_time` of a result, tell what that costs.
    - compiled, with the signature `freeplay_evaluate` of freeplay/plugin.h: a numba `cfunc`, a ctypes function pointer, or an
      address. Threads do not wait for each other.

    A model names the law by `plugin = "@NAME"`, which a call of it writes. Another law of that kind and name replaces it.

    >>> import freeplay as fp
    >>> @fp.laws.own("contact", parameters={"K": "N/m^1.5", "b": ("1", 0.15)})
    ... def rubber(d, v, v0, K, b):
    ...     return K * d**1.5 * (1 + b * v / v0)
    >>> m = fp.load("examples/07_clearance/slider_crank.toml", set={"simulation.duration": "2 ms"})
    >>> m.joints.pin.clearance.contact = rubber(K="6.61e10 N/m^1.5")
    >>> r = m.run()
    >>> r.status, rubber.calls > 100, 0 < r.law_time["rubber"] < 1
    ('done', True, True)
    """
    def made(function: Any) -> OwnLaw:
        _address(function)      # is it one at all?
        called = name or getattr(function, "__name__", "")
        if not called or called == "<lambda>":
            raise ValueError("a law needs a name: own(..., name=\"my_law\")")
        doc = getattr(function, "__doc__", None) if hasattr(function, "__code__") else None
        return OwnLaw(kind, called, function, parameters or {}, exact, doc or "")
    return made if function is None else made(function)


def _address(function: Any) -> int:
    """Where compiled code is; 0 of what is not compiled."""
    if isinstance(function, bool) or function is None:
        raise TypeError(f"a function, or the address of one, not {function!r}")
    if isinstance(function, int):
        if not 0 < function < 2**64:
            raise ValueError("an address of compiled code is a positive number")
        return function
    if "ctypes" in sys.modules:
        import ctypes
        if isinstance(function, getattr(ctypes, "_CFuncPtr")):
            address = ctypes.cast(function, ctypes.c_void_p).value
            if not address:
                raise ValueError("the function pointer is null")
            return address
    address = getattr(function, "address", None)        # numba.cfunc
    if isinstance(address, int) and address > 0:
        return address
    if not callable(function):
        raise TypeError(f"a function, or the address of one, not {function!r}")
    return 0


def _arguments(function: Callable[..., Any], kind: str, parameters: Mapping[str, Unit]) -> list[int]:
    """Where the arguments of a Python function stand among the numbers of its kind and the parameters."""
    import inspect
    known = [*ARGUMENTS[kind], *parameters]
    out = []
    for argument in inspect.signature(function).parameters.values():
        if argument.kind not in (argument.POSITIONAL_ONLY, argument.POSITIONAL_OR_KEYWORD):
            raise TypeError(f"'{argument.name}': a law takes plain arguments, {', '.join(known)}")
        if argument.name not in known:
            said = _core.did_you_mean(argument.name, known)
            raise TypeError(f"a {kind} law knows no '{argument.name}'" + (f"; {said}" if said else ""))
        out.append(known.index(argument.name))
    return out


class Watch:
    """What the laws in plain Python cost while something ran, and what they raised."""

    def __init__(self) -> None:
        self._laws = [law for law in _registered.values() if not law.compiled]
        self._before = [law.seconds for law in self._laws]
        self._start = time.perf_counter()

    def shares(self) -> dict[str, float]:
        """Of the time since then, law by law that was asked."""
        passed = max(time.perf_counter() - self._start, 1e-9)
        return {law.name: (law.seconds - before) / passed
                for law, before in zip(self._laws, self._before) if law.seconds > before}

    @staticmethod
    def raised() -> Optional[BaseException]:
        """What a law raised since it was asked last."""
        found = None
        for law in _registered.values():
            error = law._core.take_raised()
            found = found or error
        return found


def reraise(error: BaseException) -> NoReturn:
    """Goes on with an exception of the engine, or with what a law raised, which led to it."""
    cause = Watch.raised()
    if cause is not None:
        raise cause from error
    raise error
