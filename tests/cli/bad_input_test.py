#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Bad inputs and how they end: items 1 to 12 of the list in the reliability contract, one test or more each.

A number in a test's name is the item. Every case ends with its documented status, names the place or the part, and leaves
no result under its final name. In-process sweeps of item 1 (every truncation, thousands of flipped bytes) are in
tests/unit/io/load_robustness_test.cpp.

usage: bad_input_test.py FREEPLAY [TestCase ...]      (normally called by ctest)
"""

import json
import math
import os
import re
import resource
import subprocess
import unittest
from pathlib import Path

import h5py
import numpy as np

from harness import DROP, FREEPLAY, LOCKS, PENDULUM, TOO_SHORT, Cli

MODELS = Path(__file__).resolve().parents[1] / "verification" / "models"
CLEARANCE = "joints.bearing.clearance."


def changed(text, *pairs):
    """`text` with each of the pairs (old, new) replaced; old must be there."""
    for old, new in zip(pairs[::2], pairs[1::2]):
        assert old in text, old
        text = text.replace(old, new)
    return text


class BadInput(Cli):
    def refused(self, text, *said, options=(), status=2, verb="run", place=r"bad\.toml:\d+(:\d+)?: "):
        """The model ends with `status`, says each of `said` (regular expressions), and writes nothing."""
        (self.dir / "bad.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
        self.freeplay(verb, "bad.toml", *options, expect=status)
        if status == 2 and place:
            self.assertRegex(self.stderr, place)
        for words in said:
            self.assertRegex(self.stderr, words)
        self.assertFalse((self.dir / "bad.h5").exists())
        if status != 4:
            self.assertEqual(list(self.dir.glob("bad*.h5")), [])

    def runs(self, text, *options, audit=1e-5):
        """The model runs to its end, with its energy accounted for; returns the summary and the datasets."""
        self.write("good.toml", text)
        summary = json.loads(self.freeplay("run", "good.toml", "--json", *options))
        self.assertEqual(summary["status"], "done")
        if summary["energy_scale"] > 0:
            self.assertLess(summary["energy_residual"], audit * summary["energy_scale"])
        data = self.datasets("good.h5")
        for path, values in data.items():
            if values is not None and getattr(values, "dtype", None) is not None and values.dtype.kind == "f":
                self.assertTrue(np.isfinite(values).all(), path)
        return summary, data


class InputFile(BadInput):
    def test_01_empty_and_blank(self):
        for text in ("", " \n\t\n", "# only words\n"):
            self.refused(text, "the model has no bodies", place=r"bad\.toml: ")

    def test_01_not_text(self):
        self.refused(bytes(range(256)) * 40, r"bad\.toml", place=None)
        self.refused(b"\x7fELF\x02\x01\x01" + b"\0" * 500, "NUL|not text|UTF", place=None)
        self.refused(b"[bodies.\"\xe4\"]\nmass = 1\n", "UTF-8", place=None)

    def test_01_byte_order_marks_and_line_ends(self):
        for text in (b"\xef\xbb\xbf" + PENDULUM.encode(), PENDULUM.replace("\n", "\r\n").encode(),
                     PENDULUM.replace("\n", "\r").encode()):
            (self.dir / "good.toml").write_bytes(text)
            self.freeplay("run", "good.toml", "--quiet")
        for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
            self.refused(PENDULUM.encode(encoding), "UTF-16", "save it as UTF-8", place=r"bad\.toml")

    def test_01_nul_bytes(self):
        self.refused(PENDULUM.encode().replace(b"mass", b"ma\0ss"), "contains a NUL byte")

    def test_01_deep_nesting_and_huge_names(self):
        deep = 10**6
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))  # 1 GB
        for text in ("a = " + "[" * deep, "[" * deep, "a = " + "{a=" * deep, "[" + "a." * deep + "a]\n",
                     "a = " + "[" * deep + "]" * deep, PENDULUM + "[bodies." + "x" * deep + "]\nmass = 1\n",
                     changed(PENDULUM, "mass = 1", "mass = " + "9" * deep),
                     changed(PENDULUM, "mass = 1", "mass = \"" + "(" * deep + "1" + ")" * deep + "\"")):
            self.write("bad.toml", text)
            self.freeplay("check", "bad.toml", expect=2, preexec_fn=limit, timeout=10)
            self.assertLess(len(self.stderr), 2000)

    def test_01_truncated(self):
        # Every 7th byte through the program; every byte of a longer model in process (see above).
        for n in range(0, len(DROP), 7):
            (self.dir / "cut.toml").write_text(DROP[:n])
            done = subprocess.run([FREEPLAY, "check", "cut.toml"], cwd=self.dir, capture_output=True,
                                           text=True, timeout=10)
            self.assertIn(done.returncode, (0, 2), DROP[:n])
            if done.returncode == 2:
                self.assertRegex(done.stderr, r"freeplay: cut\.toml")

    def test_02_keys(self):
        self.refused(changed(PENDULUM, "mass = 1", "mas = 1"), r"bodies\.rod\.mas: unknown key 'mas' \(did you mean 'mass'\?\)",
                     "one of 'mass', 'density', 'shape' or 'flexible' is missing")
        self.refused(changed(PENDULUM, "mass = 1", "mass = 1\nmass = 2"), "mass")
        self.refused(PENDULUM + "[bodies.rod]\nmass = 1\n", "rod")
        self.refused(changed(PENDULUM, "mass = 1", "mass = [1]"), "found a list|found .*; expected a number")
        self.refused(changed(PENDULUM, "mass = 1", "mass = true"), "expected a number >= 0 in kg")
        self.refused(changed(PENDULUM, "[bodies.rod]", "[[bodies.rod]]"), r"bodies\.rod")
        self.refused(changed(PENDULUM, 'output = "10 ms"', 'output = "10"\nduratoin = 3'), "did you mean 'duration'")

    def test_02_units(self):
        self.refused(changed(PENDULUM, "mass = 1", 'mass = "1 m"'), "found '1 m', in m; expected a number >= 0 in kg")
        self.refused(changed(PENDULUM, "mass = 1", 'mass = "1 pound"'), "pound")
        self.refused(changed(DROP, '"0.5 mm"', '"0.5 um m"'), "radial")

    def test_02_forms_of_numbers(self):
        for number in ("nan", "inf", "1e999", '"1e999"', '"1,5"', "-1", '"nan"', '"1/0"'):
            with self.subTest(number):
                self.refused(changed(PENDULUM, "mass = 1", f"mass = {number}"), r"bad\.toml:7:\d+")
        for number in ("0x10", "1_000", '"1e0"', "+1"):
            with self.subTest(number):
                self.write("good.toml", changed(PENDULUM, "mass = 1", f"mass = {number}"))
                self.freeplay("check", "good.toml")
        self.refused(changed(PENDULUM, "mass = 1", "mass = 1,5"), r"bad\.toml:7:")
        for number in ("-0", "-0.0", "1e-320"):
            self.write("good.toml", changed(PENDULUM, "position = [0.25, 0]", f"position = [0.25, {number}]"))
            self.freeplay("run", "good.toml", "--quiet")
        # Such a mass is not even a number to divide by.
        self.refused(changed(PENDULUM, "mass = 1", "mass = 1e-320"), "the mechanism is singular where it starts", status=3)

    def test_03_references(self):
        self.refused(changed(PENDULUM, '["ground", "rod"]', '["ground", "rood"]'), "there is no body 'rood' .did you mean 'rod'")
        self.refused(changed(PENDULUM, '["ground", "rod"]', '["rod", "rod"]'), "joints.pivot")

    def test_03_includes(self):
        self.write("b.toml", 'include = ["bad.toml"]\n')
        self.refused('include = ["b.toml"]\n' + PENDULUM, "files include each other in a circle: bad.toml -> b.toml -> bad.toml",
                     place=r"b\.toml:1:")
        self.refused('include = ["../../etc/passwd"]\n' + PENDULUM, "outside")
        self.refused('include = ["/etc/passwd"]\n' + PENDULUM, "absolute paths are refused")
        self.refused('include = ["nothing.toml"]\n' + PENDULUM, "there is no such file")

    def test_03_things_that_are_no_model_file(self):
        os.mkfifo(self.dir / "pipe.toml")
        (self.dir / "folder.toml").mkdir()
        os.symlink("loop_b.toml", self.dir / "loop_a.toml")
        os.symlink("loop_a.toml", self.dir / "loop_b.toml")
        with open(self.dir / "huge.toml", "wb") as file:
            file.truncate(3 << 30)  # sparse
        self.write("locked.toml", PENDULUM)
        (self.dir / "locked.toml").chmod(0)
        for name, why in (("pipe.toml", "not a regular file"), ("folder.toml", "it is a folder"),
                          ("loop_a.toml", "symbolic links go round in a circle"), ("huge.toml", "at most 64 MB"),
                          ("missing.toml", "there is no such file"), ("locked.toml", "permi")):
            if name == "locked.toml" and os.geteuid() == 0:
                continue  # root reads everything
            for verb in ("run", "check"):
                self.freeplay(verb, name, expect=5, timeout=10)
                self.assertIn(why, self.stderr)
                self.assertIn(name, self.stderr)
        self.assertEqual(list(self.dir.glob("*.h5")), [])

    def test_03_files_of_another_kind(self):
        self.write("pendulum.toml", PENDULUM)
        self.freeplay("run", "pendulum.toml", "--quiet")
        self.freeplay("run", "pendulum.h5", expect=2)
        self.assertIn("it is a result; look at it with freeplay report, get or plot", self.stderr)
        for verb in ("report", "plot"):
            self.freeplay(verb, "pendulum.toml", expect=5)
            self.assertIn("run it first", self.stderr)
        self.freeplay("study", "pendulum.toml", expect=2)
        self.assertIn("this is a model, not a study of one", self.stderr)
        self.assertIn("1 mistake", self.stderr)         # and not one for every key

    def test_01_what_toml_makes_hard_to_guess(self):
        self.refused(changed(PENDULUM, "[joints.pivot]", "[joints]\npivot = { type = \"revolute\" }\n[joints.pivot.stop]"),
                     r"what was written in braces is complete")
        self.refused("[bodies]\nrod = { mass = 40,00 }\n", "decimals are written with a point")

    def test_04_suspected_units(self):
        def warned(text, *said):
            self.write("odd.toml", text)
            self.freeplay("check", "odd.toml")
            for words in said:
                self.assertRegex(self.stderr, r"warning: odd\.toml:\d+:\d+: .*" + words)
        warned(changed(PENDULUM, "mass = 1", "mass = 1e9"), r'if grams were meant, write "1e\+09 g"')
        warned(changed(PENDULUM, "position = [0.25, 0]", "position = [0.25, 0]\nangle = 90", "at = [0, 0]",
                       "at = { ground = [0, 0], rod = [-0.25, 0] }"), 'if degrees were meant, write "90 deg"')
        warned(changed(PENDULUM, "at = [0, 0]", "at = [0, 0]\nspeed = 3000"), 'if revolutions per minute were meant')
        warned(changed(PENDULUM, "position = [0.25, 0]", "position = [2500, 0]"), 'if millimetres were meant')
        warned(changed(DROP, 'radial = "0.5 mm"', 'radial = "0.5 mm"\nmaterial = { young = 207 }'), '207 GPa')
        warned(changed(DROP, 'radial = "0.5 mm"', 'radial = "4 mm"'), "is the unit right")
        self.refused(changed(DROP, 'radial = "0.5 mm"', "radial = 0.5"), "500 mm of clearance leave nothing",
                     "a bare number is in m")


class ModelMistakes(BadInput):
    FREE = changed(DROP, DROP[DROP.index("[joints.bearing]"):DROP.index("[simulation]")], "")

    def test_05_mass_and_inertia(self):
        self.refused(changed(PENDULUM, "mass = 1", "mass = -1"), "found -1; expected a number >= 0 in kg")
        self.refused(changed(PENDULUM, '"1/48"', "-1"), "found -1; expected a number >= 0 in kg m\\^2")
        self.refused(changed(PENDULUM, "mass = 1", "mass = 0"), "a body without mass has an inertia")
        spatial = "[mechanism]\ngravity = [0, 0, 0]\n[bodies.a]\nmass = 1\ninertia = %s\n[simulation]\nduration = 1\n"
        self.refused(spatial % "[1, 1, 3]", "triangle inequality", r"bad\.toml:5:11: bodies\.a\.inertia")
        self.refused(spatial % "[1, 1, -1]", r"bad\.toml:5:\d+: bodies\.a\.inertia")
        self.refused(spatial % "[1, 1, 1, 2, 0, 0]", "negative", "signs of the products")

    def test_05_massless_bodies_that_nothing_holds(self):
        self.refused(changed(PENDULUM, "mass = 1", "mass = 0", 'inertia = "1/48"', "inertia = 0"),
                     r"bodies\.rod: has no mass, and its joints leave it free to move", "give it mass and inertia")
        self.refused(changed(self.FREE, "inertia = 1e-3", "inertia = 0"), "has no inertia, and its joints leave it free to turn")
        self.refused(changed(self.FREE, "mass = 1", "mass = 0", "inertia = 1e-3", "inertia = 0"), "has no mass")

    def test_05_mass_ratio_of_a_thousand_million(self):
        light = ('[bodies.light]\nmass = 1e-9\ninertia = 1e-12\nposition = [0.5, -0.1]\n'
                 '[joints.hinge]\ntype = "revolute"\nbodies = ["rod", "light"]\nat = [0.5, 0]\n')
        _, data = self.runs(changed(PENDULUM, "[joints.pivot]", light + "[joints.pivot]"))
        _, alone = self.runs(PENDULUM)
        # A rod of 1 kg does not feel a speck of 1 microgram: 1e-9 of the motion, grown over three swings.
        np.testing.assert_allclose(data["uniform/bodies/rod/angle"], alone["uniform/bodies/rod/angle"], atol=1e-6)

    def test_06_nothing_there(self):
        self.refused("[simulation]\nduration = 1\n", "the model has no bodies", place=r"bad\.toml: ")
        summary, data = self.runs(self.FREE)  # no joints: free fall
        t = summary["time"]
        self.assertAlmostEqual(data["bodies/shaft/position"][-1, 1], -0.5 * 9.81 * t * t, delta=1e-12)
        summary, data = self.runs(changed(self.FREE, "-9.81", "0"))  # no gravity, no motion
        self.assertEqual(np.abs(data["bodies/shaft/position"]).max(), 0)

    def test_06_times(self):
        for duration in ("0", "-1"):
            self.refused(changed(PENDULUM, "duration = 2", f"duration = {duration}"),
                         rf"simulation\.duration: found {duration}; expected a number > 0 in s")
        self.refused(changed(PENDULUM, '"10 ms"', "3"), "the output step of 3 s is longer than the run of 2 s")
        self.refused(changed(PENDULUM, '"10 ms"', "2e-9"), r"1e\+09 rows would follow, about \d+ GB", "make the step longer than")

    def test_06_kinematic_analysis_of_what_is_not_driven(self):
        kinematic = changed(PENDULUM, "duration = 2", 'duration = 2\nanalysis = "kinematic"')
        self.refused(kinematic, r"bad\.toml: simulation\.analysis: a kinematic analysis needs every motion driven, and 1 degree",
                     "add drives", place=None)
        driven = changed(kinematic, "at = [0, 0]", "at = [0, 0]\ndrive = { speed = 1 }")
        self.runs(driven)
        self.refused(changed(DROP, "[simulation]", '[simulation]\nanalysis = "kinematic"'),
                     r"bad\.toml:17:\d+: simulation\.analysis: a kinematic analysis follows ideal joints, but 'bearing' has clearance",
                     r"use analysis = \"dynamic\", or set joints\.bearing\.clearance = false")

    def test_07_start_positions(self):
        gap = "at = { ground = [0, 0], rod = [-0.2501, 0] }"
        self.runs(changed(PENDULUM, "at = [0, 0]", gap))
        self.assertIn("assembly moved a body by up to 0.0001 m", self.stderr)
        far = changed(PENDULUM, "position = [0.25, 0]", "position = [0.25, 3]", "at = [0, 0]", gap)
        self.refused(far, r"body 'rod' would move by 2\.9\d m, in a mechanism that measures 0\.25 m", status=3)
        self.refused(TOO_SHORT, "no pose near the written one closes all joints", r"middle \(position x\) by", status=3)
        self.refused(TOO_SHORT, "Check lengths and joint points", status=3, verb="check")

    def test_07_start_velocities(self):
        self.runs(changed(PENDULUM, "position = [0.25, 0]", "position = [0.25, 0]\nvelocity = [1, 0]\nangular_velocity = 3"))
        self.assertRegex(self.stderr, r"start velocity of rod changed by [\d.]+ m/s to satisfy the joints")
        self.assertRegex(self.stderr, r"start angular velocity of rod changed by [\d.]+ rad/s")

    def test_07_of_two_branches_the_one_taken_is_shown(self):
        # Elbow of two rods over a span of 1: it can point up or down. Neither is written exactly.
        model = changed(TOO_SHORT, "ground = [3, 0]", "ground = [0.8, 0]")
        for sign in (1, -1):
            self.write("branch.toml", changed(model, "position = [0.25, 0]", f"position = [0.2, {0.1 * sign}]",
                                              "position = [0.75, 0]", f"position = [0.6, {0.1 * sign}]"))
            rows = re.findall(r"^  [ab] +1 +([-\d.e]+) +([-\d.e]+) ", self.freeplay("check", "branch.toml"), re.M)
            # Rods of 0.5 m over 0.8 m: the elbow is 0.3 m off the line, the centres half of that.
            self.assertEqual([(float(x), float(y)) for x, y in rows], [(0.2, 0.15 * sign), (0.6, 0.15 * sign)])

    def test_08_redundant_constraints(self):
        twice = '[joints.again]\ntype = "revolute"\nbodies = ["ground", "rod"]\nat = [0, 0]\n[simulation]'
        text = changed(PENDULUM, "[simulation]", twice)
        _, data = self.runs(text)
        report = json.loads(self.freeplay("check", "good.toml", "--json"))
        self.assertEqual(len(report["redundant"]), 2)
        self.assertEqual(set(report["not_unique"]), {"pivot", "again"})
        _, alone = self.runs(PENDULUM)
        np.testing.assert_allclose(data["uniform/bodies/rod/angle"], alone["uniform/bodies/rod/angle"], atol=1e-7)
        self.runs((MODELS / "a04_bricard.toml").read_text(), "--duration", "1")
        self.assertEqual(len(json.loads(self.freeplay("check", "good.toml", "--json"))["redundant"]), 1)

    def test_08_lock_up(self):
        self.refused(LOCKS, r"at t = 0\.14758\d+ s, in joint ", "may lock", r"the motion up to t = .* is in bad\.partial\.h5",
                     status=4)
        # The crank turns at 2 pi/s, the rod of 0.08 m stands upright at asin(0.8).
        with h5py.File(self.dir / "bad.partial.h5") as file:
            self.assertEqual(file.attrs["complete"], 0)
            self.assertAlmostEqual(file["time"][-1], math.asin(0.8) / (2 * math.pi), delta=1e-6)
            # ... and the motion before is that of the closed form, x = r cos + sqrt(l^2 - r^2 sin^2).
            t, x = file["time"][()], file["bodies/slider/position"][:, 0]
        early = t < 0.147
        angle = 2 * math.pi * t[early]
        np.testing.assert_allclose(x[early], 0.1 * np.cos(angle) + np.sqrt(0.08**2 - (0.1 * np.sin(angle))**2), atol=1e-7)

    def test_08_singular_start(self):
        # Three equal rods folded over each other on one line: the motion has a branch point there.
        rod = '[bodies.{0}]\nmass = 1\ninertia = "1/12"\nposition = [0.5, 0]\n'
        pin = '[joints.{0}]\ntype = "revolute"\nbodies = ["{1}", "{2}"]\nat = [{3}, 0]\n'
        text = ("[mechanism]\nplanar = true\ngravity = [0, -9.81]\n" + "".join(rod.format(n) for n in "abc") +
                pin.format("j1", "ground", "a", 0) + "speed = 1\n" + pin.format("j2", "a", "b", 1) +
                pin.format("j3", "b", "c", 0) + pin.format("j4", "ground", "c", 1) + "[simulation]\nduration = 1\n")
        self.write("folded.toml", text)
        done = subprocess.run([FREEPLAY, "run", "folded.toml"], cwd=self.dir, capture_output=True, text=True,
                                       timeout=60)
        # It may get through or stop; either way it says how it went, and no row is anything but finite.
        self.assertIn(done.returncode, (0, 4), done.stderr)
        name = "folded.h5" if done.returncode == 0 else "folded.partial.h5"
        self.assertEqual(done.returncode == 4, "freeplay: " in done.stderr)
        for path, values in self.datasets(name).items():
            if getattr(values, "dtype", None) is not None and values.dtype.kind == "f":
                self.assertTrue(np.isfinite(values).all(), path)


class Contacts(BadInput):
    def offset(self, y, *options):
        return self.runs(DROP, "--set", f"{CLEARANCE}offset=[0, {y}]", *options)

    def test_09_penetration_at_the_start(self):
        # Pressed in by d, the spring of the law holds K d^2.5/2.5: no more than that may come out.
        for depth in (1e-6, 2e-4, 1e-3):
            summary, data = self.offset(-0.5e-3 - depth)
            self.assertRegex(self.stderr, rf"joint bearing starts in contact, {1e3 * depth:.4g} mm deep, with [\d.e+]+ N")
            stored = 1e8 * depth**2.5 / 2.5
            fall = 9.81 * 2 * (0.5e-3 + depth)
            self.assertLess(data["energy/kinetic"].max(), 1.001 * stored + fall)
            self.assertAlmostEqual(data["joints/bearing/penetration"][0], depth, delta=1e-12)

    def test_09_journal_in_the_middle(self):
        summary, data = self.runs(changed(DROP, "gravity = [0, -9.81]", "gravity = [0, 0]"))
        self.assertEqual(np.abs(data["bodies/shaft/position"]).max(), 0)
        self.assertEqual(data["joints/bearing/ratio"].max(), 0)

    def test_09_no_clearance_left(self):
        # Held by the contact spring alone: it sinks in until K d^1.5 = m g, and swings about that.
        summary, data = self.runs(DROP, "--set", CLEARANCE + "radial=0")
        self.assertLess(data["joints/bearing/penetration"].max(), 2.5 * (9.81 / 1e8)**(2 / 3))
        self.runs(changed(DROP, "gravity = [0, -9.81]", "gravity = [0, 0]"), "--set", CLEARANCE + "radial=0")
        self.refused(DROP, r"radial: found '-1 mm'; expected a number >= 0 in m", options=["--set", CLEARANCE + "radial=-1 mm"],
                     place="--set: ")
        self.refused(changed(DROP, 'radial = "0.5 mm"', 'journal_radius = "11 mm"'), "11 mm is larger than the bearing_radius of 10 mm")

    def test_09_reversing_speed(self):
        drag = changed(DROP, "inertia = 1e-3", "inertia = 1e-3\nangular_velocity = 50", 'duration = "50 ms"', 'duration = "0.2 s"')
        friction = f'{CLEARANCE}friction={{ law = "ambrosio", kinetic = 0.2 }}'
        torque = changed(drag, "[simulation]", '[torques.brake]\nbody = "shaft"\nmagnitude = -1\n[simulation]')
        summary, data = self.runs(torque, "--set", friction)
        speed = data["bodies/shaft/angular_velocity"]
        self.assertTrue(speed.max() > 0 > speed.min())
        self.assertLess(np.diff(data["energy/work/joints/bearing/friction"]).max(), 1e-9)  # only ever takes

    def test_10_restitution(self):
        text = changed(DROP, "restitution = 0.9", "restitution = %s")
        for law, lowest in (("exact", 0.001), ("flores", 0.001), ("lankarani-nikravesh", 0), ("hunt-crossley", 0)):
            model = text.replace("lankarani-nikravesh", law)
            for bad in ("1.2", "-0.1", "nan", "inf") + (("0",) if lowest > 0 else ()):
                with self.subTest(law=law, restitution=bad):
                    self.refused(model % bad, r"clearance\.contact\.restitution: found", r"expected a (finite )?number")
            for good in ("1", "0" if lowest == 0 else "0.001"):
                with self.subTest(law=law, restitution=good):
                    summary, data = self.runs(model % good)
                    rows = data["impacts"]
                    # Nothing is gained but by the error of the run, which the restitution below is held to as well.
                    self.assertTrue((rows["energy_lost"] >= -2e-6 * 0.5 * rows["approach_speed"]**2).all())  # of 1 kg
                    if good == "1":
                        np.testing.assert_allclose(rows["achieved_restitution"], 1, atol=1e-6)

    def test_10_exponents(self):
        for exponent in (0, -1, 0.5, 100):
            self.refused(changed(DROP, "restitution = 0.9", f"restitution = 0.9, exponent = {exponent}"),
                         rf"contact\.exponent: found {exponent}; expected a number in \[1, 3\]")

    def test_10_vanishing_approach(self):
        # Just touching, at rest: the damping divides by the approach speed, which must be limited.
        summary, data = self.offset(-0.5e-3)
        self.assertLess(data["joints/bearing/normal_force"].max(), 5 * 9.81)
        self.assertLess(data["joints/bearing/penetration"].max(), 3 * (9.81 / 1e8)**(2 / 3))

    def test_10_bounces_that_die_away(self):
        # A Zeno sequence; it must end in rest on the spring, not in an endless loop.
        summary, data = self.runs(DROP.replace("lankarani-nikravesh", "flores"), "--set", CLEARANCE + "contact.restitution=0.3",
                                  "--duration", "2")
        self.assertLess(summary["contacts"], 100)
        self.assertLess(summary["steps"], 20000)
        sunk = (9.81 / 1e8)**(2 / 3)
        self.assertAlmostEqual(data["bodies/shaft/position"][-1, 1], -0.5e-3 - sunk, delta=0.2 * sunk)

    def test_10_simultaneous_contacts(self):
        # Two equal journals in one frame touch at the same instant; each keeps its own account.
        second = DROP[DROP.index("[bodies.shaft]"):DROP.index("[simulation]")].replace("shaft", "other").replace("bearing]", "twin]") \
            .replace("joints.bearing.", "joints.twin.")
        summary, data = self.runs(changed(DROP, "[simulation]", second + "[simulation]"))
        alone, _ = self.runs(DROP)
        self.assertEqual(summary["contacts"], 2 * alone["contacts"])
        rows = data["impacts"]
        a, b = rows[rows["joint"] == b"bearing"], rows[rows["joint"] == b"twin"]
        np.testing.assert_allclose(a["start"], b["start"], atol=1e-10)
        np.testing.assert_allclose(a["peak_force"], b["peak_force"], rtol=1e-4)

    def test_10_friction_coefficients(self):
        friction = CLEARANCE + 'friction={ law = "%s", kinetic = %s%s }'
        spin = changed(DROP, "inertia = 1e-3", "inertia = 1e-3\nangular_velocity = 50")
        _, none = self.runs(spin)
        _, zero = self.runs(spin, "--set", friction % ("ambrosio", 0, ""))
        np.testing.assert_allclose(zero["uniform/bodies/shaft/position"], none["uniform/bodies/shaft/position"],
                                   atol=1e-8)  # steps differ by the extra work integral; tolerance 1e-9 of 1 m
        _, huge = self.runs(spin, "--set", friction % ("ambrosio", 10, ""))
        self.assertLess(huge["energy/work/joints/bearing/friction"].max(), 1e-9)
        for bad in ("-0.1", "1e6"):
            self.refused(spin, r"friction\.kinetic: found .*; expected a number in \[0, 10\]",
                         options=["--set", friction % ("ambrosio", bad, "")], place="--set: ")
        self.refused(spin, "static friction below kinetic", options=["--set", friction % ("stribeck", 0.3, ", static = 0.1")])


class Drives(BadInput):
    def test_11_tables(self):
        def drive(text):
            return changed(PENDULUM, "at = [0, 0]", f"at = [0, 0]\ndrive = {{ table = {{ {text} }} }}")
        for table, why in (("time = [0], value = [0]", "found one point; a table needs at least two"),
                           ("time = [], value = []", "joints.pivot.drive.table"),
                           ("time = [0, 1, 2], value = [0, 1]", "found 3 and 2 entries; expected equally many"),
                           ("time = [0, 2, 1], value = [0, 1, 2]", "1 comes after 2; expected strictly increasing numbers"),
                           ("time = [0, 1, 1, 2], value = [0, 1, 1, 2]", "1 comes twice; expected strictly increasing numbers"),
                           ("time = [0, 1], value = [0, 1]", "the table runs from 0 s to 1 s, the simulation from 0 s to 2 s"),
                           ("time = [0, nan, 2], value = [0, 1, 2]", "expected a finite number")):
            with self.subTest(table):
                self.refused(drive(table), re.escape(why))
        # Gaps of very different length are no mistake; the spline goes through every point.
        _, data = self.runs(drive("time = [0, 1e-3, 1.9, 2], value = [0, 1e-3, 0.3, 0.2]"))
        self.assertAlmostEqual(data["bodies/rod/angle"][-1], 0.2, delta=1e-9)

    def test_11_tables_in_files(self):
        text = changed(PENDULUM, "at = [0, 0]", 'at = [0, 0]\ndrive = { table = { file = "motion.csv" } }')
        for rows, why in (("0,0\n1,x\n2,3\n", "motion.csv:2"), ("0,0\n1\n2,3\n", "motion.csv:2"), ("", "found no point"),
                          ("0,0\n2,1\n1,2\n", "strictly increasing"), ("0,0\n", "at least two")):
            self.write("motion.csv", rows)
            self.refused(text, re.escape(why), place=None)

    def test_11_steps(self):
        step = changed(PENDULUM, "at = [0, 0]", "at = [0, 0]\ndrive = { step = { from = 0, to = 1, start = 1, end = %s } }")
        self.refused(step % 1, "the step ends at 1 s, not after its start at 1 s")
        _, data = self.runs(step % 1.01)
        self.assertAlmostEqual(data["bodies/rod/angle"][-1], 1, delta=1e-9)
        # A corner has no derivative, which a drive and an implicit method need.
        corner = '[torques.kick]\nbody = "rod"\nmagnitude = { formula = "max(0, t - 1)" }\n[simulation]'
        self.refused(changed(PENDULUM, "[simulation]", corner), r"max\(\) of a variable has no smooth derivatives", "use a 'table'")

    def test_12_too_stiff(self):
        self.refused(DROP, r"contact\.stiffness: found '1e30 N/m\^1\.5'; expected a number in",
                     options=["--set", CLEARANCE + "contact.stiffness=1e30 N/m^1.5"], place="--set: ")
        # The largest stiffness that is taken still runs: contacts last nanoseconds.
        summary, data = self.runs(DROP, "--set", CLEARANCE + "contact.stiffness=1e20 N/m^1.5", "--time-limit", "60")
        self.assertLess((data["impacts"]["end"] - data["impacts"]["start"]).max(), 1e-6)

    def test_12_time_limit(self):
        spring = changed(PENDULUM, "[simulation]", '[springs.s]\njoint = "pivot"\nstiffness = 1e18\n[simulation]')
        spring = changed(spring, "at = [0, 0]", "at = [0, 0]\nspeed = 1")
        self.write("stiff.toml", spring)
        self.freeplay("run", "stiff.toml", "--time-limit", "0.5", expect=130, timeout=30)
        self.assertRegex(self.stderr, r"the time limit of 0\.5 CPU seconds is used up; .*--resume.*; the motion up to t = .* s is in "
                                      r"stiff\.partial\.h5")
        self.assertFalse((self.dir / "stiff.h5").exists())
        with h5py.File(self.dir / "stiff.partial.h5") as file:
            self.assertEqual((file.attrs["complete"], file["solver"].attrs["status"]), (0, "interrupted"))

    def test_12_step_underflow_names_the_joint(self):
        self.refused(LOCKS, r"the step became too small to advance time at t = [\d.]+ s, in joint \w+", "last steps", status=4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
