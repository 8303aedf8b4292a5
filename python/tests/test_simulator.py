# SPDX-License-Identifier: Apache-2.0
import pickle
import threading

import numpy as np
import pytest

import freeplay as fp

CRANK = "examples/07_clearance/slider_crank.toml"


def pendulum(duration=5.0):
    k = fp.Mechanism("pendulum", planar=True, gravity=(0, -9.81))
    k.body("bob", mass=1, inertia=0.02, position=(0, -0.5))
    k.revolute("pin", "ground", "bob", at=(0, 0))
    k.effort("motor", "pin", {"input": "torque"})
    k.simulation.duration = duration
    return k


def test_a_controller_holds_the_pendulum_out():
    s = fp.Simulator(pendulum(), record=True)
    for sample in range(1000):
        s.set("torque", 40 * (1 - s["joints/pin/coordinate"]) - 8 * s["joints/pin/rate"])
        assert s.advance(5e-3 * (sample + 1)) == "time"
    # 40 (1 - q) = m g l sin q
    q = s["joints/pin/coordinate"]
    assert 40 * (1 - q) == pytest.approx(9.81 * 0.5 * np.sin(q), abs=1e-6)
    assert s.inputs["torque"] == pytest.approx(9.81 * 0.5 * np.sin(q), abs=1e-6)
    r = s.finish()
    assert r.ok and r.summary["energy_residual"] < 1e-6 * r.summary["energy_scale"]
    with pytest.raises(ValueError, match="finished"):
        s.advance(5)


def test_a_motion_in_pieces_is_the_motion_in_one_go():
    model = fp.load(CRANK)
    whole = fp.Simulator(model)
    whole.advance(0.012)
    pieces = fp.Simulator(model)
    for t in np.linspace(0, 0.012, 301)[1:]:
        pieces.advance(t)
    assert np.array_equal(whole.snapshot(), pieces.snapshot())
    assert whole["bodies/slider/position.x"] == model.run()["bodies/slider/position.x"][-1]


def test_events_stop_and_are_told():
    s = fp.Simulator(fp.load(CRANK))
    assert s.advance_to_event(0.012) == "event"
    assert s.time == pytest.approx(0.2273e-3, rel=1e-3)
    assert s.events["kind"][0] == "touch" and s.events["joint"][0] == "pin"
    s.schedule(0.001, 0.001)
    stops = []
    while s.time < 0.0035:
        stops.append(s.advance_to_event(0.0035))
    assert stops.count("schedule") == 3
    t = fp.Simulator(fp.load(CRANK))
    t.advance(0.012)
    assert len(t.events) == len(fp.load(CRANK).run().events)


def test_save_and_restore_to_the_last_bit():
    model = fp.load(CRANK)
    s = fp.Simulator(model)
    s.advance(0.0021)
    saved = pickle.loads(pickle.dumps(s.save()))
    s.advance(0.008)
    row = s.snapshot()
    other = fp.Simulator(model)
    other.restore(saved)
    assert other.time == 0.0021
    other.advance(0.008)
    assert np.array_equal(row, other.snapshot())
    with pytest.raises(ValueError, match="not of this model"):
        fp.Simulator(pendulum()).restore(saved)
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        s.restore((1, 2, 3))


def test_a_record_begins_where_its_simulator_was_restored():
    model = pendulum()
    s = fp.Simulator(model)
    s.advance(0.3)
    saved = s.save()
    for recorded in (fp.Simulator(model, record=True), fp.Simulator(model, record=True)):
        recorded.restore(saved)
        recorded.advance(1.0)
        result = recorded.finish()
        assert result.time[0] <= 0.3 and (np.diff(result.time) >= 0).all()
        assert (np.diff(result.uniform.time) > 0).all()
    s.advance(1.0)
    assert result.at(1.0, "bodies/bob/position.x") == pytest.approx(s["bodies/bob/position.x"], abs=1e-12)


def test_a_record_has_one_time():
    s = fp.Simulator(pendulum(), record=True)
    start = s.save()
    s.advance(0.5)
    with pytest.raises(fp.SimulationError, match="time go forward"):
        s.restore(start)
    s.advance(0.6)  # nothing has changed
    assert (np.diff(s.finish().time) >= 0).all()


def test_what_was_saved_after_the_end_is_refused():
    s = fp.Simulator(fp.load(CRANK))
    s.advance(0.008)
    saved = s.save()
    with pytest.raises(fp.SimulationError, match="after the end"):
        fp.Simulator(fp.load(CRANK, set={"simulation.duration": "1 ms", "simulation.output": "0.1 ms"})).restore(saved)


def test_what_cannot_be_done_is_said():
    s = fp.Simulator(pendulum())
    with pytest.raises(ValueError, match="record=True"):
        s.finish()
    for wrong, match in ((lambda: s.set("torqe", 1), "no input"), (lambda: s.set("torque", float("nan")), "torque"),
                         (lambda: s.advance(99), "outside"), (lambda: s.ramp("torque", 1, -1), "torque")):
        with pytest.raises(fp.SimulationError, match=match):
            wrong()
    with pytest.raises(KeyError, match="did you mean 'joints/pin/rate'"):
        s["joints/pin/rat"]
    s.advance(1)
    with pytest.raises(fp.SimulationError):
        s.advance(0.5)
    assert s.advance(2) == "time" and s.time == 2


def test_ramp_and_steps():
    s = fp.Simulator(pendulum())
    s.ramp("torque", 3.0, 0.5)
    s.advance(0.25)
    assert s.inputs["torque"] == pytest.approx(1.5)
    before = s.time
    s.step()
    assert s.time > before
    assert s["bodies/bob/position"].shape == (2,) and s.unit("bodies/bob/position.x") == "m"
    assert "bodies/bob/position.x" in s and "bodies/bab/position.x" not in s


def test_one_thread_at_a_time():
    s = fp.Simulator(fp.load(CRANK, set={"simulation.duration": "100 s"}))
    caught = []
    done = threading.Event()

    def intrude():
        while not done.is_set():
            try:
                s.time
            except RuntimeError as error:
                caught.append(str(error))
                return
    thread = threading.Thread(target=intrude)
    thread.start()
    s.advance(2)
    done.set()
    thread.join()
    assert caught and "another thread" in caught[0]


def test_ctrl_c_is_heard(python):
    done = python("""
import os, signal, threading, time
import freeplay as fp
s = fp.Simulator(fp.load("examples/07_clearance/slider_crank.toml", set={"simulation.duration": "100 s"}))
sent = []
threading.Timer(0.5, lambda: (sent.append(time.monotonic()), os.kill(os.getpid(), signal.SIGINT))).start()
try:
    s.advance(100)
except KeyboardInterrupt:
    print(time.monotonic() - sent[0], s.time > 0, s.advance(s.time + 1e-3))
""")
    late, moved, goes_on = done.stdout.split()
    assert float(late) < 0.5 and moved == "True" and goes_on == "time", done.stderr
