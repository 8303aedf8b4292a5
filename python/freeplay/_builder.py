# SPDX-License-Identifier: Apache-2.0
"""Mechanisms built in code, in the words of the model file: what a method is given are the keys of its table."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

from . import _core
from ._model import Model

Value = Union[float, str, Sequence[Any], dict[str, Any], bool]


class Joint:
    """A joint under construction: ideal until one of these says what it is really like."""

    def __init__(self, mechanism: "Mechanism", name: str) -> None:
        self._mechanism, self.name = mechanism, name

    def _put(self, key: str, value: Any) -> "Joint":
        self._mechanism._tree["joints"][self.name][key] = value
        self._mechanism._changed()
        return self

    def clearance(self, use: Optional[str] = None, **keys: Any) -> "Joint":
        """Play between the parts: `[joints.NAME.clearance]`; or the name of a table that `Mechanism.clearance` made."""
        return self._put("clearance", keys if use is None else {"use": use, **keys})

    def bushing(self, **keys: Any) -> "Joint":
        """Rubber in its place: `[joints.NAME.bushing]`."""
        return self._put("bushing", keys)

    def friction(self, **keys: Any) -> "Joint":
        """Friction of an ideal joint: `[joints.NAME.friction]`."""
        return self._put("friction", keys)

    def stop(self, **keys: Any) -> "Joint":
        """End stops of its coordinate: `[joints.NAME.stop]`."""
        return self._put("stop", keys)

    def drive(self, **keys: Any) -> "Joint":
        """Prescribes its motion: `[joints.NAME.drive]`."""
        return self._put("drive", keys)

    def speed(self, speed: Value) -> "Joint":
        """The speed it starts with."""
        return self._put("speed", speed)

    def __repr__(self) -> str:
        return f"joints.{self.name} = {self._mechanism._tree['joints'][self.name]!r}"


class Mechanism(Model):
    """A model that is built piece by piece; a `Model` in everything else.

    >>> import freeplay as fp
    >>> k = fp.Mechanism("pendulum", planar=True, gravity=(0, -9.81))
    >>> k.body("bob", mass=1, inertia="20 kg cm^2", position=(0, "-0.5 m"))
    >>> pin = k.revolute("pin", "ground", "bob", at=(0, 0)).speed("1 rad/s")
    >>> k.simulation.duration = "2 s"
    >>> k.check()["degrees_of_freedom"]
    1
    """

    _tree: dict[str, Any]

    def __init__(self, name: str = "", *, planar: bool = False, gravity: Optional[Value] = None, **parameters: Value) -> None:
        self.__dict__["_tree"] = {"mechanism": {"name": name, "planar": planar}}
        if gravity is not None:
            self._tree["mechanism"]["gravity"] = gravity
        if parameters:
            self._tree["parameters"] = dict(parameters)
        super().__init__(_core.ModelText("", name, "", [], True))
        self._changed()

    def _changed(self) -> None:
        changes = self._text.changes
        text = _core.ModelText(_core.toml(self._tree), self._text.name, "", changes, True)
        self.__dict__.update(_text=text, _ready=None)

    def add(self, section: str, name: str, /, **keys: Any) -> None:
        """A table `[SECTION.NAME]` of the model file."""
        entries = self._tree.setdefault(section, {})
        if name in entries:
            raise ValueError(f"there is a '{name}' in '{section}' already")
        entries[name] = {key: value for key, value in keys.items() if value is not None}
        try:
            self._changed()
        except TypeError:
            del entries[name]
            raise

    def parameter(self, **values: Value) -> None:
        """Named quantities, which any value may be computed from: `k.parameter(crank="50 mm")`."""
        self._tree.setdefault("parameters", {}).update(values)
        self._changed()

    def point(self, **points: Value) -> None:
        """Named points of the poses as written: `k.point(A=(0, 0), B="A + polar(50 mm, 30 deg)")`; then `at="A"`."""
        self._tree.setdefault("points", {}).update(points)
        self._changed()

    def body(self, name: str, **keys: Any) -> None:
        """A rigid body: mass, inertia, position ..."""
        self.add("bodies", name, **keys)

    def link(self, name: str, /, *points: Value, **keys: Any) -> None:
        """A uniform rod between two points, or a plate with three corners and more: `k.link("rod", "A", "B", mass=0.5)`."""
        self.add("bodies", name, link=list(points), **keys)

    def clearance(self, name: str, **keys: Any) -> None:
        """A table of play that joints use by its name: `joint.clearance("pin", radial="0.2 mm")`."""
        self.add("clearances", name, **keys)

    def marker(self, name: str, body: str, **keys: Any) -> None:
        """A frame on a body, whose motion is recorded."""
        self.add("markers", name, body=body, **keys)

    def joint(self, name: str, type: str, first: str, second: str, **keys: Any) -> Joint:
        """A joint of any type between two bodies; the first is the outer part."""
        self.add("joints", name, type=type, bodies=[first, second], **keys)
        return Joint(self, name)

    def fixed(self, name: str, first: str, second: str, **keys: Any) -> Joint:
        return self.joint(name, "fixed", first, second, **keys)

    def revolute(self, name: str, first: str, second: str, **keys: Any) -> Joint:
        return self.joint(name, "revolute", first, second, **keys)

    def prismatic(self, name: str, first: str, second: str, **keys: Any) -> Joint:
        return self.joint(name, "prismatic", first, second, **keys)

    def cylindrical(self, name: str, first: str, second: str, **keys: Any) -> Joint:
        return self.joint(name, "cylindrical", first, second, **keys)

    def spherical(self, name: str, first: str, second: str, **keys: Any) -> Joint:
        return self.joint(name, "spherical", first, second, **keys)

    def universal(self, name: str, first: str, second: str, **keys: Any) -> Joint:
        return self.joint(name, "universal", first, second, **keys)

    def planar(self, name: str, first: str, second: str, **keys: Any) -> Joint:
        return self.joint(name, "planar", first, second, **keys)

    def distance(self, name: str, first: str, second: str, **keys: Any) -> Joint:
        return self.joint(name, "distance", first, second, **keys)

    def point_on_line(self, name: str, first: str, second: str, **keys: Any) -> Joint:
        return self.joint(name, "point-on-line", first, second, **keys)

    def point_in_plane(self, name: str, first: str, second: str, **keys: Any) -> Joint:
        return self.joint(name, "point-in-plane", first, second, **keys)

    def point_on_curve(self, name: str, first: str, second: str, **keys: Any) -> Joint:
        return self.joint(name, "point-on-curve", first, second, **keys)

    def screw(self, name: str, first: str, second: str, **keys: Any) -> Joint:
        return self.joint(name, "screw", first, second, **keys)

    def rack(self, name: str, first: str, second: str, **keys: Any) -> Joint:
        return self.joint(name, "rack", first, second, **keys)

    def coupling(self, name: str, type: str, first: str, second: str, **keys: Any) -> None:
        """Two joint coordinates that move together: "gear" or "rack"."""
        self.add("couplings", name, type=type, joints=[first, second], **keys)

    def spring(self, name: str, **keys: Any) -> None:
        """Spring and damper, between two points or on a joint coordinate."""
        self.add("springs", name, **keys)

    def damper(self, name: str, **keys: Any) -> None:
        """A damper in series with a spring, between two points or on a joint coordinate."""
        self.add("dampers", name, **keys)

    def force(self, name: str, body: str, **keys: Any) -> None:
        """A force on a point of a body."""
        self.add("forces", name, body=body, **keys)

    def torque(self, name: str, body: str, **keys: Any) -> None:
        """A torque on a body."""
        self.add("torques", name, body=body, **keys)

    def signal(self, name: str, formula: str, **keys: Any) -> None:
        """What is measured: a formula of recorded quantities, other signals and time; filtered, delayed, sampled."""
        self.add("signals", name, formula=formula, **keys)

    def controller(self, name: str, law: str, **keys: Any) -> None:
        """What a controller makes of signals; efforts, forces and torques follow by `magnitude={"signal": name}`."""
        self.add("controllers", name, law=law, **keys)

    def effort(self, name: str, joint: str, magnitude: Any, **keys: Any) -> None:
        """A motor or actuator on a joint coordinate; `magnitude={"input": "torque"}` is set from outside."""
        self.add("efforts", name, joint=joint, magnitude=magnitude, **keys)
