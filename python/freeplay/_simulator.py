# SPDX-License-Identifier: Apache-2.0
"""A mechanism that moves while a program watches and acts: control loops, learning, co-simulation."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from . import _core
from ._errors import PathError
from ._model import Model
from ._own import reraise
from ._result import Array, Channel, Result, component_names


class Simulator:
    """Steps a model; inputs are set from outside (`magnitude = { input = "torque" }` in the model).

    Steps are as long as accuracy allows and do not end where a call does: a motion cut into a thousand calls is the same to
    the last bit as one made in one go. An input that changes ends the step under way.

    >>> import freeplay as fp
    >>> k = fp.Mechanism("pendulum", planar=True, gravity=(0, -9.81))
    >>> k.body("bob", mass=1, inertia=0.02, position=(0, -0.5))
    >>> pin = k.revolute("pin", "ground", "bob", at=(0, 0))
    >>> k.effort("motor", "pin", {"input": "torque"})
    >>> k.simulation.duration = 5
    >>> s = fp.Simulator(k)
    >>> for sample in range(1000):                # holds the pendulum out at 1 rad
    ...     s.set("torque", 40 * (1 - s["joints/pin/coordinate"]) - 8 * s["joints/pin/rate"])
    ...     _ = s.advance(5e-3 * (sample + 1))
    >>> round(s["joints/pin/coordinate"], 2)
    0.9
    """

    def __init__(self, model: Model, record: bool = False) -> None:
        """`record` keeps everything for the `Result` that `finish` returns."""
        ready = model.ready()
        try:
            self._core = _core.Stepped(ready, record)
        except Exception as error:
            reraise(error)
        self._record = record
        self._channels = {c[0]: (Channel(*c[:5]), int(c[5])) for c in self._core.channels()}
        self._columns: dict[str, int] = {}

    @property
    def time(self) -> float:
        """s"""
        return self._core.time()

    @property
    def end(self) -> float:
        """Of the model's simulation, which bounds the time; s."""
        return self._core.end()

    # ---- moving

    def advance(self, to: float) -> str:
        """To an instant. Raises `SimulationError` when it cannot get there."""
        try:
            return self._core.advance(float(to), False)
        except Exception as error:
            reraise(error)

    def advance_to_event(self, to: float) -> str:
        """The same, but comes back right after the first event ("event") and at scheduled instants ("schedule")."""
        try:
            return self._core.advance(float(to), True)
        except Exception as error:
            reraise(error)

    def step(self) -> str:
        """To the end of a step of the integrator."""
        try:
            return self._core.step()
        except Exception as error:
            reraise(error)

    def schedule(self, time: float, period: float = 0) -> None:
        """An instant at which `advance_to_event` stops; with a period, again and again."""
        self._core.schedule(float(time), float(period))

    @property
    def events(self) -> Array:
        """What happened in the last call: time, joint, contact, kind, speed."""
        columns = self._core.events()
        names = columns.pop("names")
        for key, words in names.items():
            columns[key] = np.array(words or [""], dtype=np.str_)[columns[key]]
        table = np.empty(len(columns["time"]), dtype=[(k, v.dtype) for k, v in columns.items()])
        for key, values in columns.items():
            table[key] = values
        return table

    # ---- looking

    def column(self, path: str) -> int:
        """Where a number stands in `snapshot()`."""
        if path not in self._columns:
            column = self._core.column(path)
            if column < 0:
                known = [p for c, _ in self._channels.values()
                         for p in ([f"{c.path}.{n}" for n in component_names(c.width)] or [c.path])]
                guess = _core.nearest(path, known)
                raise PathError(f"there is no number '{path}'" + (f"; did you mean '{guess}'?" if guess else ""))
            self._columns[path] = column
        return self._columns[path]

    def __getitem__(self, path: str) -> Any:
        """A number or a vector of what the channels say now."""
        if path in self._channels and self._channels[path][0].width > 1:
            channel, offset = self._channels[path]
            return self.snapshot()[offset:offset + channel.width]
        return self._core.value(self.column(path))

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and (path in self._channels or self._core.column(path) >= 0)

    def snapshot(self) -> Array:
        """All channels now, one row of numbers."""
        return self._core.snapshot()

    def unit(self, path: str) -> str:
        """Unit of a channel."""
        whole = path if path in self._channels else path.rpartition(".")[0]
        if whole not in self._channels:
            self.column(path)
        return self._channels[whole][0].unit

    # ---- acting

    @property
    def inputs(self) -> Mapping[str, float]:
        """The inputs and what they are now."""
        return {name: self._core.input(name)[0] for name in self._core.inputs()}

    def set(self, input: str, value: float) -> None:
        """A force, torque or effort takes this value from now on."""
        self._core.set(input, float(value))

    def ramp(self, input: str, value: float, until: float, rate: float = 0) -> None:
        """Goes to a value, reached at `until`: forces on a straight line, drives by a cubic that ends with `rate`."""
        self._core.ramp(input, float(value), float(until), float(rate))

    # ---- memory

    def save(self) -> tuple[Any, ...]:
        """All that the simulator is now, as plain values, which pickle."""
        return self._core.save()

    def restore(self, saved: tuple[Any, ...]) -> None:
        """Goes on from there, to the last bit as it would have."""
        self._core.restore(saved)

    @property
    def summary(self) -> dict[str, Any]:
        """Totals so far, by the names of `Result.summary`."""
        return self._core.total()

    def finish(self) -> Result:
        """Closes the energy audit and returns what was recorded; afterwards nothing more can be done with the simulator."""
        if not self._record:
            raise ValueError("nothing was recorded; make it by Simulator(model, record=True)")
        return Result(self._core.finish())
