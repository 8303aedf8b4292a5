# SPDX-License-Identifier: Apache-2.0
"""Hundreds of wrong calls: each raises a Python exception that says something, none ends the process, and afterwards
everything works as before."""

import itertools
import math

import numpy as np
import pytest

import freeplay as fp

CRANK = "examples/07_clearance/slider_crank.toml"
ODD = [None, True, 0, -1, 3.5, math.nan, math.inf, -math.inf, 10**400, "", "x", "\0", "é" * 1000, b"bytes", [], {}, (), [[]], {"a": {}},
       {1: 2}, object(), lambda: 0, type, Ellipsis, 1j, np.array([1.0, 2.0]), np.array([]), np.zeros((2, 2, 2)), np.array(["a"]),
       {"law": None}, [1, "x"], "1 mm", "1/0", "1e400", "1e", range(3), slice(1), set(), float]


def must_raise(call):
    """Runs the call. Whatever it makes of the argument, an exception is an exception; says whether there was one."""
    try:
        call()
    except Exception as error:        # noqa: BLE001: which one is looked at below
        assert str(error) or repr(error)
        assert not isinstance(error, SystemError)
        return True
    return False


@pytest.fixture(scope="module")
def run():
    return fp.load(CRANK, set={"simulation.duration": "1 ms"}).run()


def calls(run):
    """Every odd value in every place that a user may put one."""
    model = fp.load(CRANK, set={"simulation.duration": "1 ms"})
    law, film = fp.laws.contact["flores"], fp.laws.film["short-bearing"]
    simulator = fp.Simulator(model)
    bearing = dict(diameter="30 mm", clearance="30 um", length="15 mm", speed="3000 rpm", viscosity="20 mPa s", ratio=[0.5])

    def changed(path, value):
        twin = model.copy()
        twin[path] = value
        twin.check()

    def built(**keys):
        k = fp.Mechanism("k", planar=True, gravity=(0, 0))
        k.body("a", **{"mass": 1, "inertia": 1, **keys})
        k.simulation.duration = 1
        k.check()

    places = {
        "load": lambda v: fp.load(v),
        "loads": lambda v: fp.loads(v).check(),
        "open": lambda v: fp.open(v),
        "set path": lambda v: model.copy()[v],
        "set radial": lambda v: changed("joints.pin.clearance.radial", v if v is not None else {}),
        "set bodies": lambda v: changed("joints.pin.bodies", v),
        "set mass": lambda v: changed("bodies.crank.mass", v),
        "set section": lambda v: changed("joints", v if v is not None else 1),
        "set law": lambda v: changed("joints.pin.clearance.contact.law", v),
        "set list": lambda v: changed("joints.pin.at.0", v if v not in (0, -1, 3.5, True) else "m"),
        "build": lambda v: built(position=v if v is not None else 1),
        "series": lambda v: run[v],
        "uniform": lambda v: run.uniform[v],
        "at time": lambda v: run.at(v if v not in (0, True) and not isinstance(v, float) else -1, "bodies/slider/position"),
        "at path": lambda v: run.at(1e-3, v),
        "extremes": lambda v: run.extremes(v),
        "figure": lambda v: run.figure("/tmp/x.svg", v),
        "save": lambda v: run.save(v if v not in ("x", "1 mm", "1/0", "1e400", "1e", "é" * 1000) else "/nowhere/x.h5"),
        "law": lambda v: fp.laws.contact[v],
        "law parameter": lambda v: law(restitution=v if v not in (True, 1) else "a"),
        "law depth": lambda v: law.force(v, rate=[1, 2, 3, 4, 5, 6, 7]),
        "film": lambda v: film.force(v if not (isinstance(v, np.ndarray) and v.shape[-1:] == (2,)) else 0),
        "bearing": lambda v: fp.bearing(**{**bearing, "clearance": v if not (isinstance(v, (float, int)) and v > 0) else -1}),
        "bearing law": lambda v: fp.bearing(**{**bearing, "law": v}),
        "vary": lambda v: model.sweep({"joints.pin.clearance.radial": v if not isinstance(v, (list, range, np.ndarray)) else "q"},
                                      ["contacts"]),
        "observe": lambda v: model.sweep({"joints.pin.clearance.radial": [1e-4]}, v),
        "study kind": lambda v: model.study(v, {"joints.pin.clearance.radial": [1e-4]}, ["contacts"]),
        "study file": lambda v: fp.study(v),
        "input": lambda v: simulator.set(v, 1),
        "advance": lambda v: simulator.advance(v if v not in (0, True, 3.5) else -1),
        "restore": lambda v: simulator.restore(v),
        "column": lambda v: simulator[v],
        "quantity": lambda v: fp.quantity(v if isinstance(v, str) else "1 m", "s"),
        "simulator": lambda v: fp.Simulator(v),
        "reproduce": lambda v: fp.reproduce(v if not isinstance(v, str) or v else "x"),
    }
    for (place, call), value in itertools.product(places.items(), ODD):
        yield place, value, (lambda call=call, value=value: call(value))


# What is right after all: an odd value in a place that can make sense of it.
FINE = {
    "set path": [""], "set radial": [0, "1 mm"], "set mass": [3.5], "set law": [None], "set list": ["1 mm"],
    "build": [np.array([1.0, 2.0])], "at time": [[], (), [[]], np.array([])], "bearing": ["1 mm"],
    "law depth": [None, True, 0, -1, 3.5, math.nan, math.inf, -math.inf, "1e400"],
}


@pytest.mark.filterwarnings("ignore")
def test_odd_values_in_every_place(run):
    raised, quiet = 0, {}
    for place, value, call in calls(run):
        if must_raise(call):
            raised += 1
        else:
            quiet.setdefault(place, []).append(repr(value))
    assert raised > 1300
    assert quiet == {place: [repr(v) for v in values] for place, values in FINE.items()}
    again = fp.load(CRANK, set={"simulation.duration": "1 ms"}).run()
    assert all(np.array_equal(again[p], run[p]) for p in run)


def test_arguments_that_are_missing_or_too_many(run):
    model = fp.load(CRANK)
    for call in (fp.load, fp.loads, fp.open, model.run, run.at, run.save, fp.Simulator, fp.Study, fp.bearing, fp.study, model.sweep,
                 model.fit, fp.laws.contact["flores"].force, run.extremes, fp.quantity):
        with pytest.raises(TypeError):
            call(1, 2, 3, 4, 5, 6, 7, 8)
        with pytest.raises(TypeError):
            call(nonsense=1, more=2)


def test_dead_objects(run):
    s = fp.Simulator(fp.load(CRANK), record=True)
    s.finish()
    for call in (lambda: s.time, lambda: s.advance(1), lambda: s.step(), lambda: s.snapshot(), lambda: s["time"], lambda: s.save(),
                 lambda: s.finish(), lambda: s.inputs, lambda: s.set("a", 1), lambda: s.schedule(1)):
        with pytest.raises((ValueError, KeyError)):
            call()
    from freeplay import _core
    for made in (_core.ReadyModel, _core.MemoryResult):
        with pytest.raises(TypeError):
            made()
    broken = fp.Result.__new__(fp.Result)
    with pytest.raises(AttributeError):
        broken["time"]


def test_what_is_read_only_stays_so(run):
    for array in (run.time, run["bodies/slider/position"], run.uniform.time, run.impacts):
        with pytest.raises(ValueError):
            array[0] = 0
    with pytest.raises((ValueError, RuntimeError)):
        run.time.flags.writeable = True
