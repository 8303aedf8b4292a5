#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`freeplay reproduce`: a figure of one's own with known numbers, a shipped one, mistakes; and the whole gallery, whose
verdicts must be those of docs/guide/claims.md.

usage: reproduce_test.py FREEPLAY [TestCase ...]      (normally called by ctest)
"""

import json
import math
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from harness import FREEPLAY

ROOT = Path(__file__).resolve().parents[2]

# Let go from the horizontal. A thin rod of length L (inertia m L^2/12) reaches the bottom at w^2 = 3 g/L, so that its centre
# moves at sqrt(3 g L)/2; with the inertia ten times too small at sqrt(g L/(1 + 1/30)).
PENDULUM = """
[mechanism]
name = "pendulum"
planar = true
gravity = [0, -9.81]
[parameters]
length = 0.5
factor = 1
[bodies.rod]
mass = 1
inertia = "factor*length^2/12"
position = ["length/2", 0]
[joints.pivot]
type = "revolute"
bodies = ["ground", "rod"]
at = [0, 0]
[simulation]
duration = 2
output = "1 ms"
"""
FIGURE = """
paper  = "Nobody 1673"
figure = "figure 1"
shows  = "How fast a rod swings."
model  = "pendulum.toml"
[printed]
note = "inertia a tenth of what it is"
set  = ["parameters.factor=0.1"]
[corrected]
note = "a thin rod"
[[variants]]
label = "short"
at    = "0.5 m"
[[variants]]
label = "long"
at    = "1 m"
set   = ["parameters.length=1"]
[[diagrams]]
label  = "velocity"
series = "bodies/rod/velocity.x"
[[diagrams]]
label   = "velocity"
series  = "bodies/rod/velocity.y"
against = "bodies/rod/velocity.x"
[[diagrams]]
label   = "largest speed"
measure = "peak bodies/rod/velocity.x"
x_label = "length"
x_unit  = "m"
[[diagrams]]
label   = "energy"
measure = "range energy/kinetic"
[[claims]]
id      = "speed"
says    = "The centre of a rod of half a metre reaches 1.918 m/s"
paper   = "1.918 m/s"
measure = "peak bodies/rod/velocity.x"
of      = "short"
above   = "1.917 m/s"
below   = "1919 mm/s"
reason  = "The inertia."
[[claims]]
id      = "longer"
says    = "A longer rod is faster by the root of two"
paper   = "1.414"
measure = "peak bodies/rod/velocity.x"
of      = "long"
over    = "short"
above   = 1.4141
below   = 1.4143
[[claims]]
id      = "slower"
says    = "A longer rod is slower"
paper   = "slower"
measure = "peak bodies/rod/velocity.x"
falling = ["short", "long"]
reason  = "It is not so: a < b & c."
"""


def freeplay(*arguments, cwd=None):
    return subprocess.run([FREEPLAY, "reproduce", *map(str, arguments)], cwd=cwd, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)


class Reproduce(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)
        (self.path / "pendulum.toml").write_text(PENDULUM)
        (self.path / "figure.toml").write_text(FIGURE)

    def test_numbers_and_verdicts_are_those_of_the_closed_form(self):
        done = freeplay("figure.toml", "-o", "out", "--json", cwd=self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["runs"], 4)
        speed, longer, slower = result["figures"][0]["claims"]
        printed, corrected = speed["measured"]
        self.assertAlmostEqual(corrected["values"][0], math.sqrt(3 * 9.81 * 0.5) / 2, delta=1e-5)
        self.assertAlmostEqual(printed["values"][0], math.sqrt(9.81 * 0.5 / (1 + 0.1 / 3)), delta=1e-5)
        self.assertEqual(speed["verdict"], "only corrected")
        self.assertEqual(longer["verdict"], "holds")
        self.assertEqual(slower["verdict"], "does not hold")

    def test_page_is_whole_and_offline(self):
        done = freeplay("figure.toml", "-o", "out", "--quiet", cwd=self.path)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        page = (self.path / "out" / "gallery.html").read_text(encoding="utf-8")
        # Two diagrams in two editions, two over the variants.
        self.assertEqual(page.count("data:image/svg+xml;base64,"), 6)
        self.assertNotRegex(page, r"(src|href)=\"(https?:|//)")
        self.assertIn("a &lt; b &amp; c", page)
        self.assertNotIn("Most likely reason: The inertia.</span></td><td>1.414", page)
        table = (self.path / "out" / "claims.md").read_text(encoding="utf-8")
        self.assertRegex(table, r"1\.918 m/s.*2\.179 m/s.*1\.918 m/s.*only corrected")

    def test_workers_do_not_change_the_result(self):
        pages = []
        for workers in (1, 3):
            freeplay("figure.toml", "-o", f"out{workers}", "--workers", workers, "--quiet", cwd=self.path)
            pages.append((self.path / f"out{workers}" / "gallery.html").read_bytes())
        self.assertEqual(pages[0], pages[1])

    def test_mistakes_name_their_place(self):
        (self.path / "figure.toml").write_text(FIGURE.replace("falling =", "faling ="))
        done = freeplay("figure.toml", "-o", "out", cwd=self.path)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"figure\.toml:\d+.*unknown key 'faling'.*did you mean 'falling'")
        self.assertFalse((self.path / "out").exists())

    def test_names_that_are_not_there(self):
        done = freeplay("f1-fg5", cwd=self.path)
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'f1-fig5'", done.stderr)
        self.assertEqual(freeplay("nothing.toml", cwd=self.path).returncode, 5)
        self.assertEqual(freeplay("figure.toml", "-o", "figure.toml", cwd=self.path).returncode, 5)

    def test_a_run_that_fails_is_told_and_the_rest_is_kept(self):
        # Five steps for two seconds: the energy audit breaks.
        figure = FIGURE.replace('set   = ["parameters.length=1"]',
                                'set   = ["parameters.length=1", "simulation.integrator=rk4", "simulation.step=0.4"]')
        (self.path / "figure.toml").write_text(figure)
        done = freeplay("figure.toml", "-o", "out", "--json", cwd=self.path)
        self.assertEqual(done.returncode, 4, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["status"], "failed_runs")
        verdicts = {c["id"]: c["verdict"] for c in result["figures"][0]["claims"]}
        self.assertEqual(verdicts, {"speed": "only corrected", "longer": "not measured", "slower": "not measured"})

    def test_list_names_all_figures(self):
        done = freeplay("--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = re.findall(r"^\s+(f\d-\w+)", done.stdout, re.M)
        self.assertEqual(len(names), 16)
        self.assertLess(names.index("f1-fig9"), names.index("f1-fig10"))

    def test_a_shipped_figure(self):
        done = freeplay("f4-fig7", "-o", self.path / "out", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        claim, = json.loads(done.stdout)["figures"][0]["claims"]
        # The ideal slider's range, r w^2 (1 + r/l) + r w^2 (1 - r/l) = 2 r w^2, is a lower bound.
        for edition in claim["measured"]:
            for rpm, value in zip((100, 200, 300, 400), edition["values"]):
                self.assertGreater(value, 0.999 * 2 * 0.015 * (rpm * math.pi / 30) ** 2)

    def test_interrupted_it_writes_nothing(self):
        process = subprocess.Popen([FREEPLAY, "reproduce", "f1-fig11", "-o", self.path / "out"], stderr=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        process.stderr.readline()  # the first run is done
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        _, errors = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, errors)
        self.assertLess(time.monotonic() - began, 60)
        self.assertFalse((self.path / "out" / "gallery.html").exists())


class Gallery(unittest.TestCase):
    def test_verdicts_are_the_documented_ones(self):
        with tempfile.TemporaryDirectory() as folder:
            done = freeplay("-o", folder, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            self.assertEqual(len(result["figures"]), 16)
            for figure in result["figures"]:
                self.assertTrue(figure["claims"], figure["name"])
                for claim in figure["claims"]:
                    self.assertNotEqual(claim["verdict"], "not measured", (figure["name"], claim["id"]))
            # A page one can send by mail.
            self.assertLess((Path(folder) / "gallery.html").stat().st_size, 4e6)
            made, kept = (verdicts(path.read_text(encoding="utf-8"))
                          for path in (Path(folder) / "claims.md", ROOT / "docs" / "guide" / "claims.md"))
            self.assertEqual(made, kept, "docs/guide/claims.md is not what `freeplay reproduce` measures")


def verdicts(markdown):
    """First and last cell of every row: the claim and its verdict."""
    rows = [re.split(r"(?<!\\)\|", line) for line in markdown.splitlines() if line.startswith("| ")]
    return [(row[1].strip(), row[-2].strip()) for row in rows]


if __name__ == "__main__":
    unittest.main()
