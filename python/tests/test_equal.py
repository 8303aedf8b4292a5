# SPDX-License-Identifier: Apache-2.0
"""What Python computes is what the command line computes, to the last bit."""

import json

import h5py
import numpy as np
import pytest

import freeplay as fp
from conftest import ROOT, same_where_both_have_steps

MECHANISMS = sorted(p.name for p in (ROOT / "mechanisms").glob("*.toml"))
NOT_PHYSICS = {"cpu_seconds", "result"}


@pytest.mark.filterwarnings("ignore::freeplay.ModelWarning")
@pytest.mark.parametrize("name", MECHANISMS)
def test_every_number_and_every_series_is_that_of_the_command_line(name, cli, tmp_path):
    said = json.loads(cli("run", f"mechanisms/{name}", "-o", tmp_path / "cli.h5", "--json", "--quiet", "--record",
                          "{ every = 1 }"))    # memory keeps every step
    result = fp.load(f"mechanisms/{name}").run()
    for key, value in said.items():
        if key not in NOT_PHYSICS:
            assert result.summary[key] == value, key

    file = fp.open(tmp_path / "cli.h5")
    assert list(file) == list(result)
    for path in result:
        assert np.array_equal(result[path], file[path]), path
        assert result.unit(path) == file.unit(path) or path.startswith("state/")
        if not path.startswith(("solver/", "state/")):
            assert np.array_equal(result.uniform[path], file.uniform[path]), path
    assert np.array_equal(result.events, file.events)
    assert np.array_equal(result.impacts, file.impacts)
    assert result.model_text == file.model_text


def datasets(file):
    found = {}
    file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return found


@pytest.mark.parametrize("name", ["slider_crank.toml", "spatial_four_bar.toml"])
def test_a_saved_result_is_the_file_of_the_command_line(name, cli, tmp_path):
    cli("run", f"mechanisms/{name}", "-o", tmp_path / "cli.h5", "--quiet")
    assert fp.load(f"mechanisms/{name}").run().save(tmp_path / "python.h5") == str(tmp_path / "python.h5")
    with h5py.File(tmp_path / "cli.h5") as a, h5py.File(tmp_path / "python.h5") as b:
        ours, theirs = datasets(b), datasets(a)
        assert ours.keys() == theirs.keys()
        for key in theirs:
            if key.startswith(("uniform/", "model/", "events", "impacts")):
                assert np.array_equal(np.asarray(ours[key]), np.asarray(theirs[key])), key
        for key in ("model_sha256", "name", "complete"):
            assert a.attrs[key] == b.attrs[key]
    same_where_both_have_steps(tmp_path / "python.h5", tmp_path / "cli.h5")


def test_values_between_the_steps_are_those_of_get(cli, tmp_path):
    result = fp.load("mechanisms/slider_crank.toml").run(tmp_path / "a.h5")
    memory = fp.load("mechanisms/slider_crank.toml").run()
    for time in (0.0, 1e-4, 0.0031, 0.024):
        text = cli("get", tmp_path / "a.h5", "bodies/slider/position.x", "--at", repr(time))
        assert float(text) == pytest.approx(memory.at(time, "bodies/slider/position.x"), rel=1e-14)
        assert memory.at(time, "bodies/slider/position.x") == result.at(time, "bodies/slider/position.x")


def test_the_slider_crank_of_the_demo_from_scratch():
    k = fp.Mechanism("slider-crank, 5000 rpm", planar=True, gravity=(0, 0),
                     speed="5000 rpm", crank_length="50 mm", rod_length="120 mm")
    k.body("crank", mass=0.30, inertia=1.0e-4, position=("crank_length/2", 0))
    k.body("rod", mass=0.21, inertia=2.5e-4, position=("crank_length + rod_length/2", 0))
    k.body("slider", mass=0.14, position=("crank_length + rod_length", 0))
    k.revolute("crank_bearing", "ground", "crank", at=(0, 0)).drive(speed="speed")
    k.revolute("crank_pin", "crank", "rod", at=("crank_length", 0))
    k.revolute("pin", "slider", "rod", at=("crank_length + rod_length", 0)).clearance(
        bearing_radius="10 mm", radial="0.5 mm",
        contact={"law": "lankarani-nikravesh", "restitution": 0.9, "stiffness": 6.61e10})
    k.prismatic("guide", "ground", "slider", at=("crank_length + rod_length", 0), axis=(1, 0))
    k.simulation.duration = "24 ms"
    k.simulation.output = "20 us"
    ours = k.run()

    shipped = fp.load("mechanisms/slider_crank.toml")
    theirs = shipped.run()
    assert k.digest == shipped.digest
    assert all(np.array_equal(ours[path], theirs[path]) for path in theirs)
    assert np.array_equal(ours.impacts, theirs.impacts)


def test_a_streamed_run_is_the_same(tmp_path):
    model = fp.load("examples/07_clearance/slider_crank.toml")
    memory, file = model.run(), model.run(tmp_path / "run.h5")
    assert file.path == str(tmp_path / "run.h5")
    assert all(np.array_equal(memory[path], file[path]) for path in memory)
