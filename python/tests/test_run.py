# SPDX-License-Identifier: Apache-2.0
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import matplotlib
import numpy as np
import pandas
import pytest

import freeplay as fp
from conftest import ROOT, same_where_both_have_steps

CRANK = "examples/07_clearance/slider_crank.toml"


@pytest.fixture(scope="module")
def run():
    return fp.load(CRANK).run()


def test_series_are_views(run):
    position = run["bodies/slider/position"]
    assert position.shape == (len(run.time), 2)
    assert np.shares_memory(position, run["bodies/slider/position"])
    assert np.shares_memory(run["bodies/slider/position.x"], position)
    assert np.array_equal(run["bodies/slider/position.x"], position[:, 0])
    assert np.shares_memory(run.uniform["bodies/slider/position.y"], run.uniform["bodies/slider/position"])
    assert not position.flags.writeable and not position.flags.owndata
    assert run["solver/evaluations"].dtype == np.int64


def test_a_view_outlives_its_result():
    result = fp.load(CRANK, set={"simulation.duration": "1 ms"}).run()
    x = result["bodies/slider/position.x"]
    copy = x.copy()
    del result
    junk = [np.ones(100000) for _ in range(20)]
    assert np.array_equal(x, copy) and len(junk) == 20


def test_paths_units_and_guesses(run):
    assert run.unit("joints/pin/normal_force") == "N"
    assert run.unit("bodies/slider/position.x") == "m"
    assert run.channel("bodies/slider/position").frame == "global"
    assert np.shares_memory(run["uniform/bodies/slider/position"], run.uniform["bodies/slider/position"])
    assert "joints/pin/eccentricity.x" in run and "joints/pni/eccentricity.x" not in run
    for wrong, meant in (("joints/pin/eccentricty.x", "joints/pin/eccentricity.x"), ("bodies/slider", "bodies/slider/position"),
                         ("uniform/bodies/slidr/position", "bodies/slider/position")):
        with pytest.raises(KeyError, match=f"did you mean '{meant}'"):
            run[wrong]
    for wrong in ("", ".", "bodies/slider/position.w", "uniform/solver/step", "time.x"):
        with pytest.raises(KeyError):
            run[wrong]
    with pytest.raises(TypeError):
        run[3]


def test_tables(run):
    assert run.impacts.dtype.names[:4] == ("start", "end", "joint", "contact")
    assert set(run.impacts["joint"]) == {"pin"}
    assert len(run.impacts) > 20 and run.impacts["peak_force"].max() == pytest.approx(45.9e3, rel=1e-2)
    assert run.impacts["open"].dtype == bool
    assert set(run.events["kind"]) == {"touch", "separation"}
    touch = run.events[run.events["kind"] == "touch"][0]
    assert touch["time"] == pytest.approx(0.2273e-3, rel=1e-3) and touch["speed"] == pytest.approx(4.386, rel=1e-3)
    assert len(fp.load("mechanisms/pendulum.toml").run().impacts) == 0


def test_energy_is_audited(run):
    assert all(values.shape == run.time.shape for values in run.energy.values())
    assert np.array_equal(run.energy["kinetic"], run["energy/kinetic"])
    assert run.summary["energy_residual"] < 1e-6 * run.summary["energy_scale"]


def test_at_between_the_steps(run):
    times = np.array([[1e-3, 2e-3], [3e-3, 4e-3]])
    values = run.at(times, "bodies/slider/position")
    assert values.shape == (2, 2, 2)
    assert run.at(1e-3, "bodies/slider/position.x") == values[0, 0, 0]
    assert run.at(run.time[7], "joints/pin/penetration") == run["joints/pin/penetration"][7]
    assert run.at(run.time[-1], "bodies/slider/position.x") == run["bodies/slider/position.x"][-1]
    for wrong in (-1.0, 1.0, np.nan):
        with pytest.raises(KeyError):
            run.at(wrong, "bodies/slider/position")
    with pytest.raises(KeyError):
        run.at(1e-3, "solver/step")
    with pytest.raises((ValueError, TypeError)):
        run.at("soon", "bodies/slider/position")


def test_less_can_be_kept():
    model = fp.load(CRANK, set={"simulation.duration": "1 ms"})
    lean = model.run(steps=False, states=False, peaks=False)
    full = model.run()
    assert len(lean.time) == 0 and len(lean.events) == len(full.events)
    assert np.array_equal(lean.uniform["bodies/slider/position"], full.uniform["bodies/slider/position"])
    with pytest.raises(KeyError):
        lean.at(5e-4, "bodies/slider/position")
    bare = model.run(steps=False, uniform=False, states=False, peaks=False)
    assert len(bare.time) == len(bare.uniform.time) == 0 and np.array_equal(bare.events, full.events)
    assert bare.model_text == full.model_text and bare.impacts["peak_force"].max() == 0
    stateless = model.run(states=False)
    assert np.array_equal(stateless["joints/pin/penetration"], full["joints/pin/penetration"])
    with pytest.raises(KeyError, match="states"):
        stateless.at(5.0001e-4, "bodies/slider/position")
    with pytest.raises(OSError, match="states"):
        stateless.save("/tmp/never.h5")


def test_extremes_lie_between_the_steps(run):
    peak = run.extremes("joints/pin/normal_force")
    assert peak["max"] >= run["joints/pin/normal_force"].max()
    assert run.extremes("bodies/slider/position")["max"].shape == (2,)


def test_results_pickle_and_travel(run, tmp_path):
    twin = pickle.loads(pickle.dumps(run))
    assert np.array_equal(twin["joints/pin/normal_force"], run["joints/pin/normal_force"])
    assert np.array_equal(twin.impacts, run.impacts) and twin.summary == run.summary
    third = pickle.loads(pickle.dumps(twin))
    del twin
    assert np.array_equal(third.time, run.time)
    file = fp.open(run.save(tmp_path / "a.h5"))
    assert pickle.loads(pickle.dumps(file)).path == file.path
    assert fp.open(file.save(tmp_path / "b.h5")).summary == run.summary


def test_nothing_but_a_result_is_overwritten(run, tmp_path):
    precious = tmp_path / "model.toml"
    precious.write_text("# mine")
    for write in (run.save, fp.load(CRANK).run):
        with pytest.raises(OSError, match="not a result"):
            write(precious)
    assert precious.read_text() == "# mine"
    assert run.save(tmp_path / "a.h5") == run.save(tmp_path / "a.h5")
    with pytest.raises(OSError):
        run.save(tmp_path / "no" / "folder.h5")


def test_a_deleted_file(tmp_path):
    result = fp.load(CRANK, set={"simulation.duration": "1 ms"}).run(tmp_path / "a.h5")
    (tmp_path / "a.h5").unlink()
    result["bodies/slider/position"]       # still open
    with pytest.raises(OSError):
        result.report()
    with pytest.raises(OSError):
        fp.open(tmp_path / "a.h5")


def test_a_failed_run_is_kept_and_told():
    model = fp.load(CRANK)
    model.joints.pin.clearance.contact.stiffness = 1.0      # the parts pass through each other
    with pytest.warns(fp.RunWarning, match="was kept"):
        result = model.run()
    assert not result.ok and result.status == "failed" and len(result.time) > 1
    with pytest.raises(fp.RunFailed) as caught:
        model.run(check=True)
    assert len(caught.value.result.time) == len(result.time)
    with pytest.raises(fp.RunFailed):
        result.require()


def test_a_time_limit_interrupts():
    model = fp.load(CRANK, set={"simulation.duration": "20 s"})
    with pytest.warns(fp.RunWarning, match="time limit"):
        assert model.run(time_limit=0.2).status == "interrupted"


LONG = """
import os, signal, sys, threading, time, warnings
import freeplay as fp
model = fp.load("examples/07_clearance/slider_crank.toml", set={"simulation.duration": "100 s"})
file = sys.argv[1] if len(sys.argv) > 1 else None
sent = []
def interrupt():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(1.0, interrupt).start()
try:
    model.run(file)
except KeyboardInterrupt as error:
    late = time.monotonic() - sent[0]
    r = error.result
    print(late, r.status, len(r.time), r.time[-1] == r.summary["time"], r is model.interrupted, r.path)
    print(r.save(sys.argv[2]) if len(sys.argv) > 2 else "")
"""


@pytest.mark.parametrize("to_file", [False, True])
def test_ctrl_c_keeps_what_there_is(python, tmp_path, to_file):
    done = python(LONG, *([tmp_path / "long.h5"] if to_file else []))
    late, status, rows, at_end, known, path = done.stdout.split()
    assert done.returncode == 0, done.stderr
    assert status == "interrupted" and int(rows) > 10 and at_end == known == "True"
    assert float(late) < (1.0 if to_file else 0.5)    # 0.1 s on a machine that has time
    if to_file:
        assert path.endswith("long.partial.h5") and fp.open(path).status == "interrupted"


def test_an_interrupted_run_in_memory_can_be_saved_and_resumed(python, cli, tmp_path):
    text = LONG.replace('"100 s"', '"0.5 s"').replace("model.run(file)", "model.run()")
    for delay in (0.3, 0.15, 0.6, 0.05):    # whatever the machine, one of them falls into the run
        done = python(text.replace("Timer(1.0", f"Timer({delay}"), "-", tmp_path / "kept.h5")
        if "interrupted" in done.stdout:
            break
    assert (tmp_path / "kept.partial.h5").exists()
    cli("run", CRANK, "--set", "simulation.duration=0.5 s", "-o", tmp_path / "kept.h5", "--resume", "--quiet")
    cli("run", CRANK, "--set", "simulation.duration=0.5 s", "-o", tmp_path / "whole.h5", "--quiet")
    a, b = fp.open(tmp_path / "kept.h5"), fp.open(tmp_path / "whole.h5")
    for path in ("joints/pin/normal_force", "bodies/slider/velocity", "energy/residual"):
        assert np.array_equal(a.uniform[path], b.uniform[path])
    del a, b
    same_where_both_have_steps(tmp_path / "kept.h5", tmp_path / "whole.h5")


def test_a_run_into_a_file_resumes(tmp_path):
    model = fp.load(CRANK, set={"simulation.duration": "0.4 s"})
    file = tmp_path / "run.h5"
    for limit in (0.02, 0.02):
        with pytest.warns(fp.RunWarning, match="time limit"):
            part = model.run(file, resume=True, time_limit=limit)
        assert part.status == "interrupted" and part.path.endswith("run.partial.h5")
        with pytest.raises(OSError, match="run.partial.h5"):
            model.run(file, resume=True)     # held open by `part`
        end = part.summary["time"]
        del part
    whole = model.run(file, resume=True)
    assert whole.ok and whole.path == str(file) and whole.summary["time"] > end
    once = model.run(tmp_path / "once.h5")
    for path in ("bodies/slider/position", "joints/pin/normal_force", "state/y", "solver/evaluations"):
        assert np.array_equal(whole[path], once[path]), path
    assert np.array_equal(whole.impacts, once.impacts)
    stamp = os.stat(file).st_mtime_ns
    assert model.run(file, resume=True).summary["steps"] == whole.summary["steps"]     # there already
    assert os.stat(file).st_mtime_ns == stamp


@pytest.mark.parametrize("limit", [0.004 * k for k in range(1, 12)])
def test_a_run_interrupted_anywhere_counts_once(tmp_path, limit):
    """In stiff stretches the last checkpoint lies before the end of what was interrupted."""
    model = fp.load(CRANK, set={"simulation.duration": "0.4 s"})
    with pytest.warns(fp.RunWarning, match="time limit|deeper"):
        model.run(tmp_path / "run.h5", time_limit=limit)
    whole, once = model.run(tmp_path / "run.h5", resume=True), model.run(tmp_path / "once.h5")
    assert np.array_equal(whole["solver/evaluations"], once["solver/evaluations"])
    for name in ("evaluations", "rejected", "jacobians", "warnings"):
        assert whole.summary[name] == once.summary[name], name


def test_what_cannot_be_resumed(tmp_path):
    model = fp.load(CRANK, set={"simulation.duration": "0.4 s"})
    with pytest.raises(ValueError, match="name the file"):
        model.run(resume=True)
    with pytest.warns(UserWarning) as told:
        model.run(tmp_path / "run.h5", resume=True, time_limit=0.02)
    assert [w.category for w in told] == [fp.ModelWarning, fp.RunWarning]
    assert "starting from the beginning" in str(told[0].message)
    other = model.copy({"joints.pin.clearance.radial": "0.3 mm"})
    with pytest.raises(ValueError, match="another model"):
        other.run(tmp_path / "run.h5", resume=True)
    assert fp.open(tmp_path / "run.partial.h5").status == "interrupted"


def test_runs_need_no_thread_of_their_own():
    seen = []
    before = len(os.listdir("/proc/self/task"))
    fp.load(CRANK, set={"simulation.duration": "0.3 s"}).run(
        progress=lambda *_: seen.append(len(os.listdir("/proc/self/task"))))
    assert seen and set(seen) == {before}


def test_short_runs_cost_what_they_cost_in_a_sweep():
    model = fp.load(CRANK, set={"simulation.duration": "1 ms"})
    path, values = "joints.pin.clearance.radial", [1e-4 + 4e-6 * i for i in range(100)]

    def loop():
        return [model.run(set={path: v}, steps=False, uniform=False, states=False, peaks=False).summary["contacts"]
                for v in values]

    def sweep():
        return model.sweep({path: values}, ["contacts"], workers=1)["contacts"].tolist()

    def cost(work):
        begin = time.process_time()
        assert len(work()) == len(values)
        return time.process_time() - begin
    assert loop() == sweep()
    costs = [(cost(loop), cost(sweep)) for _ in range(7)]
    ours, theirs = (min(c) for c in zip(*costs))
    assert ours < 1.4 * theirs     # 1.0 to 1.1 on a machine that has time


def test_other_signals_and_exceptions_pass_through():
    class Enough(Exception):
        pass

    def stop(fraction, time):
        raise Enough

    model = fp.load(CRANK, set={"simulation.duration": "100 s"})
    with pytest.raises(Enough):
        model.run(progress=stop)
    assert model.interrupted is not None and model.interrupted.status == "interrupted"


def test_progress_is_told():
    told = []
    fp.load(CRANK, set={"simulation.duration": "0.3 s"}).run(progress=lambda f, t: told.append((f, t)))
    assert told == sorted(told) and all(0 <= f <= 1 for f, _ in told)


def test_threads_share_a_model_and_get_the_same():
    model = fp.load(CRANK)
    expected = model.run().time
    results = []

    def work():
        results.append(model.run().time)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 4 and all(np.array_equal(r, expected) for r in results)


def test_a_model_may_change_while_it_runs():
    model = fp.load(CRANK, set={"simulation.duration": "50 ms"})
    expected = model.run().time
    got = []
    thread = threading.Thread(target=lambda: got.append(model.run().time))
    thread.start()
    while thread.is_alive():
        model.joints.pin.clearance.radial = "0.1 mm"
        time.sleep(0.001)
    thread.join()
    assert np.array_equal(got[0], expected) or np.array_equal(got[0], model.run().time)


def test_forked_children_run():
    import multiprocessing
    model = fp.load(CRANK, set={"simulation.duration": "2 ms"})
    expected = model.run().summary["steps"]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert [r.summary["steps"] for r in pool.map(_run, [model] * 4)] == [expected] * 4


def _run(model):
    return model.run()


def test_memory_stays_flat(python):
    text = textwrap.dedent("""
        import resource, sys
        import freeplay as fp
        model = fp.load("mechanisms/pendulum.toml", set={"simulation.duration": "0.01 s"})
        def many(n):
            for i in range(n):
                r = model.run(); r["time"]; r.impacts
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        first = many(300)
        print((many(int(sys.argv[1])) - first) / 1024)
    """)
    assert float(python(text, 700).stdout) < 4     # MB


def test_tables_of_other_packages(run):
    frame = run.to_dataframe(["bodies/slider/position", "joints/pin/normal_force"])
    assert list(frame.columns) == ["bodies/slider/position.x", "bodies/slider/position.y", "joints/pin/normal_force"]
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "time" and len(frame) == len(run.uniform.time)
    assert len(run.to_dataframe().columns) > 50
    data = run.to_xarray()
    assert data["bodies/slider/position"].attrs["unit"] == "m"


def test_the_report_and_the_figure(run, tmp_path):
    page = run.report(tmp_path / "report.html")
    assert page.startswith("<!") and (tmp_path / "report.html").read_text() == page
    assert run._repr_html_().startswith("<iframe srcdoc=")
    assert open(run.figure(tmp_path / "a.svg", "joints/pin/normal_force")).read().startswith(("<?xml", "<svg"))
    assert open(run.figure(tmp_path / "a.png", "bodies/slider/position.x"), "rb").read(4) == b"\x89PNG"
    assert open(run.figure(tmp_path / "a.pdf", "bodies/slider/position.x"), "rb").read(5) == b"%PDF-"
    with pytest.raises(ValueError):
        run.figure(tmp_path / "a.gif")
    with pytest.raises(KeyError):
        run.figure(tmp_path / "b.svg", "joints/pni/normal_force")


def test_plot(run):
    matplotlib.use("Agg")
    axes = run.plot("bodies/slider/position", "joints/pin/normal_force")
    assert len(axes) == 2 and axes[1].get_ylabel() == "joints/pin/normal_force [N]"
    assert run.plot("joints/pin/eccentricity.y", against="joints/pin/eccentricity.x").get_xlabel().endswith("[m]")
    with pytest.raises(KeyError):
        run.plot("nothing")
