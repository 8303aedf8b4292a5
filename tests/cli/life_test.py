#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Lives that wear, through the command line: killed and resumed, and as rows of a study.

usage: life_test.py FREEPLAY [TestCase ...]      (normally called by ctest)
"""

import math
import random
import subprocess
import unittest
from pathlib import Path

import h5py

from harness import FREEPLAY, Cli

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "13_wear" / "slider_crank.toml"

# A pin that turns in a bushing under 1000 N, 10 rad/s: verification/cases W1 (a).
PIN = """
[mechanism]
planar = true
gravity = [0, 0]
[parameters]
k = 1e-14
[bodies.pin]
mass = 1000
inertia = 1
angular_velocity = 10
[joints.bore]
type = "revolute"
bodies = ["ground", "pin"]
at = [0, 0]
[joints.bore.clearance]
bearing_radius = "10 mm"
journal_radius = "9.9 mm"
bearing_length = "15 mm"
material = { young = 207e9, poisson = 0.3 }
offset = [1.04641588833612783e-4, 0]
force_point = "ball"
contact = { law = "hertz", stiffness = 1e11 }
wear = { law = "archard", outer = "k*1 1/Pa", inner = "k*1 1/Pa" }
[forces.load]
body = "pin"
at = [0, 0]
vector = [1000, 0]
[simulation]
duration = 1
"""
TURN = 2 * math.pi / 10
LIFE = 'life = { cycle = %.17g, until = { cycles = 1e9, clearance = "0.12 mm" }, update = false }\n' % TURN


def cycles_of(k):
    """Until the clearance has grown by 20 um: the deepest sector of the bearing, and the pin all round."""
    radius, length, force = 0.01, 0.015, 1000
    volume = k * force * 2 * math.pi * 0.0099  # m^3 per turn
    half = 8.595626742e-4  # of the line of Hertz, m
    u = math.radians(0.5) * radius / half
    share = 2 * (u * math.sqrt(1 - u * u) + math.asin(u)) / math.pi  # of one sector of a degree
    deepest = share * volume / (radius * length * math.radians(1))
    return 20e-6 / (deepest + volume / (2 * math.pi * 0.0099 * length))


class Rows(Cli):
    def outputs(self, name):
        with h5py.File(self.dir / "out.h5") as file:
            return file["outputs/" + name][:]

    def test_lives_without_update_are_inverse_to_the_coefficient(self):
        self.write("pin.toml", PIN)
        self.write("study.toml", 'model = "pin.toml"\nkind = "sweep"\nvary."parameters.k" = [1e-14, 2e-14, 5e-14]\n' + LIFE)
        self.freeplay("study", "study.toml", "-o", "out.h5")
        for life, k in zip(self.outputs("life/end"), (1e-14, 2e-14, 5e-14)):
            self.assertAlmostEqual(life / cycles_of(k), 1, delta=2e-3)  # where the borders of the pin's sectors lie
        self.assertEqual(list(self.outputs("life/ended_by")), [1, 1, 1])
        for clearance in self.outputs("bore/clearance"):
            self.assertAlmostEqual(clearance, 0.12e-3, delta=1e-12)

    def test_life_as_a_distribution(self):
        self.write("pin.toml", PIN)
        limit = cycles_of(2e-14)
        self.write("study.toml", 'model = "pin.toml"\nkind = "monte-carlo"\nsamples = 32\nsampling = "latin-hypercube"\n'
                   'vary."parameters.k" = { from = 1e-14, to = 3e-14 }\nlimits."life/end" = { above = %.17g }\n' % limit + LIFE)
        self.freeplay("study", "study.toml", "-o", "out.h5")
        with h5py.File(self.dir / "out.h5") as file:
            quantiles = file["results/life/end/quantiles"][:]
            share = file["results/life/end/outside"][:]
            lives, coefficients = file["outputs/life/end"][:], file["inputs/parameters.k"][:]
        for life, k in zip(lives, coefficients):
            self.assertAlmostEqual(life / cycles_of(k), 1, delta=2e-3)
        self.assertAlmostEqual(quantiles[2] / limit, 1, delta=0.05)  # the median of 1/k is 1 over that of k
        self.assertAlmostEqual(share[0], 0.5, delta=0.04)

    def test_a_life_that_lasts_says_so(self):
        self.write("pin.toml", PIN)
        self.write("study.toml", 'model = "pin.toml"\nkind = "sweep"\nvary."parameters.k" = [1e-15]\n'
                   + LIFE.replace("1e9", "100"))
        self.freeplay("study", "study.toml", "-o", "out.h5")
        self.assertEqual(list(self.outputs("life/end")), [100])
        self.assertEqual(list(self.outputs("life/ended_by")), [0])

    def test_mistakes(self):
        self.write("pin.toml", PIN)
        head = 'model = "pin.toml"\nkind = "sweep"\nvary."parameters.k" = [1e-14]\n'
        for text, said in (('observe = ["contacts"]\n' + LIFE, "does not belong to a life"),
                           (LIFE.replace(", update = false", ""), "radii of the new parts"),
                           (LIFE.replace("cycles = 1e9, ", ""), "a life must end"),
                           ('life = { until = { cycles = 10 } }\n', "cycle")):
            self.write("study.toml", head + text)
            self.freeplay("study", "study.toml", "-o", "out.h5", expect=2)
            self.assertIn(said, self.stderr)
        # A row whose model cannot be fails alone.
        self.write("study.toml", 'model = "pin.toml"\nkind = "sweep"\n'
                   'vary."joints.bore.clearance.bearing_length" = ["15 mm", "0 mm"]\n' + LIFE)
        self.freeplay("study", "study.toml", "-o", "out.h5", expect=4)
        self.assertIn("bearing_length", self.stderr)


class Killed(Cli):
    def test_ten_times_by_kill_9(self):
        self.write("life.toml", f'model = "{EXAMPLE}"\nkind = "wear"\ncycle = "0.2 s"\nuntil = {{ cycles = 600 }}\n')
        self.freeplay("study", "life.toml", "-o", "whole.h5", timeout=600)
        times = random.Random(19)
        kills = 0
        for attempt in range(200):
            more = ["--resume"] if attempt else []
            process = subprocess.Popen([FREEPLAY, "study", "life.toml", "-o", "out.h5", *more], cwd=self.dir,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(times.uniform(0.1, 0.6) if kills < 10 else 600)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
                continue
            self.assertEqual(process.returncode, 0)
            break
        self.assertGreaterEqual(kills, 5)  # a quick machine may be through before the tenth
        whole, pieces = self.datasets("whole.h5"), self.datasets("out.h5")
        self.assertEqual(sorted(whole), sorted(pieces))
        for name, values in whole.items():
            self.assertEqual(getattr(values, "tobytes", lambda: values)(), getattr(pieces[name], "tobytes", lambda: pieces[name])(), name)


if __name__ == "__main__":
    unittest.main()
