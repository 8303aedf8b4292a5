# SPDX-License-Identifier: Apache-2.0
"""What tests of the command line share: the program (first argument), small models, a folder for each case."""

import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import h5py

FREEPLAY = str(Path(sys.argv.pop(1)).resolve())  # the program under test

# Let go from the horizontal: swings between 0 and -pi.
PENDULUM = """
[mechanism]
name = "pendulum"
planar = true
gravity = [0, -9.81]
[bodies.rod]
mass = 1
inertia = "1/48"
position = [0.25, 0]
[joints.pivot]
type = "revolute"
bodies = ["ground", "rod"]
at = [0, 0]
[simulation]
duration = 2
output = "10 ms"
"""

# The rod is shorter than the crank: it locks when the crank has turned asin(0.8).
LOCKS = """
[mechanism]
planar = true
gravity = [0, 0]
[bodies.crank]
mass = 1
inertia = 1e-3
position = [0.05, 0]
[bodies.rod]
mass = 1
inertia = 1e-3
position = [0.14, 0]
[bodies.slider]
mass = 1
inertia = 1e-3
position = [0.18, 0]
[joints.bearing]
type = "revolute"
bodies = ["ground", "crank"]
at = [0, 0]
drive = { speed = "60 rpm" }
[joints.crank_pin]
type = "revolute"
bodies = ["crank", "rod"]
at = [0.1, 0]
[joints.pin]
type = "revolute"
bodies = ["rod", "slider"]
at = [0.18, 0]
[joints.guide]
type = "prismatic"
bodies = ["ground", "slider"]
at = [0.18, 0]
axis = [1, 0]
[simulation]
duration = 1
"""

# Two rods of 0.5 m cannot span 3 m.
TOO_SHORT = """
[mechanism]
planar = true
gravity = [0, 0]
[bodies.a]
mass = 1
inertia = 1e-2
position = [0.25, 0]
[bodies.b]
mass = 1
inertia = 1e-2
position = [0.75, 0]
[joints.left]
type = "revolute"
bodies = ["ground", "a"]
at = { ground = [0, 0], a = [-0.25, 0] }
[joints.middle]
type = "revolute"
bodies = ["a", "b"]
at = { a = [0.25, 0], b = [-0.25, 0] }
[joints.right]
type = "revolute"
bodies = ["ground", "b"]
at = { ground = [3, 0], b = [0.25, 0] }
[simulation]
duration = 1
"""

# A journal let go in the middle of its bearing: it falls 0.5 mm, then bounces.
DROP = """
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.shaft]
mass = 1
inertia = 1e-3
[joints.bearing]
type = "revolute"
bodies = ["ground", "shaft"]
at = [0, 0]
[joints.bearing.clearance]
bearing_radius = "10 mm"
radial = "0.5 mm"
contact = { law = "lankarani-nikravesh", stiffness = "1e8 N/m^1.5", restitution = 0.9 }
[simulation]
duration = "50 ms"
"""


class Cli(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="freeplay-cli-")
        self.dir = Path(self.scratch.name)
        self.addCleanup(self.scratch.cleanup)

    def write(self, name, text):
        (self.dir / name).write_text(text)
        return name

    def freeplay(self, *arguments, expect=0, **options):
        """Runs it here; returns what it printed. Nothing but an exit status may end it."""
        options = {"cwd": self.dir, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.PIPE, "text": True, "timeout": 120, **options}
        done = subprocess.run([FREEPLAY, *map(str, arguments)], **options)
        self.assertEqual(done.returncode, expect, f"{arguments}\n{done.stdout}\n{done.stderr}")
        self.stderr = done.stderr or ""
        for line in self.stderr.splitlines():
            self.assertTrue(line.startswith("freeplay: "), line)
        return done.stdout

    def start(self, *arguments, **options):
        options = {"cwd": self.dir, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
        process = subprocess.Popen([FREEPLAY, *map(str, arguments)], **options)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, name):
        """Until the file is there and has been written to."""
        for _ in range(1000):
            if (self.dir / name).exists() and (self.dir / name).stat().st_size > 0:
                return
            time.sleep(0.01)
        self.fail(f"{name} did not appear")

    def datasets(self, name):
        """All datasets of a result, by path."""
        found = {}
        with h5py.File(self.dir / name) as file:
            file.visititems(lambda path, item: found.__setitem__(path, item[()])
                            if isinstance(item, h5py.Dataset) else None)
        return found
