# SPDX-License-Identifier: Apache-2.0
import copy
import json
import pickle

import numpy as np
import pytest

import freeplay as fp

CRANK = "examples/07_clearance/slider_crank.toml"


@pytest.fixture
def crank():
    return fp.load(CRANK)


def test_attributes_are_the_keys_of_the_file(crank):
    assert crank.joints.pin.clearance.radial == "0.5 mm"
    assert crank.joints["pin"]["type"] == "revolute"
    assert crank["joints.pin.clearance.radial"] == "0.5 mm"
    assert list(crank.bodies) == ["crank", "rod", "slider"]
    assert crank.bodies.crank.mass == 0.3
    assert "pin" in crank.joints and "pni" not in crank.joints
    assert "joints" in dir(crank) and "pin" in dir(crank.joints)


def test_a_known_key_that_is_not_written_is_none(crank):
    assert crank.joints.pin.bushing is None
    assert crank.simulation.tolerance is None


def test_changes_are_those_of_set(crank):
    crank.joints.pin.clearance.radial = "0.2 mm"
    by_set = fp.load(CRANK, set={"joints.pin.clearance.radial": 0.0002})
    assert crank.digest == by_set.digest
    crank["joints.pin.clearance"] = {"bearing_radius": "10 mm", "radial": np.float64(2e-4),
                                     "contact": {"law": "lankarani-nikravesh", "stiffness": 6.61e10, "restitution": 0.9}}
    assert crank.digest == by_set.digest


def test_none_takes_a_table_away_and_a_value_back_to_its_default(crank):
    crank.joints.pin.clearance = None
    assert crank.joints.pin.clearance is None
    assert crank.check()["degrees_of_freedom"] == 0
    crank.simulation.tolerance = 1e-6
    del crank.simulation.tolerance
    assert crank.digest == fp.load(CRANK, set={"joints.pin.clearance": None}).digest


def test_the_last_change_of_a_place_counts(crank):
    for radial in ("0.1 mm", "0.3 mm", "0.1 mm"):
        crank.joints.pin.clearance.radial = radial
    assert crank.digest == fp.load(CRANK, set={"joints.pin.clearance.radial": "0.1 mm"}).digest
    table = crank.joints.pin.clearance.to_dict()
    crank.joints.pin.clearance = None
    crank.joints.pin.clearance = table
    crank.joints.pin.clearance.radial = "0.2 mm"
    assert crank.digest == fp.load(CRANK, set={"joints.pin.clearance.radial": "0.2 mm"}).digest


@pytest.mark.parametrize("path, meant", [("joints.pni", "pin"), ("joints.pin.clearence", "clearance"),
                                         ("simulaton", "simulation"), ("joints.pin.clearance.radail", "radial")])
def test_a_wrong_path_says_what_may_have_been_meant(crank, path, meant):
    for wrong in (lambda: crank[path], lambda: crank.set({path: 1})):
        with pytest.raises(KeyError, match=f"did you mean '{meant}'"):
            wrong()
    with pytest.raises(AttributeError):
        crank.joints.pni
    with pytest.raises(KeyError):
        fp.load(CRANK, set={path: 1})
    assert crank.digest == fp.load(CRANK).digest


def test_mistakes_come_all_at_once_with_their_places(tmp_path):
    (tmp_path / "bad.toml").write_text('[bodies.rod]\nmas = 1\n[joints.pin]\ntype = "revolut"\nbodies = ["ground", "rud"]\n')
    with pytest.raises(fp.ModelError) as caught:
        fp.load(tmp_path / "bad.toml").check()
    issues = {issue.path: issue for issue in caught.value.issues}
    assert issues["bodies.rod.mas"].line == 2
    assert issues["bodies.rod.mas"].hint == "did you mean 'mass'?"
    assert "revolut" in issues["joints.pin.type"].message
    assert str(tmp_path / "bad.toml") + ":2:" in str(caught.value)


def test_messages_are_those_of_the_command_line(cli, tmp_path):
    import json
    said = json.loads(cli("check", CRANK, "--set", "joints.pin.clearance.radial=-1", "--json", check=False))
    with pytest.raises(fp.ModelError) as caught:
        fp.load(CRANK, set={"joints.pin.clearance.radial": -1}).check()
    assert [i.message for i in caught.value.issues] == [i["message"] for i in said["issues"]]


def test_units_are_checked(crank):
    crank.joints.pin.clearance.radial = "0.5 N"
    with pytest.raises(fp.ModelError, match="radial"):
        crank.check()
    assert fp.quantity("0.2 mm", "m") == 0.0002
    assert fp.quantity(3, "m") == 3.0
    with pytest.raises(ValueError):
        fp.quantity("0.2 mm", "s")


def test_models_copy_and_pickle(crank):
    crank.joints.pin.clearance.radial = "0.2 mm"
    for twin in (copy.copy(crank), copy.deepcopy(crank), pickle.loads(pickle.dumps(crank)), crank.copy()):
        assert twin.digest == crank.digest
        twin.joints.pin.clearance = None
        assert twin.digest != crank.digest
    assert crank.joints.pin.clearance.radial == "0.2 mm"


def test_the_text_of_a_changed_model_reads_back(crank, tmp_path):
    crank.joints.pin.clearance.radial = "0.2 mm"
    crank.save(tmp_path / "changed.toml")
    assert fp.load(tmp_path / "changed.toml").digest == crank.digest
    assert fp.loads(crank.resolved()).digest == crank.digest


def test_warnings_of_a_model_are_warnings():
    model = fp.loads('[bodies.rod]\nmass = 1\ninertia = [1, 1, 1]\n')   # no duration, no gravity
    with pytest.warns(fp.ModelWarning):
        model.check()


def test_a_mechanism_in_code_speaks_without_lines():
    k = fp.Mechanism("press", planar=True)
    k.body("crank", mas=1)
    with pytest.raises(fp.ModelError) as caught:
        k.check()
    issue = next(i for i in caught.value.issues if i.path == "bodies.crank.mas")
    assert (issue.file, issue.line) == ("", 0) and issue.hint == "did you mean 'mass'?"
    with pytest.raises(ValueError, match="already"):
        k.body("crank", mass=1)
    with pytest.raises(TypeError):
        k.body("rod", mass=object())
    k.body("rod", mass=1)
    assert "[bodies.rod]" in k.toml()


def test_builder_and_attributes_work_together():
    k = fp.Mechanism("pendulum", planar=True, gravity=(0, -9.81))
    k.body("bob", mass=1, inertia=0.02, position=(0, -0.5))
    k.simulation.duration = 1
    k.bodies.bob.mass = "2 kg"
    k.revolute("pin", "ground", "bob", at=(0, 0)).speed(1)
    k.spring("torsion", joint="pin", stiffness="3 N m/rad")
    twin = pickle.loads(pickle.dumps(k))
    assert twin.digest == k.digest and "2 kg" in k.toml()
    assert k.run().ok
    assert fp.loads(k.toml()).digest == k.digest


def test_points_links_and_shared_clearances_in_code():
    k = fp.Mechanism("four-bar", planar=True, gravity=(0, -9.81), crank="40 mm")
    k.point(A=(0, 0), D=("140 mm", 0), B="A + polar(crank, 60 deg)", C="meet(B, 120 mm, D, 100 mm)")
    k.link("crank", "A", "B", mass=0.04)
    k.link("coupler", "B", "C", section={"diameter": "10 mm"}, density="7850 kg/m^3")
    k.link("rocker", "D", "C", mass=0.1)
    k.clearance("pin", bearing_radius="5 mm", radial="50 um", material="steel")
    k.revolute("a", "ground", "crank", at="A").drive(speed="60 rpm")
    k.revolute("b", "crank", "coupler", at="B").clearance("pin")
    k.revolute("c", "coupler", "rocker", at="C").clearance("pin", radial="0.1 mm")
    k.revolute("d", "ground", "rocker", at="D")
    k.simulation.duration = "10 ms"
    assert k.check()["degrees_of_freedom"] == 4
    assert k.run().ok
    assert fp.loads(k.toml()).digest == k.digest


def test_the_builder_has_a_word_for_everything_in_the_file(cli):
    """Fails when the file format gets a section, a joint type or a table of joints that the builder does not know."""
    schema = json.loads(cli("schema"))
    known = {"mechanism": "Mechanism itself", "parameters": "parameter", "simulation": "attributes",
             "include": "none: what a program builds it can build from parts by itself",
             "points": "point", "clearances": "clearance", "defaults": "none: a program has functions of its own",
             "bodies": "body", "markers": "marker", "joints": "joint", "couplings": "coupling", "springs": "spring",
             "forces": "force", "torques": "torque", "efforts": "effort", "dampers": "damper",
             "signals": "signal", "controllers": "controller"}
    assert set(schema["properties"]) == set(known)
    for section, word in known.items():
        assert " " in word or word == "attributes" or callable(getattr(fp.Mechanism, word)), section
    joint = schema["$defs"]["_joints_NAME_"]["properties"]
    same = {"translational"}     # another word for prismatic
    types = {name.replace("-", "_") for name in set(joint["type"]["enum"]) - same}
    assert all(callable(getattr(fp.Mechanism, name, None)) for name in types)
    given = {"type", "bodies", "markers", "at", "axis", "axes", "second_axis", "length", "pitch", "pitch_radius", "curve", "repeat"}
    assert {name for name in vars(fp.Joint) if not name.startswith("_")} - {"name"} == set(joint) - given


def test_a_damper_in_code():
    k = fp.Mechanism("buffer", planar=True)
    k.body("mass", mass=1, inertia=1, velocity=(1, 0))
    k.prismatic("guide", "ground", "mass", at=(0, 0), axis=(1, 0))
    k.damper("buffer", joint="guide", stiffness="1 kN/m", damping="20 N s/m")
    k.simulation.duration = "0.1 s"
    assert k.run().ok and fp.loads(k.toml()).digest == k.digest


def test_a_controller_in_code():
    k = fp.Mechanism("servo", planar=True)
    k.body("arm", mass=1, inertia=1)
    k.revolute("pivot", "ground", "arm", at=(0, 0))
    k.signal("error", formula="1 - joints/pivot/coordinate")
    k.controller("servo", law="pid", input="error", kp="20 N m/rad", kd="10 N m s/rad", derivative_filter="1 ms", unit="N m")
    k.effort("motor", joint="pivot", magnitude={"signal": "servo"})
    k.simulation.duration = "5 s"
    run = k.run()
    assert run.ok and abs(run["joints/pivot/coordinate"][-1] - 1) < 1e-2
    assert fp.loads(k.toml()).digest == k.digest


def test_files_that_cannot_be_read(tmp_path):
    for wrong in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(OSError):
            fp.load(wrong)
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises((fp.ModelError, OSError)):
        fp.load(tmp_path / "bad.toml").check()


def test_includes_are_found_beside_the_file(tmp_path):
    (tmp_path / "base.toml").write_text(open(CRANK).read())
    (tmp_path / "top.toml").write_text('include = "base.toml"\n[bodies.crank]\nmass = 0.4\n')
    model = fp.load(tmp_path / "top.toml")
    assert model.bodies.crank.mass == 0.4 and model.bodies.rod.mass == 0.21
    assert pickle.loads(pickle.dumps(model)).digest == model.digest
    with pytest.raises(fp.ModelError):
        fp.loads('include = "base.toml"').check()
    assert fp.loads('include = "base.toml"', folder=tmp_path).digest == fp.load(CRANK).digest


def test_analyses():
    pendulum = fp.load("mechanisms/pendulum.toml")
    modes = pendulum.modes()
    assert modes[0]["frequency"] > 0
    assert pendulum.equilibrium()["found"]
    with pytest.raises(fp.AssemblyError):
        k = fp.Mechanism("apart", planar=True)
        k.body("a", mass=1, inertia=1)
        k.distance("rod", "ground", "a", at=[(0, 0), (1, 0)])
        k.fixed("weld", "ground", "a", at={"ground": (5, 0), "a": (0, 0)})
        k.check()


def test_tolerance_is_that_of_the_command_line(crank):
    found = crank.tolerance("bodies/slider/position.x", positions=5, samples=50)
    assert [part["path"] for part in found["loose"]] == ["joints.pin.clearance"]
    slider = found["outputs"]["bodies/slider/position.x"]
    assert slider["unit"] == "m" and slider["sampled"]["samples"] == 50
    assert slider["shares"].shape == (5, 1)
    np.testing.assert_allclose(slider["high"][0], 5e-4, rtol=1e-6)  # rod and crank in one line
    np.testing.assert_allclose(slider["shares"][:, 0], slider["linear"])
    loose = crank.tolerance(["bodies/slider/position.x"], {"parameters.rod": "120 mm+-0.05 mm"}, positions=1)
    np.testing.assert_allclose(loose["outputs"]["bodies/slider/position.x"]["high"], [5.5e-4], rtol=1e-6)
    for wrong in (lambda: crank.tolerance("bodies/slider/velocity.x"),
                  lambda: crank.tolerance("bodies/slider/position.x", {"parameters.rods": "1 mm+-1 um"}),
                  lambda: crank.tolerance("bodies/slider/position.x", {"parameters.rod": "120 mm"}),
                  lambda: crank.tolerance("bodies/slider/position.x", positions=0),
                  lambda: crank.tolerance("bodies/slider/position.x", between=(1, 0))):
        with pytest.raises((fp.ModelError, KeyError, ValueError)):
            wrong()
