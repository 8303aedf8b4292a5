# SPDX-License-Identifier: Apache-2.0
import json
import multiprocessing
import pickle

import numpy as np
import pytest

import freeplay as fp
from conftest import ROOT

CRANK = "examples/07_clearance/slider_crank.toml"
RADIAL = "joints.pin.clearance.radial"


@pytest.fixture
def short():
    return fp.load(CRANK, set={"simulation.duration": "2 ms"})


def test_a_sweep_is_the_runs(short):
    table = short.sweep({RADIAL: {"from": "0.1 mm", "to": "0.5 mm", "count": 5}},
                        observe=["contacts", "max joints/pin/normal_force", "bodies/slider/velocity.x"])
    assert table.rows == 5 and np.all(table.status == 0)
    assert np.allclose(table[RADIAL], np.linspace(1e-4, 5e-4, 5), rtol=1e-15)
    for radial, contacts, velocity in zip(table[RADIAL], table["contacts"], table["bodies/slider/velocity.x"]):
        r = short.run(set={RADIAL: radial})
        assert r.summary["contacts"] == contacts
        assert r["bodies/slider/velocity.x"][-1] == pytest.approx(velocity, rel=1e-9)
    assert table.unit("bodies/slider/velocity.x") == "m/s"
    with pytest.raises(KeyError, match="did you mean 'contacts'"):
        table["contact"]


def test_a_study_file_and_python_agree_with_the_command_line(cli, tmp_path):
    said = json.loads(cli("study", "examples/08_study/sweep.toml", "-o", tmp_path / "cli.h5", "--json"))
    table = fp.study("examples/08_study/sweep.toml", tmp_path / "python.h5")
    theirs = fp.StudyTable(tmp_path / "cli.h5")
    assert table.rows == said["rows"] == theirs.rows
    assert list(table) == list(theirs)
    for name in table:
        assert np.array_equal(table[name], theirs[name])
    assert table.attributes["study_sha256"] == theirs.attributes["study_sha256"]


def test_rows_one_by_one_in_other_processes(short):
    vary = {RADIAL: ["0.1 mm", "0.3 mm", "0.5 mm"]}
    observe = ["contacts", "max joints/pin/normal_force"]
    study = fp.Study(short, "sweep", vary=vary, observe=observe)
    table = study.run(workers=1)
    assert len(study) == 3 and [row.row for row in study] == [0, 1, 2]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        rows = pool.map(_call, list(study))
    for i, row in enumerate(rows):
        assert row["status"] == "done"
        for name in observe:
            key = {"max joints/pin/normal_force": "joints/pin/normal_force/max"}.get(name, name)
            assert row[key] == table[key][i]
    assert study[1].model.run().summary["contacts"] == table["contacts"][1]
    assert study[-1].row == 2
    with pytest.raises(IndexError):
        study[3]
    twin = pickle.loads(pickle.dumps(study))
    assert twin.text == study.text and len(twin) == 3


def _call(row):
    return row()


def test_changes_of_the_model_count_also_tables(short):
    short.joints.pin.clearance = {"bearing_radius": "10 mm", "radial": "0.5 mm",
                                  "contact": {"law": "flores", "stiffness": 6.61e10, "restitution": 0.7}}
    table = short.sweep({"joints.pin.clearance.contact.restitution": [0.5, 0.9]}, observe=["contacts"])
    ours = [short.run(set={"joints.pin.clearance.contact.restitution": e}).summary["contacts"] for e in (0.5, 0.9)]
    assert table["contacts"].tolist() == ours


def test_words_and_mechanisms_in_code():
    k = fp.Mechanism("pendulum", planar=True, gravity=(0, -9.81))
    k.body("bob", mass=1, inertia=0.02, position=(0.1, -0.5))
    k.revolute("pin", "ground", "bob", at=(0, 0))
    k.simulation.duration = "0.1 s"
    table = k.sweep({"simulation.formulation": ["cartesian", "tree"]}, observe=["joints/pin/rate"])
    assert list(table["simulation.formulation"]) == ["cartesian", "tree"]
    assert table["joints/pin/rate"][0] == pytest.approx(table["joints/pin/rate"][1], rel=1e-7)


def test_bifurcation_monte_carlo_optimise(short):
    crank = fp.load(CRANK)
    table = crank.bifurcation({RADIAL: {"from": "0.1 mm", "to": "0.3 mm", "count": 3}}, ["bodies/slider/velocity.x"],
                              section={"joint": "crank_bearing", "angle": "0 deg"}, turns={"transient": 2, "record": 4})
    assert np.array_equal(table.section["row"], np.repeat([0, 1, 2], 4))
    assert len(table.section["bodies/slider/velocity.x"]) == 12
    chance = short.monte_carlo({RADIAL: {"distribution": "uniform", "from": "0.1 mm", "to": "0.5 mm"}},
                               ["max joints/pin/normal_force"], samples=8, seed=1)
    assert chance.rows == 8 and any("mean" in key for key in chance.results)
    best = short.optimise({RADIAL: {"from": "0.1 mm", "to": "0.5 mm"}}, minimise="max joints/pin/normal_force", evaluations=8)
    assert 1e-4 <= best.best[RADIAL] <= 5e-4 and best.best["goal"] > 0
    assert chance.to_dataframe().shape[0] == 8
    assert len(table.to_dataframe(section=True)) == 12


def test_fit_finds_what_made_the_motion():
    pendulum = fp.load("mechanisms/pendulum.toml", set={"simulation.duration": "1 s"})
    series = "bodies/rod/position.x"
    truth = pendulum.run().uniform
    table = pendulum.fit({"mechanism.gravity.1": {"from": -12, "to": -8}},
                         measured={"series": series, "time": truth.time[::50], "value": truth[series][::50]}, evaluations=60,
                         algorithm="bobyqa", precision=1e-6)
    assert table.best["mechanism.gravity.1"] == pytest.approx(pendulum.mechanism.gravity[1], rel=1e-4)


@pytest.mark.parametrize("wrong, match", [
    (dict(vary={"joints.pni": [1]}, observe=["contacts"]), "did you mean 'pin'"),
    (dict(vary={RADIAL: [1e-4]}, observe=["joints/pin/normal_farce"]), "did you mean"),
    (dict(vary={RADIAL: [1e-4]}), "observe"),
    (dict(vary={}, observe=["contacts"]), "vary"),
    (dict(vary={RADIAL: {"from": 1e-4, "too": 2e-4}}, observe=["contacts"]), "too"),
    (dict(vary={RADIAL: [1e-4]}, observe=["contacts"], sede=3), "sede"),
])
def test_mistakes_of_a_study(short, wrong, match):
    with pytest.raises(fp.ModelError, match=match) as caught:
        short.sweep(**wrong)
    assert all(issue.file != "study" for issue in caught.value.issues)
    with pytest.raises(fp.ModelError):
        len(fp.Study(short, "sweep", **wrong))


def test_a_row_that_fails_is_told_and_the_others_go_on(short):
    with pytest.warns(fp.RunWarning, match="row 1"):
        table = short.sweep({"joints.pin.clearance.contact.stiffness": [6.61e10, 1.0]}, observe=["contacts"])
    assert table.status.tolist() == [0, 3] and table.errors[0] == "" and table.errors[1] != ""
    assert list(table.to_dataframe()["status"]) == ["done", "failed"]


def test_an_interrupted_study_goes_on(python, tmp_path):
    text = """
import os, signal, sys, threading
import freeplay as fp
m = fp.load("examples/07_clearance/slider_crank.toml", set={"simulation.duration": "60 ms"})
vary = {"joints.pin.clearance.radial": {"from": "0.1 mm", "to": "0.5 mm", "count": 200}}
if sys.argv[2] == "stop":
    threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    t = m.sweep(vary, ["contacts"], output=sys.argv[1], resume=True, workers=1)
    print("done", t["contacts"].sum())
except KeyboardInterrupt:
    print("interrupted", os.path.exists(sys.argv[1] + ".journal"))
"""
    first = python(text, tmp_path / "s.h5", "stop")
    assert first.stdout.split() == ["interrupted", "True"], first.stderr + first.stdout
    second = python(text, tmp_path / "s.h5", "go").stdout
    assert second == python(text, tmp_path / "t.h5", "go").stdout and second.startswith("done")


def test_the_table_travels_and_has_a_page(short, tmp_path):
    table = short.sweep({RADIAL: ["0.1 mm", "0.5 mm"]}, ["contacts"])
    contacts = table["contacts"].tolist()
    twin = pickle.loads(pickle.dumps(table))
    del table
    assert twin["contacts"].tolist() == contacts and twin.report()
    assert twin.report(tmp_path / "study.html").startswith("<!")
    assert "<iframe" in twin._repr_html_()
    with pytest.raises(OSError):
        fp.StudyTable(CRANK)
    with pytest.raises(OSError):
        fp.study(tmp_path / "none.toml")
