# SPDX-License-Identifier: Apache-2.0
import pickle
import re

import numpy as np
import pytest

import freeplay as fp


def test_the_worked_samples_of_flores():
    # src/laws/contact/flores.hpp: 1e-5 m, +-0.1 m/s, approach 0.2 m/s at the site of the samples
    law = fp.laws.contact["flores"]
    force = law.force(depth=1e-5, rate=[0.1, -0.1], approach=0.2)
    assert force == pytest.approx([2276.13523, 1904.52131], rel=1e-8)
    assert law.force(1e-5, 0.1, 0.2) == force[0] and law.force(-1e-5) == 0
    assert "Flores" in law.__doc__ and "restitution" in law.parameters


@pytest.mark.parametrize("key", list(fp.laws.contact))
def test_every_contact_law_on_arrays(key):
    law = fp.laws.contact[key]
    depth, rate = np.meshgrid(np.linspace(0, 2e-5, 7), np.linspace(-0.1, 0.1, 5))
    force = law.force(depth, rate, 0.2)
    assert force.shape == depth.shape and np.all(np.isfinite(force)) and np.all(force[depth == 0] == 0)
    energy = law.potential(np.linspace(0, 2e-5, 2001))
    elastic = law.elastic(np.linspace(0, 2e-5, 2001))
    assert np.trapz(elastic, dx=1e-8) == pytest.approx(energy[-1], rel=1e-3, abs=1e-12)
    assert isinstance(law.derived, dict)


@pytest.mark.parametrize("key", list(fp.laws.friction))
def test_every_friction_law_on_arrays(key):
    law = fp.laws.friction[key]
    speeds = np.linspace(-0.5, 0.5, 11)
    assert law.force(speeds, 100).shape == (11,)
    assert law.rate(speeds, 100).shape == (11, law.states)
    assert np.all(law.force(speeds[speeds > 0], 100) <= 0)
    if law.states == 0:
        assert np.all(np.abs(law.force(speeds, 100)) <= 100 * law.bound(speeds) * (1 + 1e-12))


def test_laws_of_your_own():
    law = fp.laws.contact["expression"](force="K*d^1.5*(1 + 3/4*(1 - e^2)*v/v0)", K="6.61e10 N/m^1.5", e=0.9)
    twin = fp.laws.contact["lankarani-nikravesh"](stiffness=6.61e10, restitution=0.9)
    depth, rate = np.meshgrid(np.geomspace(1e-9, 1e-4, 20), np.linspace(-0.2, 0.2, 9))
    assert law.force(depth, rate, 0.2) == pytest.approx(twin.force(depth, rate, 0.2), rel=1e-14)
    assert law(e=1).force(1e-5, -0.1, 0.2) == law.elastic(1e-5)    # a parameter changed
    friction = fp.laws.friction["expression"](coefficient="mu*tanh(v/v1)", mu=0.1, v1="1 mm/s")
    speeds = np.linspace(-0.01, 0.01, 21)
    assert friction.force(speeds, 50) == pytest.approx(fp.laws.friction["tanh"].force(speeds, 50), rel=1e-13, abs=1e-15)
    with pytest.raises(ValueError, match="the force comes out in"):
        fp.laws.contact["expression"](force="K*d", K="1e10 N/m^1.5")
    with pytest.raises(ValueError, match="no parameter or variable 'x'"):
        fp.laws.contact["expression"](force="K*x", K=1)
    with pytest.raises(ValueError, match="vanish with the speed"):
        fp.laws.friction["expression"](coefficient="mu", mu=0.1)


def test_lugre_sample():
    # src/laws/friction/lugre.hpp
    law = fp.laws.friction["lugre"]
    assert law.force(1e-3, 100, [5e-7, 0, 0]) == pytest.approx(-11.72037881, rel=1e-8)
    assert law.rate(1e-3, 100, [5e-7, 0, 0])[0] == pytest.approx(5.776812017e-4, rel=1e-8)


@pytest.mark.parametrize("key", [k for k in fp.laws.film if "reynolds" not in k])
def test_films_in_closed_form(key):
    law = fp.laws.film[key]
    n = 3 if law.spherical else 2
    e = np.zeros((4, n))
    e[:, 0] = [0, 1e-5, 2e-5, 3e-5]
    force = law.force(e, np.eye(n)[0] * 1e-3, spin=100.0 if n == 2 else np.eye(3)[2] * 100)
    assert force.shape == (4, n) and np.all(force[1:, 0] < 0)
    assert law.torque(e, spin=100.0 if n == 2 else np.eye(3)[2]).shape == ((4,) if n == 2 else (4, 3))


def test_parameters_units_and_mistakes():
    law = fp.laws.contact["lankarani-nikravesh"](stiffness="6.61e10 N/m^1.5", restitution=0.9)
    assert law.force(1e-5) > 0 and law(restitution=0.5).given["stiffness"] == "6.61e10 N/m^1.5"
    derived = fp.laws.contact["hertz"](composite_modulus="113 GPa", outer_radius="10 mm", inner_radius="9.5 mm", mass=1)
    stiffness = next(iter(derived.derived.values()))[0]
    assert stiffness == pytest.approx(4 / 3 * 113e9 * np.sqrt(1 / (1 / 0.0095 - 1 / 0.01)), rel=1e-12)
    for wrong, kind, match in (
            (lambda: fp.laws.contact["flroes"], KeyError, "flores"),
            (lambda: law(restitutoin=1), (KeyError, TypeError), "restitution"),
            (lambda: law(restitution=1.4), ValueError, r"outside \[0"),
            (lambda: law(restitution="1 m"), ValueError, "not 1"),
            (lambda: law(restitution=object()), TypeError, "number"),
            (lambda: law.force("deep"), ValueError, ""),
            (lambda: law.force([1, 2], [1, 2, 3]), ValueError, ""),
            (lambda: fp.laws.friction["coulomb"](kinetic=-1), ValueError, "kinetic"),
            (lambda: fp.laws.film["short-bearing"](radius=0.01, clearance=-1, length=0.01), ValueError, ""),
            (lambda: fp.laws.film["short-bearing"].force([1, 2, 3]), ValueError, "2 numbers")):
        with pytest.raises(kind, match=match):
            wrong()


def test_laws_pickle_and_list_themselves():
    law = fp.laws.contact["flores"](restitution=0.5)
    assert pickle.loads(pickle.dumps(law)).force(1e-5, 0.1, 0.2) == law.force(1e-5, 0.1, 0.2)
    assert len(fp.laws.contact) >= 27 and len(fp.laws.friction) >= 12 and len(fp.laws.film) >= 11
    film, dry = fp.laws.transition["flores"].shares([100e-6, 100.5e-6, 102e-6], 100e-6)
    assert film == pytest.approx([1, 0.5, 0]) and dry == pytest.approx([0, 0.5, 1])
    assert fp.laws.bushing["radial"].force(1e-6, 1e-3) == pytest.approx(-236.06, rel=1e-6)


def test_the_bearing_chart_is_that_of_the_command_line(cli):
    import json
    keys = dict(diameter="30 mm", clearance="30 um", length="15 mm", speed="3000 rpm", viscosity="20 mPa s")
    arguments = [x for k, v in keys.items() for x in (f"--{k}", v)]
    said = json.loads(cli("bearing", *arguments, "--law", "short-bearing", "--json"))
    chart = fp.bearing(**keys)
    points = said["points"] if "points" in said else said
    assert len(points) == len(chart["ratio"])
    for name in ("load", "attitude", "sommerfeld", "torque"):
        if name in points[0]:
            assert chart[name].tolist() == [p[name] for p in points]
    one = fp.bearing(**keys, load=float(chart["load"][4]))
    assert one["ratio"] == pytest.approx(0.5, rel=1e-6)
    for wrong in (dict(load=-1), dict(ratio=2), dict(radius=1), dict(law="shrot-bearing"), dict(clearance="1 s")):
        with pytest.raises((ValueError, KeyError)):
            fp.bearing(**{**keys, **wrong})
    with pytest.raises(ValueError, match="carries"):
        fp.bearing(**keys, load="1e12 N")
