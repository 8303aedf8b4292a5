#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Equilibrium, modes, convergence, new models, the schema."""

import json
import math
import unittest
from pathlib import Path

import numpy as np

from harness import PENDULUM, Cli


ROOT = Path(__file__).resolve().parents[2]


class Analyses(Cli):
    def test_check(self):
        self.write("pendulum.toml", PENDULUM)
        text = self.freeplay("check", "pendulum.toml")
        for word in ("degrees of freedom", "redundant constraints", "assembly residual", "pivot", "revolute"):
            self.assertIn(word, text)
        report = json.loads(self.freeplay("check", "pendulum.toml", "--json"))
        self.assertEqual((report["degrees_of_freedom"], report["bodies"], report["redundant"]), (1, ["rod"], []))
        self.assertEqual(list(self.dir.iterdir()), [self.dir / "pendulum.toml"])

    def test_contact_loss(self):
        model = ROOT / "mechanisms/slider_crank.toml"
        text = self.freeplay("contact-loss", model, "--csv", "indices.csv")
        for word in ("least reaction", "following number", "Earles and Wu", "contact is lost", "separations"):
            self.assertIn(word, text)
        self.assertIn("are bounces", self.stderr)
        self.assertIn("pin following [1]", (self.dir / "indices.csv").read_text().splitlines()[0])
        found = json.loads(self.freeplay("contact-loss", model, "--ideal-only", "--json"))
        pin = found["joints"][0]
        self.assertEqual((pin["joint"], len(pin["lost"])), ("pin", 4))
        self.assertNotIn("separations", pin)
        self.freeplay("contact-loss", ROOT / "mechanisms/four_bar.toml", expect=2)
        self.assertIn("no round pin", self.stderr)

    def test_modes_over_a_length(self):
        # A pendulum of a point mass: w^2 = g/L.
        self.write("pendulum.toml", """[mechanism]
planar = true
gravity = [0, -9.81]
[parameters]
length = "1 m"
[bodies.bob]
mass = 1
inertia = 0
position = [0, "-length"]
[joints.pivot]
type = "revolute"
bodies = ["ground", "bob"]
at = [0, 0]
""")
        found = json.loads(self.freeplay("modes", "pendulum.toml", "--over", "parameters.length=400:1600 mm", "--positions", "7", "--json"))
        self.assertEqual((found["path"], found["unit"], len(found["at"]), len(found["tracks"])), ("parameters.length", "mm", 7, 1))
        for at, (_, w) in zip(found["at"], found["tracks"][0]["values"]):
            self.assertAlmostEqual(w, math.sqrt(9.81 / (at["value"] / 1000)), delta=1e-7)
        self.assertEqual((found["critical_speeds"], found["onsets"]), ([], []))
        text = self.freeplay("modes", "pendulum.toml", "--over", "parameters.length=400:1600 mm", "--positions", "3", "-o", "modes.svg", "--csv", "modes.csv")
        self.assertIn("stable", text)
        self.assertIn("frequency, Hz", (self.dir / "modes.svg").read_text())
        rows = (self.dir / "modes.csv").read_text().splitlines()
        self.assertEqual((rows[0].split(",")[:2], len(rows)), (["parameters.length [mm]", "mode 1 frequency [Hz]"], 4))

    def test_modes_over_a_speed(self):
        # A mass on a spring beside a shaft that turns: critical where the shaft turns as fast as it swings, w = 50 rad/s.
        # Its damper of 2 N s/m is weakened by `feed`: beyond it the motion grows.
        self.write("rotor.toml", """[mechanism]
planar = true
gravity = [0, 0]
[parameters]
speed = "10 rad/s"
feed = 0
[bodies]
shaft = { position = [0, 0], mass = 1, inertia = 1 }
mass = { position = [1, 0], mass = 2, inertia = 1 }
[joints]
bearing = { type = "revolute", bodies = ["ground", "shaft"], at = [0, 0], drive = { speed = "speed" } }
rail = { type = "prismatic", bodies = ["ground", "mass"], at = [1, 0], axis = [1, 0] }
[springs.spring]
joint = "rail"
stiffness = "5000 N/m"
[efforts.damper]
joint = "rail"
magnitude = { formula = "-(2 - feed)*v" }
""")
        over = ("modes", "rotor.toml", "--over", "parameters.speed=10:300 rad/s", "--positions", "11")
        found = json.loads(self.freeplay(*over, "--json"))
        self.assertEqual(len(found["critical_speeds"]), 1)
        self.assertAlmostEqual(found["critical_speeds"][0]["speed"], 50 * math.sqrt(1 - 0.01**2), delta=1e-6)
        self.assertAlmostEqual(found["critical_speeds"][0]["damping"], 0.01, delta=1e-5)
        self.assertIn("once a turn at 49.997 rad/s: mode 1, damping ratio 0.01\n", self.freeplay(*over))
        found = json.loads(self.freeplay("modes", "rotor.toml", "--over", "parameters.feed=0:7", "--positions", "4", "--json"))
        self.assertEqual([o["unstable"] for o in found["onsets"]], [True])
        self.assertAlmostEqual(found["onsets"][0]["value"], 2, delta=1e-3)
        for wrong in ("parameters.speed", "parameters.speed=10", "parameters.speed=300:10 rad/s", "parameters.speed=10 rpm:300 rad/s",
                      "parameters.speed=1:2 parsec", "=1:2"):
            self.freeplay("modes", "rotor.toml", "--over", wrong, expect=2)
            self.assertIn("--over wants PATH=FROM:TO", self.stderr)
        self.freeplay("modes", "rotor.toml", "-o", "x.svg", expect=2)
        self.freeplay(*over, "-o", "x.gif", expect=2)
        self.freeplay("modes", "rotor.toml", "--over", "parameters.sped=1:2 rad/s", expect=2)
        self.assertIn("did you mean 'speed'?", self.stderr)

    def test_a_rotor_out_of_balance_is_not_looked_at_in_silence(self):
        model = ROOT / "examples/12_machines/rotor.toml"
        for verb in ("modes", "equilibrium"):
            self.freeplay(verb, model)
            self.assertIn("the drive of left turns, but stands still in this equilibrium", self.stderr)
        self.assertIn("turning", self.freeplay("modes", model, "--set", "bodies.bolt=false", "--set", "joints.screw=false"))
        self.assertNotIn("stands still", self.stderr)

    def test_tolerance(self):
        model = ROOT / "examples/07_clearance/slider_crank.toml"
        text = self.freeplay("tolerance", model, "--of", "bodies/slider/position.x", "--csv", "curves.csv")
        for word in ("worst case", "standard deviation", "joints.pin.clearance", "37 positions"):
            self.assertIn(word, text)
        curves = (self.dir / "curves.csv").read_text().splitlines()
        self.assertEqual(len(curves), 38)
        self.assertIn("bodies/slider/position.x high [m]", curves[0])
        found = json.loads(self.freeplay("tolerance", model, "--of", "bodies/slider/position.x", "--dimension",
                                         "parameters.rod=120 mm+-50 um", "--samples", "20", "--json"))
        output = found["outputs"][0]
        # At the inner dead centre the rod is in line: play and tolerance add up.
        self.assertAlmostEqual(output["at"][0]["high"], 5.5e-4, delta=1e-9)
        self.assertEqual(output["sampled"]["samples"], 20)
        for wrong, word in (([], "--of"), (["--of", "bodies/slider/velocity.x"], "no position"),
                            (["--of", "bodies/slider/position.x", "--from", "1 s"], "go together"),
                            (["--of", "bodies/slider/position.x", "--dimension", "parameters.rod=1"], "PATH=VALUE+-TOL"),
                            (["--of", "bodies/slider/position.x", "--dimension", "parameters.r=1+-1"], "has no 'r'")):
            self.freeplay("tolerance", model, *wrong, expect=2)
            self.assertIn(word, self.stderr)

    def test_gradient(self):
        model = ROOT / "examples/07_clearance/slider_crank.toml"
        asked = ["gradient", model, "--duration", "0.3 ms", "--of", "touch joints/pin", "--wrt", "joints.pin.clearance.radial"]
        text = self.freeplay(*asked, "--wrt", "bodies.slider.mass", "--central")
        for word in ("touch joints/pin = 0.000227286", "s/m", "s/kg", "6 beside the first"):
            self.assertIn(word, text)
        found = json.loads(self.freeplay(*asked, "--json"))
        self.assertAlmostEqual(found["outputs"][0]["slope"][0], 0.2280094, delta=1e-6)
        self.assertEqual((found["variables"][0]["value"], found["variables"][0]["unit"]), (5e-4, "m"))
        for wrong, word in ((["--of", "energy/kinetic"], "--wrt"), (["--wrt", "bodies.rod.mass"], "--of"),
                            (["--of", "contacts", "--wrt", "bodies.rod.mass"], "a count has no gradient"),
                            (["--of", "energy/kinetic", "--wrt", "bodies.rot.mass"], "did you mean 'rod'"),
                            (["--of", "energy/kinetic", "--wrt", "bodies.rod.mass", "--integrator", "cvode-bdf"], "dop853")):
            self.freeplay("gradient", model, "--duration", "0.1 ms", *wrong, expect=2)
            self.assertIn(word, self.stderr)
        # In vibrating contact nothing can be told of the end.
        self.freeplay("gradient", model, "--of", "energy/kinetic", "--wrt", "joints.pin.clearance.radial", "--duration", "30 ms", expect=4)
        self.assertIn("there are no gradients", self.stderr)

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
        # verification/cases C6
        report = json.loads(self.freeplay("bearing", "--diameter", "30 mm", *self.BEARING, "--load", "53.955 N",
                                          "--law", "short-bearing", "--json"))
        [point] = report["points"]
        self.assertAlmostEqual(point["eccentricity_ratio"], 0.29974006, delta=5e-9)
        self.assertAlmostEqual(math.degrees(point["attitude"]), 68.196906, delta=5e-7)
        # Raimondi & Boyd, L/D = 1, ratio 0.6: S = 0.121, 50.58 degrees, f R/c = 3.22.
        report = json.loads(self.freeplay("bearing", "--radius", "10 mm", *self.BEARING, "--ratio", "0.6", "--inlet",
                                          "--set", "full_shear=true", "--json"))
        [point] = report["points"]
        self.assertAlmostEqual(point["sommerfeld"], 0.121, delta=0.0007)
        self.assertAlmostEqual(math.degrees(point["attitude"]), 50.58, delta=0.3)
        self.assertAlmostEqual(point["friction_variable"], 3.22, delta=0.02)
        table = self.freeplay("bearing", "--radius", "10 mm", *self.BEARING, "--set", "grooves=2",
                              "--set", "groove_angle=90 deg", "--set", "groove_width=20 deg")
        self.assertEqual(len(table.splitlines()), 12)
        for arguments, words in ((["--load", "5 kg"], "not N"), (["--load", "1e9 N"], "carries"), (["--ratio", "2"], "between"),
                                 (["--set", "groves=2"], "grooves"), (["--law", "shrt-bearing"], "short-bearing"),
                                 (["--set", "cells_along=7"], "even"), (["--set", "viscosity=-1 Pa s"], "outside"),
                                 (["--law", "squeeze"], "ball")):
            self.freeplay("bearing", "--radius", "10 mm", *self.BEARING, *arguments, expect=4 if "carries" in words else 2)
            self.assertIn(words, self.stderr)

    def test_bearing_with_two_grooves_under_load(self):
        # Lund & Thomsen 1978, L/D = 0.5, S = 0.580: ratio 0.477, attitude 51.01 degrees, kxy = 3.70, cxx = 6.96.
        R, c, L, eta, w = 10e-3, 90e-6, 10e-3, 19.85e-3, 200 * math.pi
        load = eta * w / (2 * math.pi) * L * 2 * R * (R / c)**2 / 0.580
        grooves = ["--set", "grooves=2", "--set", "groove_angle=90 deg", "--set", "groove_width=20 deg"]
        bearing = ["--radius", "10 mm", "--clearance", "90 um", "--length", "10 mm", "--viscosity", "19.85 cP",
                   "--speed", "6000 rpm", *grooves]
        [point] = json.loads(self.freeplay("bearing", *bearing, "--load", f"{load} N", "--json"))["points"]
        self.assertAlmostEqual(point["sommerfeld"], 0.580, delta=1e-8)
        self.assertAlmostEqual(point["eccentricity_ratio"], 0.477, delta=0.01)
        self.assertAlmostEqual(math.degrees(point["attitude"]), 51.01, delta=0.5)
        self.assertAlmostEqual(point["stiffness_number"][1], 3.70, delta=0.06 * 3.70)
        self.assertAlmostEqual(point["damping_number"][0], 6.96, delta=0.06 * 6.96)
        self.assertLess(point["load_error"], 0.005)
        self.assertLess(point["stiffness_error"], 0.03)
        self.assertIn("error of the load", self.freeplay("bearing", *bearing, "--load", f"{load} N"))
        self.freeplay("bearing", *bearing, "--ratio", "0.95", "--set", "cells_around=64")
        self.assertIn("leaves an error", self.stderr)

    def test_bearing_wants_units(self):
        for option, value in (("--diameter", "30"), ("--load", "50"), ("--set", "groove_angle=90")):
            arguments = [*self.BEARING, option, value] + ([] if option == "--diameter" else ["--diameter", "30 mm"])
            self.freeplay("bearing", *arguments, expect=2)
            self.assertIn("has no unit", self.stderr)

    ROTOR = """
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.rotor]
mass = 5.5
inertia = 1e-3
position = [0, 0]
angular_velocity = "6000 rpm"
[joints.bearing]
type = "revolute"
bodies = ["ground", "rotor"]
at = [0, 0]
[joints.bearing.clearance]
bearing_radius = "15.09 mm"
journal_radius = "15 mm"
bearing_length = "20 mm"
material = "steel"
film = { law = "short-bearing", viscosity = "19.85 cP", torque = false }
"""

    def test_rotor_in_oil(self):
        self.write("rotor.toml", self.ROTOR)
        rest = json.loads(self.freeplay("equilibrium", "rotor.toml", "--json"))
        self.assertTrue(rest["found"] and rest["spinning"])
        [load] = rest["loads"]
        self.assertAlmostEqual(load["eccentricity_ratio"], 0.29974006, delta=5e-9)
        self.assertIn("in balance while it turns", self.freeplay("equilibrium", "rotor.toml"))
        self.assertIn("rotor turns about z", self.stderr)  # a free motion
        self.assertTrue(json.loads(self.freeplay("modes", "rotor.toml", "--json"))["stable"])
        self.assertIn("stable: no mode grows", self.freeplay("modes", "rotor.toml"))
        fast = ["rotor.toml", "--set", "bodies.rotor.angular_velocity=10000 rpm"]
        self.assertFalse(json.loads(self.freeplay("modes", *fast, "--json"))["stable"])
        self.assertIn("unstable: an oscillation of 78.801 Hz grows", self.freeplay("modes", *fast))

    def test_no_equilibrium_is_explained(self):
        self.write("rotor.toml", self.ROTOR)
        still = ["rotor.toml", "--set", "mechanism.gravity=[0, 0]", "--set", "bodies.rotor.angular_velocity=0"]
        self.freeplay("equilibrium", *still, expect=4)
        self.assertIn("bearing floats in its play", self.stderr)
        self.freeplay("modes", *still, expect=4)
        self.assertIn("bearing floats in its play", self.stderr)
        self.freeplay("equilibrium", "rotor.toml", "--set", "joints.bearing.clearance.film.torque=true", expect=4)
        self.assertIn("spin does not last", self.stderr)

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

    def test_new_from_templates(self):
        listed = self.freeplay("new", "--list")
        for name in ("press", "leg", "four-bar", "rotor", "latch", "mast"):
            self.assertRegex(listed, rf"\n  {name} +\w")
            self.freeplay("new", name)
            self.freeplay("check", f"{name}.toml")
            self.assertEqual(self.stderr, "")
        self.freeplay("new", "my_own", "--from", "rotor")
        self.assertEqual((self.dir / "my_own.toml").read_text(), (self.dir / "rotor.toml").read_text())
        self.freeplay("new", "other", "--from", "pres", expect=2)
        self.assertIn("there is no template 'pres'; there are slider-crank, press", self.stderr)
        self.freeplay("new", "other", "--from", "press", "--spatial", expect=2)

    def test_schema_is_json(self):
        self.assertIn("bodies", json.loads(self.freeplay("schema"))["properties"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
