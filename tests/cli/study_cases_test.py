#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Studies of mechanisms whose answer is known exactly (verification/cases E), of the press (papers/chen_2016), and of many rows.

usage: study_cases_test.py FREEPLAY [TestCase ...]      (normally called by ctest)
"""

import os
import subprocess
import time
import unittest
from pathlib import Path

import h5py
import numpy as np

from harness import FREEPLAY
from study_test import SWEEP, SWING, Case, ball

ROOT = Path(__file__).resolve().parents[2]

CHAOS = ROOT / "examples/10_chaos"
DROPPED = (CHAOS / "ball.toml").read_text()
OSCILLATOR = (CHAOS / "oscillator.toml").read_text().split("tolerance")[0] + "tolerance = %s\n"


# x'' + 0.05 x' + x^3 = amplitude cos t as a slider on a rail; the spring is a formula or a table.
UEDA = """
[mechanism]
name    = "Ueda's oscillator"
planar  = true
gravity = [0, 0]
[parameters]
amplitude = 7.5
[bodies.mass]
mass     = 1
inertia  = 1
position = [0, 0]
velocity = [1, 0]
[joints.rail]
type   = "prismatic"
bodies = ["ground", "mass"]
at     = [0, 0]
axis   = [1, 0]
[springs.cubic]
joint   = "rail"
damping = 0.05
%s
[efforts.forcing]
joint     = "rail"
magnitude = { formula = "amplitude*cos(t)" }
[simulation]
duration  = 10
tolerance = 1e-9
"""


class Ueda(Case):
    """verification/cases E: 0.1025 with an amplitude of 7.5, the sum of both exponents -0.05 exactly. Weakly forced it follows, and
    both are half the damping."""

    def exponents(self, spring):
        self.write("ueda.toml", UEDA % spring)
        found = {}
        for amplitude, turns in ((7.5, 4000), (0.1, 400)):
            self.write("study.toml", f"""
model    = "ueda.toml"
kind     = "bifurcation"
vary."parameters.amplitude" = [{amplitude}]
section  = {{ every = "2*pi*1 s" }}
turns    = {{ transient = 200, record = {turns} }}
observe  = ["bodies/mass/position.x"]
lyapunov = 2
""")
            done = self.call("study", "study.toml", "-o", "out.h5")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r"chaotic .* %d\n" % (amplitude > 1))
            with h5py.File(self.dir / "out.h5") as file:
                found[amplitude] = [file[f"outputs/{name}"][0] for name in ("lyapunov", "lyapunov_2")]
        print(found)
        return found

    def check(self, spring):
        found = self.exponents(spring)
        self.assertAlmostEqual(found[7.5][0], 0.1025, delta=2e-3)
        self.assertAlmostEqual(sum(found[7.5]), -0.05, delta=1e-4)
        self.assertAlmostEqual(found[0.1][0], -0.025, delta=1e-3)
        self.assertAlmostEqual(sum(found[0.1]), -0.05, delta=1e-4)

    def test_spring_by_a_formula(self):
        self.check('formula = "x^3"')

    def test_spring_by_a_table_of_1001_knots(self):
        x = [round(-5 + 0.01 * k, 2) for k in range(1001)]
        self.check(f"table = {{ x = {x}, force = {[value**3 for value in x]} }}")


PENDULUM = """
[mechanism]
name    = "driven pendulum"
planar  = true
gravity = [0, 0]
[parameters]
amplitude = 1.12
angle     = -2.7
[bodies.bob]
mass     = 1
inertia  = 1
position = [0, 0]
angle    = "angle*1 rad"
angular_velocity = "1 rad/s"
[joints.pivot]
type   = "revolute"
bodies = ["ground", "bob"]
at     = [0, 0]
[springs.weight]
joint   = "pivot"
rest    = "-angle*1 rad"
formula = "sin(x) + 0.5*v"
[efforts.forcing]
joint     = "pivot"
magnitude = { formula = "amplitude*cos(2*t/3)" }
[simulation]
duration  = 10
formulation = "%s"
"""


class Periodic(Case):
    """Orbits by shooting, theory/chaos (L.8) to (L.10)."""

    def orbits(self, model, study, rows=None):
        self.write("model.toml", model)
        self.write("study.toml", 'model = "model.toml"\nkind = "periodic"\n' + study)
        done = self.call("study", "study.toml", "-o", "out.h5")
        with h5py.File(self.dir / "out.h5") as file:
            names = []
            file["outputs"].visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
            return done, {name: file["outputs"][name][...] for name in names}

    def test_unstable_orbit_of_the_pendulum_in_both_formulations(self):
        # K1: th'' + th'/2 + sin th = 1.12 cos(2t/3); multipliers recomputed independently, their product is exp(-3 pi/2).
        for formulation in ("tree", "cartesian"):
            done, found = self.orbits(PENDULUM % formulation, """
vary."parameters.amplitude" = [1.12]
section = { every = "3*pi*1 s" }
turns   = { record = 1 }
observe = ["bodies/bob/angle", "bodies/bob/angular_velocity"]
""")
            self.assertEqual(done.returncode, 0, done.stderr)
            print(formulation, {name: float(value[0]) for name, value in found.items()})
            self.assertAlmostEqual(found["bodies/bob/angle"][0], -2.7136618, delta=1e-7)  # as given
            self.assertAlmostEqual(found["bodies/bob/angular_velocity"][0], 1.0032596, delta=1e-7)
            self.assertAlmostEqual(found["multiplier_1/real"][0], -3.0089555, delta=1e-6)
            self.assertAlmostEqual(found["multiplier_2/real"][0], -0.0029855, delta=1e-6)
            product = found["multiplier_1/real"][0] * found["multiplier_2/real"][0]
            self.assertAlmostEqual(product, np.exp(-1.5 * np.pi), delta=1e-7)
            self.assertEqual(found["unstable"][0], 1)
            self.assertLess(found["closure"][0], 1e-9)

    def test_multipliers_of_a_linear_oscillator_are_exact(self):
        # x'' + 2 zeta x' + x = F cos wt far from its stop: mu = exp((-zeta +- i sqrt(1 - zeta^2)) T).
        done, found = self.orbits(OSCILLATOR % 1e-9, """
vary."parameters.F" = [0.3]
section = { every = "2*pi/0.8*1 s" }
turns   = { transient = 3, record = 1 }
observe = ["joints/rail/coordinate"]
""")
        self.assertEqual(done.returncode, 0, done.stderr)
        T = 2 * np.pi / 0.8
        exact = np.exp((-0.1 + 1j * np.sqrt(0.99)) * T)
        self.assertAlmostEqual(found["multiplier_1/real"][0], exact.real, delta=1e-8)
        self.assertAlmostEqual(abs(found["multiplier_1/imaginary"][0]), abs(exact.imag), delta=1e-8)
        self.assertAlmostEqual(found["joints/rail/coordinate"][0], 0, delta=1e-8)  # it starts on the exact orbit

    def test_orbit_of_two_turns_beyond_the_doubling(self):
        done, found = self.orbits(DROPPED, """
vary."parameters.Gamma" = [1.12]
set."parameters.height" = 0.5
section = { every = "2*pi/10*1 s" }
turns   = { transient = 1000, record = 2 }
observe = ["contacts"]
""")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((found["contacts"][0], found["unstable"][0]), (2, 0))
        size = found["multiplier_1/size"][0] * found["multiplier_2/size"][0]
        self.assertAlmostEqual(size, 0.8**4, delta=1e-6)  # two impacts, areas by e^2 each

    def test_what_is_no_orbit_says_so(self):
        self.write("model.toml", OSCILLATOR % 1e-9)
        study = 'model = "model.toml"\nkind = "periodic"\nvary."parameters.F" = [0.3]\nobserve = ["contacts"]\n'
        for more, message in (('', "'section' is missing"),
                              ('section = { event = "touch", joint = "rail" }\nturns = { record = 1 }\n', "needs a period"),
                              ('section = { every = "1 s" }\nturns = { record = 1 }\nlyapunov = true\n', "belongs to 'bifurcation'")):
            self.write("study.toml", study + more)
            done = self.call("study", "study.toml", "-o", "out.h5")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)
        # The force does not repeat after a second: nothing that it drives does.
        self.write("study.toml", study + 'section = { every = "1 s" }\nturns = { record = 1 }\n')
        done = self.call("study", "study.toml", "-o", "out.h5")
        self.assertIn("another period", done.stderr)


class Impacts(Case):
    def test_oscillator_grazes_at_the_exact_force(self):
        # A touch shorter than an eighth of a step goes unseen: with steps of 2 ms those less than 5 nm deep.
        self.write("oscillator.toml", OSCILLATOR % '1e-12\nmax_step = "2 ms"')
        low, high = 0.35, 0.45
        while high - low > 1e-8:
            middle = 0.5 * (low + high)
            done = self.call("run", "oscillator.toml", "--set", f"parameters.F={middle!r}", "-o", "out.h5", "--quiet")
            self.assertEqual(done.returncode, 0, done.stderr)
            with h5py.File(self.dir / "out.h5") as file:
                touched = len(file["events"]) > 0
            low, high = (low, middle) if touched else (middle, high)
        exact = np.hypot(1 - 0.8**2, 2 * 0.1 * 0.8)  # verification/cases E: F = s sqrt((1 - w^2)^2 + (2 z w)^2)
        print(f"grazing at F = {low:.9f}, exact {exact:.9f}")
        self.assertAlmostEqual(low, exact, delta=3e-8)
        self.assertAlmostEqual(exact, 0.3939543, delta=5e-8)

    def test_exponents_of_periodic_motions_are_exact_and_not_chaotic(self):
        # Below grazing: the damping, -zeta. With one impact a period the multipliers are a complex pair (found so), and their
        # product is that of the areas: exp(-2 zeta T) e^2 for the oscillator, e^2 for the ball of Gamma = 0.8.
        self.write("oscillator.toml", OSCILLATOR % 1e-10)
        self.write("ball.toml", ball(gamma=0.8))
        study = """
model = "%s"
kind = "bifurcation"
vary."parameters.%s" = %s
section = { every = "2*pi/%g*1 s" }
turns = { transient = %d, record = 100 }
observe = ["joints/rail/coordinate"]
lyapunov = true
"""
        # Without the stop, the larger motion would start beyond it.
        inside = 'set."parameters.x0" = 0\nset."parameters.v0" = 0\n'
        self.write("one.toml", study % ("oscillator.toml", "F", [0.39, 0.8], 0.8, 30) + inside)
        self.write("two.toml", study % ("ball.toml", "Gamma", [0.8], 10, 100))
        for file, exact in (("one", [-0.1, -0.1 + np.log(0.7) / (2 * np.pi / 0.8)]), ("two", [np.log(0.8) / (2 * np.pi / 10)])):
            done = self.study(f"{file}.toml", "-o", f"{file}.h5")
            self.assertRegex(done.stdout, r"chaotic[^\n]* 0\n")
            with h5py.File(self.dir / f"{file}.h5") as result:
                found, error = result["outputs/lyapunov"][:], result["outputs/lyapunov_error"][:]
            print("exponents", found, "+-", error, "exact", exact)
            np.testing.assert_array_less(np.abs(found - exact), 3 * error)
            np.testing.assert_allclose(found, exact, rtol=0.03)

    def test_as_many_exponents_as_asked_for(self):
        # The complex pair of an oscillator that touches nothing: -zeta each, so that the area shrinks by 2 zeta. The motion has
        # the period of its force: every look finds the same point.
        self.write("oscillator.toml", OSCILLATOR % 1e-10)
        study = """
model = "oscillator.toml"
kind = "bifurcation"
vary."parameters.F" = [0.39]
section = { every = "2*pi/0.8*1 s" }
turns = { transient = 30, record = 100 }
observe = ["joints/rail/coordinate"]
recurrence = true
lyapunov = %s
"""
        self.write("two.toml", study % "2")
        self.study("two.toml", "-o", "two.h5")
        with h5py.File(self.dir / "two.h5") as result:
            outputs = {name: result["outputs"][name][0] for name in (
                "lyapunov", "lyapunov_2", "lyapunov_error", "lyapunov_2_error", "recurrence_rate", "determinism", "period")}
        print(outputs)
        np.testing.assert_allclose([outputs["lyapunov"], outputs["lyapunov_2"]], -0.1, rtol=0.03)
        self.assertAlmostEqual(outputs["lyapunov"] + outputs["lyapunov_2"], -0.2, delta=1e-4)
        self.assertEqual([outputs["period"], outputs["recurrence_rate"]], [1, 1])
        self.assertAlmostEqual(outputs["determinism"], 1 - 1 / (100 * 99 / 2), delta=1e-12)  # all but first and last turn
        # The first of them is the one that is found alone.
        self.write("one.toml", study % "true")
        self.study("one.toml", "-o", "one.h5")
        with h5py.File(self.dir / "one.h5") as result:
            self.assertEqual(result["outputs/lyapunov"][0], outputs["lyapunov"])
            self.assertNotIn("lyapunov_2", result["outputs"])
        self.write("three.toml", study % "3")
        done = self.call("study", "three.toml", "-o", "three.h5")
        self.assertIn("the motion has only 2 exponents, 3 are asked for", done.stdout + done.stderr)

    def test_large_shaking_is_chaos(self):
        self.write("ball.toml", DROPPED)
        self.write("study.toml", """
model = "ball.toml"
kind = "bifurcation"
vary."parameters.Gamma" = [2.5]
set."simulation.tolerance" = 1e-10
section = { every = "2*pi/10*1 s" }
turns = { transient = 100, record = 200 }
observe = ["joints/rail/coordinate"]
lyapunov = true
""")
        done = self.study("study.toml", "-o", "out.h5")
        self.assertRegex(done.stdout, r"chaotic[^\n]* 1\n")
        with h5py.File(self.dir / "out.h5") as result:
            self.assertEqual(result["outputs/period"][0], 0)

    def test_a_ball_that_settles_forgets_how_it_began(self):
        self.write("ball.toml", DROPPED)
        self.write("study.toml", """
model = "ball.toml"
kind = "bifurcation"
vary."parameters.Gamma" = [0.05]
section = { every = "2*pi/10*1 s" }
turns = { transient = 20, record = 5 }
observe = ["joints/rail/coordinate"]
lyapunov = 2
""")
        done = self.study("study.toml", "-o", "out.h5")
        self.assertRegex(done.stdout, r"forget their start[^\n]* 1\n")
        with h5py.File(self.dir / "out.h5") as result:
            self.assertEqual(result["outputs/period"][0], 1)
            for name in ("lyapunov", "lyapunov_2"):
                self.assertEqual([result["outputs"][name][0], result["outputs"][name + "_error"][0]], [-np.inf, 0])

    def test_basins_of_rest_and_of_bouncing(self):
        self.write("ball.toml", DROPPED)
        self.write("study.toml", """
model = "ball.toml"
kind = "bifurcation"
vary."parameters.height" = { from = 0.1, to = 1, count = 19 }
section = { every = "2*pi/10*1 s" }
turns = { transient = 100, record = 10 }
observe = ["bodies/ball/position.y", "max bodies/ball/position.y", "contacts"]
""")
        self.study("study.toml", "-o", "out.h5")
        with h5py.File(self.dir / "out.h5") as result:
            height = result["outputs/bodies/ball/position.y/mean"][:]
            contacts = result["outputs/contacts/mean"][:]
            self.assertEqual(len(result["section/bodies/ball/position.y/value"]), 190)
            self.assertEqual(len(result["section/bodies/ball/position.y/max"]), 190)
        # The orbit of period 1: it is hit where Gamma cos(phase) = pi (1-e)/(1+e), and flies for one period.
        g, w, e, Gamma = 9.81, 10.0, 0.8, 0.6
        phase = np.arccos(np.pi * (1 - e) / (1 + e) / Gamma)
        flown = (2 * np.pi - phase) / w
        bouncing = Gamma * g / w**2 * np.sin(phase) + g * np.pi / w * flown - 0.5 * g * flown**2
        rest = np.abs(height) < 1e-9
        self.assertGreater(rest.sum(), 3)
        self.assertGreater((~rest).sum(), 3)
        np.testing.assert_allclose(height[~rest], bouncing, atol=1e-7)
        np.testing.assert_array_equal(contacts, np.where(rest, 0, 1))


class Press(Case):
    def test_repeatability_of_eight_settings(self):
        """The study of the examples with 22 turns instead of 105."""
        text = (ROOT / "examples/08_study/press_repeatability.toml").read_text()
        text = text.replace("../../mechanisms", str(ROOT / "mechanisms"))
        self.write("press.toml", text.replace("transient = 5, record = 100", "transient = 2, record = 20"))
        self.study("press.toml", "-o", "out.h5")
        with h5py.File(self.dir / "out.h5") as file:
            lowest = file["outputs/bodies/main_slider/position.y/min/mean"][:]
            scatter = file["outputs/bodies/main_slider/position.y/min/range"][:]
            peak = file["outputs/bodies/main_slider/acceleration.y/max/mean"][:]
            clearance = file["inputs/joints.pin.clearance.radial"][:]
        self.assertEqual(len(lowest), 8)
        self.assertEqual(scatter[2], scatter[5])  # the same setting twice
        # papers/chen_2016, figures 8, 10, 11: the lowest position falls with the clearance, accelerations grow with clearance and speed.
        by_clearance, by_speed = slice(4, 8), slice(0, 4)
        self.assertTrue((np.diff(lowest[by_clearance]) < 0).all(), lowest)
        self.assertTrue((np.diff(peak[by_clearance]) > 0).all(), peak)
        self.assertTrue((np.diff(peak[by_speed]) > 0).all(), peak)
        self.assertTrue((scatter < clearance).all())


class Scale(Case):
    def peak_memory(self, rows):
        """Of the program, in kB; its own, not that of the process it was started from."""
        self.write("sweep.toml", SWEEP % rows)
        words = [FREEPLAY, "study", "sweep.toml", "-o", f"out{rows}.h5", "--workers", "2"]
        with subprocess.Popen(words, cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            peak = 0
            while process.poll() is None:
                status = Path(f"/proc/{process.pid}/status").read_text()
                peak = max([peak] + [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")])
                time.sleep(0.002)
            self.assertEqual(process.returncode, 0, process.stderr.read())
        return peak

    def test_memory_does_not_grow_with_the_rows(self):
        # FREEPLAY_ROWS=100000 for the real thing.
        many = int(os.environ.get("FREEPLAY_ROWS", "5000"))
        self.write("pendulum.toml", SWING.replace("duration = 0.2", "duration = 0.001"))
        few, lots = self.peak_memory(many // 10), self.peak_memory(many)
        print(f"peak memory: {few / 1024:.1f} MB for {many // 10} rows, {lots / 1024:.1f} MB for {many} rows")
        self.assertLess(lots, few + 4096)  # an index of 16 bytes a row is allowed, its results are not
        with h5py.File(self.dir / f"out{many}.h5") as file:
            self.assertEqual(len(file["outputs/bodies/rod/angle"]), many)


if __name__ == "__main__":
    unittest.main(verbosity=2)
