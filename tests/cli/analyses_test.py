#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Equilibrium, modes, convergence, new models, the schema."""

import json
import math
import unittest

import numpy as np

from harness import PENDULUM, Cli


class Analyses(Cli):
    def test_check(self):
        self.write("pendulum.toml", PENDULUM)
        text = self.freeplay("check", "pendulum.toml")
        for word in ("degrees of freedom", "redundant constraints", "assembly residual", "pivot", "revolute"):
            self.assertIn(word, text)
        report = json.loads(self.freeplay("check", "pendulum.toml", "--json"))
        self.assertEqual((report["degrees_of_freedom"], report["bodies"], report["redundant"]), (1, ["rod"], []))
        self.assertEqual(list(self.dir.iterdir()), [self.dir / "pendulum.toml"])

    def test_equilibrium_and_modes(self):
        self.write("pendulum.toml", PENDULUM)
        rest = json.loads(self.freeplay("equilibrium", "pendulum.toml", "--json"))
        self.assertTrue(rest["found"])
        np.testing.assert_allclose(rest["values"]["bodies/rod/position"], [0, -0.25], atol=1e-9)
        # omega^2 = m g a / (J + m a^2), a = 0.25 m, J = 1/48 kg m^2
        f = math.sqrt(9.81 * 0.25 / (1 / 48 + 0.25**2)) / (2 * math.pi)
        [mode] = json.loads(self.freeplay("modes", "pendulum.toml", "--json"))["modes"]
        self.assertAlmostEqual(mode["frequency"], f, delta=1e-9)
        self.assertIn("frequency", self.freeplay("modes", "pendulum.toml"))
        self.assertIn("position", self.freeplay("equilibrium", "pendulum.toml"))

    BEARING = ["--clearance", "90 um", "--length", "20 mm", "--viscosity", "19.85 cP", "--speed", "6000 rpm"]

    def test_bearing(self):
        # Verification case C6.
        report = json.loads(self.freeplay("bearing", "--diameter", "30 mm", *self.BEARING, "--load", "53.955 N",
                                          "--law", "short-bearing", "--json"))
        [point] = report["points"]
        self.assertAlmostEqual(point["eccentricity_ratio"], 0.29974006, delta=5e-9)
        self.assertAlmostEqual(math.degrees(point["attitude"]), 68.196906, delta=5e-7)
        # Raimondi & Boyd, L/D = 1, ratio 0.6: S = 0.121, 50.58 degrees, f R/c = 3.22.
        report = json.loads(self.freeplay("bearing", "--radius", "10 mm", *self.BEARING, "--ratio", "0.6", "--inlet", "--json"))
        [point] = report["points"]
        self.assertAlmostEqual(point["sommerfeld"], 0.121, delta=0.0007)
        self.assertAlmostEqual(math.degrees(point["attitude"]), 50.58, delta=0.3)
        self.assertAlmostEqual(point["friction_variable"], 3.22, delta=0.02)
        table = self.freeplay("bearing", "--radius", "10 mm", *self.BEARING, "--set", "grooves=2",
                              "--set", "groove_angle=90 deg", "--set", "groove_width=20 deg")
        self.assertEqual(len(table.splitlines()), 12)
        for arguments, words in ((["--load", "5 kg"], "not N"), (["--load", "1e9"], "carries"), (["--ratio", "2"], "between"),
                                 (["--set", "groves=2"], "grooves"), (["--law", "shrt-bearing"], "short-bearing"),
                                 (["--set", "cells_along=7"], "even"), (["--set", "viscosity=-1"], "outside"),
                                 (["--law", "squeeze"], "ball")):
            self.freeplay("bearing", "--radius", "10 mm", *self.BEARING, *arguments, expect=4 if "carries" in words else 2)
            self.assertIn(words, self.stderr)

    def test_converge(self):
        self.write("pendulum.toml", PENDULUM)
        report = json.loads(self.freeplay("converge", "pendulum.toml", "--tolerance", "1e-8", "--json"))
        self.assertEqual(report["end"], 2)
        self.assertGreaterEqual(report["bodies"]["rod"]["asked"]["digits"], 6)
        self.assertEqual(report["bodies"]["rod"]["asked"]["settled_until"], 2)
        self.assertIn("settled until", self.freeplay("converge", "pendulum.toml"))
        self.assertEqual(list(self.dir.iterdir()), [self.dir / "pendulum.toml"])

    def test_new(self):
        for name, option in (("flat", "--planar"), ("space", "--spatial"), ("plain", None)):
            self.freeplay(*filter(None, ["new", name, option]))
            before = (self.dir / f"{name}.toml").read_bytes()
            self.freeplay("run", f"{name}.toml")
            self.assertEqual(self.stderr, "")  # a start without warnings
            self.freeplay("new", name, expect=2)
            self.assertEqual((self.dir / f"{name}.toml").read_bytes(), before)
        self.freeplay("new", "both", "--planar", "--spatial", expect=2)
        self.freeplay("new", "no/such/folder", expect=5)
        self.freeplay("new", "", expect=2)
        self.freeplay("new", 'it\'s "so"')
        self.freeplay("check", 'it\'s "so".toml')

    def test_schema_is_json(self):
        self.assertIn("bodies", json.loads(self.freeplay("schema"))["properties"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
