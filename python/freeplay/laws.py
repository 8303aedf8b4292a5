# SPDX-License-Identifier: Apache-2.0
"""The laws of every catalogue, callable on arrays: `fp.laws.contact["flores"].force(depth=..., rate=..., approach=...)`.

`contact`, `friction`, `film`, `transition` and `bushing` are the catalogues of `freeplay laws`. A law by itself has the
parameters and the site of its worked samples; call it to choose others, by the keys of the model file:

>>> import freeplay as fp
>>> law = fp.laws.contact["lankarani-nikravesh"](stiffness="6.61e10 N/m^1.5", restitution=0.9)
>>> law.force(depth=[1e-6, 1e-5], rate=0.1, approach=0.2).round(1)
array([  70.8, 2239.2])

A law of your own is a formula with what it names:

>>> own = fp.laws.contact["expression"](force="K*d^1.5*(1 + b*v/v0)", K="6.61e10 N/m^1.5", b=0.1425)
>>> own.force(depth=[1e-6, 1e-5], rate=0.1, approach=0.2).round(1)
array([  70.8, 2239.2])
"""

from __future__ import annotations

from typing import Any, Callable, Generic, Iterator, Mapping, Optional, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._errors import PathError
from ._own import OwnLaw as OwnLaw
from ._own import own as own
from ._result import Array

L = TypeVar("L", bound="Law")


def _flat(*values: ArrayLike) -> tuple[list[Array], tuple[int, ...]]:
    """Broadcast against each other and laid out one after the other; and their common shape."""
    arrays = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in values))
    return [np.ascontiguousarray(a).ravel() for a in arrays], arrays[0].shape


def _shaped(values: Array, shape: tuple[int, ...]) -> Any:
    return values.reshape(shape) if shape else float(values.ravel()[0])


class Law:
    """A law of a catalogue with its parameters. `parameters` are its keys with unit, bounds, default; `__doc__` its table."""

    kind = ""

    def __init__(self, entry: Mapping[str, Any], given: Optional[Mapping[str, Any]] = None) -> None:
        self._entry, self.given = entry, dict(given or {})
        self.key: str = entry["key"]
        self.title: str = entry["title"]
        self.__doc__ = entry["text"]

    @property
    def parameters(self) -> dict[str, dict[str, Any]]:
        """What the law can be given: unit, doc, min, max, default, required."""
        return {p["key"]: {k: v for k, v in p.items() if k != "key"} for p in self._entry["parameters"]}

    def __repr__(self) -> str:
        given = "".join(f", {k}={v!r}" for k, v in self.given.items())
        return f"<{self.kind} law '{self.key}'{given}>"

    def _repr_markdown_(self) -> str:
        return f"```\n{self.__doc__}\n```"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.kind, self.key, self.given)


def _again(kind: str, key: str, given: dict[str, Any]) -> "Law":
    law: Any = globals()[kind][key]
    made: Law = law(**given) if given else law
    return made


class _Placed(Law):
    """A law that needs a site: the keys of the site stand beside its own."""

    SITE: tuple[str, ...] = ()

    def _parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        own = {k: v for k, v in self.given.items() if k not in self.SITE or k in self.parameters}
        return own, {k: v for k, v in self.given.items() if k not in own}


class ContactLaw(_Placed):
    """A normal contact law: force of depth, rate of approach and approach speed at the first touch."""

    kind = "contact"
    SITE = ("composite_modulus", "outer_radius", "inner_radius", "length", "face_half_width", "mass", "spherical",
            "external_curvature")

    def __init__(self, entry: Mapping[str, Any], given: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(entry, given)
        self._core = _core.PreparedContact(self.key, *self._parts())

    def __call__(self, **keys: Any) -> "ContactLaw":
        """The law with these parameters. A site (composite_modulus, outer_radius, inner_radius, length, mass, spherical ...)
        is what a stiffness is derived from where the law is not given one; without any it is that of the samples."""
        return ContactLaw(self._entry, {**self.given, **keys})

    def force(self, depth: ArrayLike, rate: ArrayLike = 0.0, approach: ArrayLike = 1.0, mass_ratio: float = 1.0) -> Any:
        """Force, N: depth > 0 is penetration (m), rate > 0 approach (m/s), `approach` the speed at the first touch (m/s)."""
        (d, v, v0), shape = _flat(depth, rate, approach)
        return _shaped(self._core.force(d, v, v0, mass_ratio), shape)

    def elastic(self, depth: ArrayLike) -> Any:
        """The part of the force that is kept as energy; N."""
        (d,), shape = _flat(depth)
        return _shaped(self._core.elastic(d), shape)

    def potential(self, depth: ArrayLike) -> Any:
        """The energy kept; J."""
        (d,), shape = _flat(depth)
        return _shaped(self._core.potential(d), shape)

    @property
    def derived(self) -> dict[str, tuple[float, str]]:
        """What the law worked out for its site: value and unit."""
        return self._core.derived()


class FrictionLaw(Law):
    """A friction law, along a line. Bristle laws have `states` numbers of memory for each contact, three per bristle."""

    kind = "friction"

    def __init__(self, entry: Mapping[str, Any], given: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(entry, given)
        self._core = _core.PreparedFriction(self.key, self.given)
        self.states: int = self._core.states()

    def __call__(self, **keys: Any) -> "FrictionLaw":
        """The law with these parameters."""
        return FrictionLaw(self._entry, {**self.given, **keys})

    def force(self, velocity: ArrayLike, load: ArrayLike = 1.0, bristles: Optional[ArrayLike] = None,
              load_rate: ArrayLike = 0.0) -> Any:
        """Force on the inner part (N) at slip velocities (m/s) under loads (N); bristles [..., states] default to zero."""
        return self._evaluate(velocity, load, bristles, load_rate)[0]

    def rate(self, velocity: ArrayLike, load: ArrayLike = 1.0, bristles: Optional[ArrayLike] = None,
             load_rate: ArrayLike = 0.0) -> Array:
        """Rate of the bristles [..., states]; m/s."""
        return self._evaluate(velocity, load, bristles, load_rate)[1]

    def _evaluate(self, velocity: ArrayLike, load: ArrayLike, bristles: Optional[ArrayLike],
                  load_rate: ArrayLike) -> tuple[Any, Array]:
        (v, n, n_dot), shape = _flat(velocity, load, load_rate)
        z = np.zeros((v.size, self.states))
        if bristles is not None:
            z[...] = np.broadcast_to(np.asarray(bristles, dtype=float), shape + (self.states,)).reshape(z.shape)
        force, rate = self._core.force(v, n, n_dot, z)
        return _shaped(force, shape), rate.reshape(shape + (self.states,))

    def bound(self, speed: ArrayLike) -> Any:
        """The largest friction over load that the law can give at a speed."""
        (v,), shape = _flat(speed)
        return _shaped(self._core.bound(v), shape)


class FilmLaw(_Placed):
    """An oil film: of a journal in its bearing, or of a ball in its socket (`spherical`)."""

    kind = "film"
    SITE = ("radius", "clearance", "length")

    def __init__(self, entry: Mapping[str, Any], given: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(entry, given)
        self._prepared: Optional[_core.PreparedFilm] = None

    @property
    def _core(self) -> "_core.PreparedFilm":
        if self._prepared is None:    # a law that is solved numerically may take seconds
            self._prepared = _core.PreparedFilm(self.key, *self._parts())
        return self._prepared

    def __call__(self, **keys: Any) -> "FilmLaw":
        """The law with these parameters, at a site: radius, clearance, and the length of a bearing."""
        law = FilmLaw(self._entry, {**self.given, **keys})
        law._core
        return law

    @property
    def spherical(self) -> bool:
        return self._core.spherical()

    @property
    def derived(self) -> dict[str, tuple[float, str]]:
        """What the law worked out for its site: value and unit."""
        return self._core.derived()

    def force(self, e: ArrayLike, e_dot: ArrayLike = 0.0, spin: ArrayLike = 0.0, spin_outer: ArrayLike = 0.0) -> Array:
        """Force of the oil on the inner part (N): [..., 2] for eccentricities [..., 2] (m) of a journal, their rates (m/s) and
        the spins of journal and bearing (rad/s); for a ball all of them are [..., 3]."""
        return self._evaluate(e, e_dot, spin, spin_outer)[..., :3 if self.spherical else 2]

    def torque(self, e: ArrayLike, e_dot: ArrayLike = 0.0, spin: ArrayLike = 0.0, spin_outer: ArrayLike = 0.0) -> Array:
        """Torque on the inner part, about its own centre; N m. [...] of a journal, [..., 3] of a ball."""
        out = self._evaluate(e, e_dot, spin, spin_outer)
        return out[..., 3:6] if self.spherical else out[..., 2]

    def _evaluate(self, e: ArrayLike, e_dot: ArrayLike, spin: ArrayLike, spin_outer: ArrayLike) -> Array:
        n = 3 if self.spherical else 2
        place = np.asarray(e, dtype=float)
        if place.ndim == 0 or place.shape[-1] != n:
            raise ValueError(f"e: expected {n} numbers a point")
        shape = np.broadcast_shapes(place.shape, np.shape(e_dot))
        if self.spherical:
            parts = [place, e_dot, spin_outer, spin]
            shape = np.broadcast_shapes(shape, np.shape(spin), np.shape(spin_outer))
            motion = np.concatenate([np.broadcast_to(np.asarray(p, dtype=float), shape) for p in parts], axis=-1)
            return self._core.ball(motion.reshape(-1, 12)).reshape(shape[:-1] + (9,))
        lead = np.broadcast_shapes(shape[:-1], np.shape(spin), np.shape(spin_outer))
        motion = np.concatenate(
            [np.broadcast_to(place, lead + (2,)), np.broadcast_to(np.asarray(e_dot, dtype=float), lead + (2,)),
             np.broadcast_to(np.asarray(spin_outer, dtype=float), lead)[..., None],
             np.broadcast_to(np.asarray(spin, dtype=float), lead)[..., None]], axis=-1)
        return self._core.journal(motion.reshape(-1, 6)).reshape(lead + (4,))


class TransitionLaw(Law):
    """Between oil and dry contact."""

    kind = "transition"

    def __call__(self, **keys: Any) -> "TransitionLaw":
        """The law with these parameters."""
        return TransitionLaw(self._entry, {**self.given, **keys})

    def shares(self, eccentricity: ArrayLike, clearance: float) -> tuple[Any, Any]:
        """How much of the film's force and of the dry force counts at an eccentricity (m)."""
        (e,), shape = _flat(eccentricity)
        film, dry = _core.transition_shares(self.key, self.given, e, float(clearance))
        return _shaped(film, shape), _shaped(dry, shape)


class BushingLaw(Law):
    """Rubber, along a line."""

    kind = "bushing"

    def __call__(self, **keys: Any) -> "BushingLaw":
        """The law with these parameters."""
        return BushingLaw(self._entry, {**self.given, **keys})

    def force(self, displacement: ArrayLike, rate: ArrayLike = 0.0) -> Any:
        """Force on the inner part; N, of m and m/s."""
        (e, e_dot), shape = _flat(displacement, rate)
        return _shaped(_core.bushing_force(self.key, self.given, e, e_dot), shape)


class Catalogue(Mapping[str, L], Generic[L]):
    """The laws of one kind by their keys."""

    def __init__(self, kind: str, list_of: Callable[[], list[dict[str, Any]]], law: Callable[[Mapping[str, Any]], L]) -> None:
        self.kind, self._list_of, self._law = kind, list_of, law
        self._entries: Optional[dict[str, dict[str, Any]]] = None

    def _known(self) -> dict[str, dict[str, Any]]:
        if self._entries is None:
            self._entries = {e["key"]: e for e in self._list_of()}
        return self._entries

    def __getitem__(self, key: str) -> L:
        if key not in self._known():
            said = _core.did_you_mean(str(key), list(self._known()))
            raise PathError(f"there is no {self.kind} law '{key}'" + (f"; {said}" if said else ""))
        return self._law(self._known()[key])

    def __iter__(self) -> Iterator[str]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())

    def __repr__(self) -> str:
        return f"<{len(self)} {self.kind} laws: {', '.join(self)}>"


contact = Catalogue("contact", _core.contact_catalogue, ContactLaw)
friction = Catalogue("friction", _core.friction_catalogue, FrictionLaw)
film = Catalogue("film", _core.film_catalogue, FilmLaw)
transition = Catalogue("transition", _core.transition_catalogue, TransitionLaw)
bushing = Catalogue("bushing", _core.bushing_catalogue, BushingLaw)
