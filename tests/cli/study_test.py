#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Studies through the command line: same results for any number of workers, killed and resumed, faults.

usage: study_test.py FREEPLAY [TestCase ...]      (normally called by ctest)
"""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import h5py
import numpy as np

from harness import FREEPLAY, PENDULUM

SWING = PENDULUM.replace('duration = 2\noutput = "10 ms"', "duration = 0.2\ntolerance = 1e-8")

SWEEP = """
model = "pendulum.toml"
kind  = "sweep"
vary."bodies.rod.position.0" = { from = 0.1, to = 0.5, count = %d }
observe = ["bodies/rod/angle", "max joints/pivot/reaction_force.y", "mean bodies/rod/velocity.y", "energy_residual"]
seed = 1
"""

# A ball bouncing on a table that shakes with Gamma = A w^2 / g (verification/cases E), seen from the table: e = 0.8, w = 10 rad/s. The
# period doubles at Gamma = 1.0708. It starts near the motion of period 1, at the top of its flight: the table is hit at the
# phase with Gamma cos(phase) = pi (1-e)/(1+e), and the flight takes one period of the table.
BALL = """
[mechanism]
planar = true
gravity = [0, -9.81]
[parameters]
Gamma = 1.03
[bodies.ball]
mass = 1
inertia = 1
position = [0, 0.67]
velocity = [0, %.15g]
[joints.rail]
type = "prismatic"
bodies = ["ground", "ball"]
at = [0, 0.67]
axis = [0, 1]
stop = { lower = -0.67, contact = { law = "newton", restitution = 0.8 } }
[forces.shaking]
body = "ball"
at = [0, 0.67]
direction = [0, 1]
magnitude = { sine = { amplitude = "Gamma*9.81 N", frequency = "10/(2*pi)*1 Hz", phase = "%.15g rad" } }
[simulation]
duration = "1 s"
tolerance = 1e-10
"""


def ball(e=0.8, w=10.0, gamma=1.03):
    phase = np.arccos(np.pi * (1 - e) / (1 + e) / gamma) - np.pi  # of the table, half a period before the hit
    return BALL % (-gamma * 9.81 / w * np.cos(phase), phase)


def datasets(path):
    """Everything in a table but what belongs to one execution."""
    out = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: out.update({name: item[()].tobytes() if hasattr(item[()], "tobytes") else item[()]})
                        if isinstance(item, h5py.Dataset) else None)
    return out


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = Path(self.folder.name)
        self.write("pendulum.toml", SWING)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        (self.dir / name).write_text(text)

    def call(self, *words, prefix=(), **options):
        return subprocess.run([*prefix, FREEPLAY, *map(str, words)], cwd=self.dir, text=True, capture_output=True,
                              timeout=300, **options)

    def study(self, *words, status=0, **options):
        done = self.call("study", *words, **options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done


class Sweep(Case):
    def test_numbers_are_those_of_single_runs(self):
        self.write("sweep.toml", SWEEP % 3)
        done = self.study("sweep.toml", "-o", "out.h5")
        self.assertIn("rod angle [rad]", done.stdout)
        with h5py.File(self.dir / "out.h5") as file:
            self.assertEqual(file.attrs["rows"], 3)
            self.assertEqual(file.attrs["complete"], 1)
            np.testing.assert_allclose(file["inputs/bodies.rod.position.0"][:], [0.1, 0.3, 0.5], rtol=1e-15)
            angles = file["outputs/bodies/rod/angle"][:]
            peaks = file["outputs/joints/pivot/reaction_force.y/max"][:]
            means = file["outputs/bodies/rod/velocity.y/mean"][:]
            self.assertEqual(file["outputs/bodies/rod/angle"].attrs["unit"], "rad")
            values = file["inputs/bodies.rod.position.0"][:]
        for x, angle, peak, mean in zip(values, angles, peaks, means):
            self.call("run", "pendulum.toml", "-o", "one.h5", "--set", f"bodies.rod.position.0={x!r}")
            with h5py.File(self.dir / "one.h5") as one:
                self.assertEqual(one["bodies/rod/angle"][-1], angle)
                self.assertAlmostEqual(one["joints/pivot/reaction_force"][:, 1].max(), peak, delta=1e-3 * abs(peak))
                height = one["bodies/rod/position"][:, 1]
                self.assertAlmostEqual((height[-1] - height[0]) / 0.2, mean, delta=1e-6)
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["one.h5", "out.h5", "pendulum.toml", "sweep.toml"])

    def test_any_number_of_workers_gives_the_same(self):
        self.write("mc.toml", """
model = "pendulum.toml"
kind = "monte-carlo"
samples = 40
vary."bodies.rod.mass" = { distribution = "normal", mean = 1, standard_deviation = 0.1 }
vary."bodies.rod.position.0" = { distribution = "uniform", from = 0.2, to = 0.3 }
observe = ["bodies/rod/angle"]
limits."bodies/rod/angle" = { above = -1 }
seed = 5
""")
        self.study("mc.toml", "-o", "one.h5", "--workers", 1)
        self.study("mc.toml", "-o", "two.h5", "--workers", 2)
        self.study("mc.toml", "-o", "many.h5", "--workers", 7)
        self.assertEqual(datasets(self.dir / "one.h5"), datasets(self.dir / "two.h5"))
        self.assertEqual(datasets(self.dir / "one.h5"), datasets(self.dir / "many.h5"))

    def test_words_can_be_varied(self):
        self.write("words.toml", """
model = "pendulum.toml"
kind = "sweep"
vary."simulation.integrator" = ["dop853", "cvode-bdf"]
observe = ["bodies/rod/angle"]
""")
        self.study("words.toml", "-o", "out.h5")
        with h5py.File(self.dir / "out.h5") as file:
            a, b = file["outputs/bodies/rod/angle"][:]
            self.assertNotEqual(a, b)
            self.assertAlmostEqual(a, b, delta=1e-5)

    def test_json(self):
        self.write("sweep.toml", SWEEP % 2)
        answer = json.loads(self.study("sweep.toml", "--json").stdout)
        self.assertEqual((answer["status"], answer["rows"], answer["failed"]), ("done", 2, 0))

    def test_page_and_single_rows(self):
        self.write("sweep.toml", SWEEP % 4)
        self.study("sweep.toml")
        self.assertEqual(self.call("report", "sweep.h5").returncode, 0)
        self.assertIn('"kind":"sweep"', (self.dir / "sweep.html").read_text())
        self.study("sweep.toml", "--row", "2", "--quiet")
        with h5py.File(self.dir / "sweep.h5") as table, h5py.File(self.dir / "sweep_row_2.h5") as run:
            self.assertEqual(run["bodies/rod/angle"][-1], table["outputs/bodies/rod/angle"][2])
        self.assertIn("rows 0 to 3", self.study("sweep.toml", "--row", "4", status=5).stderr)
        self.write("sweep.toml", SWEEP % 5)
        self.assertIn("not a finished table of this study", self.study("sweep.toml", "--row", "2", status=5).stderr)
        both = self.call("report", "sweep.h5", "sweep_row_2.h5")
        self.assertEqual(both.returncode, 2)
        self.assertIn("a study has a page of its own", both.stderr)

    def test_under_mpi_the_same(self):
        self.assertTrue(shutil.which("mpirun"), "Open MPI is missing; ./dev deps installs it")
        self.write("sweep.toml", SWEEP % 30)
        self.study("sweep.toml", "-o", "alone.h5")
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = self.study("sweep.toml", "-o", "team.h5", prefix=("mpirun", "--oversubscribe", "-n", "2"), env=environment)
        self.assertEqual(done.stdout.count("30 rows"), 1)  # one process speaks
        self.assertEqual(datasets(self.dir / "alone.h5"), datasets(self.dir / "team.h5"))


class Faults(Case):
    def test_failing_and_endless_rows_carry_their_error(self):
        self.write("bad.toml", """
model = "pendulum.toml"
kind = "sweep"
vary."simulation.duration" = [0.1, 1e7, 0.2]
observe = ["bodies/rod/angle"]
time_limit = 0.3
""")
        done = self.study("bad.toml", "-o", "out.h5", status=4)
        self.assertIn("row 1", done.stderr)
        with h5py.File(self.dir / "out.h5") as file:
            self.assertEqual(list(file["rows/status"][:]), [0, 5, 0])
            self.assertIn(b"time limit", file["rows/error"][1]["error"])
            self.assertTrue(np.isfinite(file["outputs/bodies/rod/angle"][:]).all())

    def test_impossible_values_fail_alone(self):
        self.write("bad.toml", """
model = "pendulum.toml"
kind = "sweep"
vary."bodies.rod.mass" = [1, -1, 2]
observe = ["bodies/rod/angle"]
""")
        done = self.study("bad.toml", "-o", "out.h5", status=4)
        self.assertIn("1 of 3 rows failed", done.stderr)
        with h5py.File(self.dir / "out.h5") as file:
            self.assertEqual(list(file["rows/status"][:]), [0, 1, 0])

    def test_mistakes_write_nothing(self):
        self.write("bad.toml", 'model = "pendulum.toml"\nkind = "swep"\nobserv = []\n')
        done = self.study("bad.toml", "-o", "out.h5", status=2)
        self.assertIn("did you mean 'sweep'", done.stderr)
        self.assertIn("did you mean 'observe'", done.stderr)
        self.assertFalse((self.dir / "out.h5").exists())
        self.study("nowhere.toml", status=5)

    def test_output_over_the_input_is_refused(self):
        self.write("sweep.toml", SWEEP % 2)
        self.assertIn("overwrite", self.study("sweep.toml", "-o", "pendulum.toml", status=5).stderr)
        self.assertIn("pendulum", (self.dir / "pendulum.toml").read_text())

    def test_places_that_cannot_be_written(self):
        self.write("sweep.toml", SWEEP % 2)
        self.assertIn("cannot write", self.study("sweep.toml", "-o", "no/such/out.h5", status=5).stderr)
        self.study("sweep.toml", "-o", "/proc/out.h5", status=5)

    def test_full_disk_is_told_and_what_was_done_is_kept(self):
        self.write("sweep.toml", SWEEP % 400)
        done = self.study("sweep.toml", "-o", "out.h5", status=5,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))
        self.assertIn("cannot write", done.stderr)
        self.study("sweep.toml", "-o", "out.h5", "--resume")
        self.study("sweep.toml", "-o", "whole.h5")
        self.assertEqual(datasets(self.dir / "out.h5"), datasets(self.dir / "whole.h5"))

    def test_two_studies_in_one_place(self):
        self.write("slow.toml", SWEEP % 20000)
        first = subprocess.Popen([FREEPLAY, "study", "slow.toml", "-o", "out.h5"], cwd=self.dir,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for _ in range(200):
                if (self.dir / "out.h5.journal").exists():
                    break
                time.sleep(0.05)
            done = self.study("slow.toml", "-o", "out.h5", status=5)
            self.assertIn(f"process {first.pid}", done.stderr)
        finally:
            first.kill()
            first.wait()
        # Its lock is stale now: resuming takes it over, and says so.
        self.write("changed.toml", SWEEP % 10)
        done = self.study("changed.toml", "-o", "out.h5", "--resume", status=5)
        self.assertIn("another study", done.stderr)
        self.assertIn("left behind", done.stderr)

    def test_changed_model_is_refused(self):
        self.write("sweep.toml", SWEEP % 4000)
        self.interrupt("sweep.toml", signal.SIGKILL)
        self.write("pendulum.toml", SWING.replace("mass = 1", "mass = 1.1"))
        done = self.study("sweep.toml", "-o", "out.h5", "--resume", status=5)
        self.assertIn("another model", done.stderr)

    def interrupt(self, study, what, after_rows=3, *more):
        """Starts a study, sends it a signal once some rows are there, returns its exit status."""
        process = subprocess.Popen([FREEPLAY, "study", study, "-o", "out.h5", *more], cwd=self.dir,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        journal = self.dir / "out.h5.journal"
        enough = 100 * after_rows + (journal.stat().st_size if journal.exists() else 90)
        for _ in range(2000):
            if process.poll() is not None or (journal.exists() and journal.stat().st_size > enough):
                break
            time.sleep(0.005)
        process.send_signal(what)
        return process.wait()

    def test_interrupted_once_it_finishes_its_rows_and_resumes(self):
        self.write("sweep.toml", SWEEP % 4000)
        self.assertEqual(self.interrupt("sweep.toml", signal.SIGINT), 130)
        self.assertFalse((self.dir / "out.h5").exists())
        self.assertFalse((self.dir / "out.h5.lock").exists())
        self.write("sweep.toml", SWEEP % 4000)
        self.assertEqual(self.interrupt("sweep.toml", signal.SIGTERM, 3, "--resume"), 130)

    def test_complete_study_is_not_repeated(self):
        self.write("sweep.toml", SWEEP % 3)
        self.study("sweep.toml", "-o", "out.h5")
        before = (self.dir / "out.h5").read_bytes()
        self.assertIn("complete already", self.study("sweep.toml", "-o", "out.h5", "--resume").stderr)
        self.assertEqual(before, (self.dir / "out.h5").read_bytes())


class Killed(Case):
    def test_killed_twenty_times_the_table_is_the_same(self):
        self.write("sweep.toml", SWEEP % 500)
        self.study("sweep.toml", "-o", "whole.h5")
        chance = random.Random(1)
        begun = time.time()
        for kill in range(20):
            process = subprocess.Popen([FREEPLAY, "study", "sweep.toml", "-o", "out.h5", "--resume"], cwd=self.dir,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.01, 0.15))
            process.kill()
            process.wait()
        self.study("sweep.toml", "-o", "out.h5", "--resume")
        self.assertEqual(datasets(self.dir / "out.h5"), datasets(self.dir / "whole.h5"))
        self.assertFalse((self.dir / "out.h5.journal").exists())


class Mechanisms(Case):
    def test_bouncing_ball_doubles_its_period(self):
        self.write("ball.toml", ball())
        self.write("ball_study.toml", """
model = "ball.toml"
kind = "bifurcation"
vary."parameters.Gamma" = [1.03, 1.11]
section = { every = "2*pi/10*1 s" }
turns = { transient = 300, record = 40 }
observe = ["joints/rail/coordinate", "contacts"]
""")
        self.study("ball_study.toml", "-o", "out.h5")
        with h5py.File(self.dir / "out.h5") as file:
            self.assertEqual(list(file["outputs/period"][:]), [1, 2])
            self.assertEqual(len(file["section/row"]), 80)

    def test_continued_rows_begin_where_the_last_one_ended(self):
        self.write("ball.toml", ball())
        study = """
model = "ball.toml"
kind = "bifurcation"
start = "continue"
direction = "both"
vary."parameters.Gamma" = { from = 1.03, to = 1.06, count = 4 }
section = { every = "2*pi/10*1 s" }
turns = { transient = 60, record = 10 }
observe = ["joints/rail/coordinate"]
"""
        self.write("study.toml", study)
        self.study("study.toml", "-o", "out.h5", "--workers", 1)
        self.study("study.toml", "-o", "two.h5", "--workers", 2)
        self.assertEqual(datasets(self.dir / "out.h5"), datasets(self.dir / "two.h5"))
        with h5py.File(self.dir / "out.h5") as file:
            self.assertEqual(list(file["outputs/period"][:]), [1] * 8)
            up = file["outputs/joints/rail/coordinate/mean"][:]
            np.testing.assert_allclose(up[:4], up[:3:-1], rtol=1e-3)

    def test_optimum_and_fit_find_what_was_hidden(self):
        self.write("best.toml", """
model = "pendulum.toml"
kind = "optimise"
vary."bodies.rod.position.0" = { from = 0.05, to = 0.6 }
minimise = "bodies/rod/angle"
algorithm = "bobyqa"
evaluations = 60
precision = 1e-6
""")
        # Falls fastest where x^2 = I/m: the angle at the end is then lowest.
        answer = json.loads(self.study("best.toml", "--json").stdout)
        self.assertAlmostEqual(answer["results"]["best/bodies.rod.position.0"], (1 / 48) ** 0.5, delta=5e-3)
        self.call("run", "pendulum.toml", "-o", "one.h5", "--set", "bodies.rod.inertia=0.031")
        with h5py.File(self.dir / "one.h5") as one:
            time_, angle = one["uniform/time"][::20], one["uniform/bodies/rod/angle"][::20]
        np.savetxt(self.dir / "measured.csv", np.column_stack([time_, angle]), delimiter=",")
        self.write("fit.toml", """
model = "pendulum.toml"
kind = "fit"
vary."bodies.rod.inertia" = { from = 0.01, to = 0.1 }
measured = { series = "bodies/rod/angle", file = "measured.csv" }
algorithm = "bobyqa"
precision = 1e-7
""")
        answer = json.loads(self.study("fit.toml", "--json").stdout)
        self.assertAlmostEqual(answer["results"]["best/bodies.rod.inertia"], 0.031, delta=1e-5)

    def test_sensitivity_and_interval(self):
        vary = """
vary."bodies.rod.mass" = { from = 0.9, to = 1.1 }
vary."bodies.rod.position.0" = { from = 0.2, to = 0.3 }
observe = ["bodies/rod/angle"]
"""
        self.write("sobol.toml", 'model = "pendulum.toml"\nkind = "sensitivity"\nsamples = 64\n' + vary)
        answer = json.loads(self.study("sobol.toml", "--json").stdout)["results"]
        self.assertEqual(json.loads(self.study("sobol.toml", "--json").stdout)["rows"], 256)
        first, total = answer["bodies/rod/angle/first"], answer["bodies/rod/angle/total"]
        self.assertGreater(total[1], total[0])
        self.assertAlmostEqual(sum(first), 1, delta=0.15)
        self.write("bounds.toml", 'model = "pendulum.toml"\nkind = "interval"\nnodes = 4\n' + vary)
        low, high = json.loads(self.study("bounds.toml", "--json").stdout)["results"]["bodies/rod/angle/bounds"]
        corners = []
        for mass in (0.9, 1.1):
            for x in (0.2, 0.3):
                self.call("run", "pendulum.toml", "-o", "one.h5", "--set", f"bodies.rod.mass={mass}", "--set",
                          f"bodies.rod.position.0={x}")
                with h5py.File(self.dir / "one.h5") as one:
                    corners.append(one["bodies/rod/angle"][-1])
        self.assertAlmostEqual(low, min(corners), delta=1e-4)  # monotone in both
        self.assertAlmostEqual(high, max(corners), delta=1e-4)

    def test_section_by_a_level(self):
        # A pendulum let go from the horizontal passes the bottom to the left once a swing, always as fast.
        self.write("level.toml", """
model = "pendulum.toml"
kind = "bifurcation"
vary."bodies.rod.mass" = [1, 2]
set."simulation.duration" = 2
section = { series = "bodies/rod/position.x", level = 0, direction = "down" }
turns = { transient = 1, record = 4 }
observe = ["bodies/rod/velocity.x", "min bodies/rod/position.y"]
""")
        self.study("level.toml", "-o", "out.h5")
        with h5py.File(self.dir / "out.h5") as file:
            self.assertEqual(list(file["outputs/period"][:]), [1, 1])
            # m g l = (I + m l^2) w^2 / 2; v = w l
            for row, mass in enumerate([1, 2]):
                speed = 0.25 * (2 * mass * 9.81 * 0.25 / (1 / 48 + mass * 0.0625)) ** 0.5
                self.assertAlmostEqual(file["outputs/bodies/rod/velocity.x/mean"][row], -speed, delta=1e-5)
                self.assertAlmostEqual(file["outputs/bodies/rod/position.y/min/mean"][row], -0.25, delta=1e-4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
