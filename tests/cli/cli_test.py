#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The command line as its users meet it: verbs, exit statuses, result files read by h5py, faults.

usage: cli_test.py FREEPLAY [TestCase ...]      (normally called by ctest)
"""

import base64
import csv
import contextlib
import http.client
import json
import math
import os
import pty
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import h5py
import numpy as np

FREEPLAY = None

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


class Help(Cli):
    VERBS = ["run", "check", "get", "export", "report", "plot", "equilibrium", "modes", "converge", "laws", "bearing", "new", "schema"]

    def test_top(self):
        text = self.freeplay("--help")
        for verb in self.VERBS:
            self.assertIn(verb, text)
        self.assertEqual(self.freeplay(), text)
        self.assertRegex(self.freeplay("--version"), r"^freeplay \d+\.\d+\.\d+\n$")

    def test_the_example_of_every_verb_works(self):
        environment = {**os.environ, "PATH": f"{Path(FREEPLAY).parent}:{os.environ['PATH']}"}
        examples = {verb: self.freeplay(verb, "--help").split("Example:\n")[1].strip() for verb in self.VERBS}
        examples[""] = self.freeplay("--help").split("Examples:\n")[1].split("\n\n")[0]
        for verb, example in examples.items():
            with self.subTest(example), tempfile.TemporaryDirectory() as folder:
                if verb not in ("", "new"):
                    subprocess.run("freeplay new engine && freeplay run engine.toml", shell=True, check=True, cwd=folder,
                                   env=environment, stdout=subprocess.DEVNULL)
                subprocess.run(example, shell=True, check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL)

    def test_mistakes_in_the_command_line(self):
        self.freeplay("rnu", expect=2)
        self.assertIn("did you mean 'run'?", self.stderr)
        for arguments in (["run"], ["run", "--frobnicate", "x"], ["get", "x.h5"], ["run", "a.toml", "--time-limit", "-1"],
                          ["run", "a.toml", "--set", "novalue"], ["new"], ["export", "x.h5"], ["--frobnicate"]):
            self.freeplay(*arguments, expect=2)
            self.assertTrue(self.stderr)


class Run(Cli):
    def setUp(self):
        super().setUp()
        self.write("pendulum.toml", PENDULUM)

    def test_summary_and_default_name(self):
        text = self.freeplay("run", "pendulum.toml")
        for word in ("pendulum", "bodies", "joints", "degrees of freedom", "steps", "rejected", "evaluations", "CPU",
                     "energy residual", "contacts", "pendulum.h5"):
            self.assertIn(word, text)
        self.assertTrue((self.dir / "pendulum.h5").exists())
        self.assertFalse((self.dir / "pendulum.partial.h5").exists())
        self.assertEqual(self.stderr, "")
        self.assertEqual(self.freeplay("run", "pendulum.toml", "--quiet"), "")

    def test_json_is_one_object(self):
        summary = json.loads(self.freeplay("run", "pendulum.toml", "--json", "-o", "a b.h5"))
        self.assertEqual(set(summary), {"status", "time", "steps", "rejected", "evaluations", "cpu_seconds", "contacts",
                                        "energy_residual", "energy_scale", "result"})
        self.assertEqual((summary["status"], summary["time"], summary["result"]), ("done", 2, "a b.h5"))

    def test_layout(self):
        self.freeplay("run", "pendulum.toml")
        with h5py.File(self.dir / "pendulum.h5") as file:
            a = file.attrs
            self.assertEqual((a["format"], a["format_version"], a["complete"], a["seed"]), ("freeplay-result", 1, 1, 0))
            self.assertEqual(a["command"], "freeplay run pendulum.toml")
            self.assertRegex(a["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
            self.assertEqual(len(a["model_sha256"]), 64)
            self.assertEqual(file["model/source"][()].decode(), PENDULUM)
            self.assertIn("pivot", file["model/resolved"].asstr()[()])
            steps, points = len(file["time"]), len(file["uniform/time"])
            self.assertEqual(points, 201)
            np.testing.assert_allclose(file["uniform/time"][()], 0.01 * np.arange(201), rtol=1e-12)
            self.assertTrue((np.diff(file["time"]) > 0).all())
            self.assertEqual(file["solver"].attrs["steps"], steps - 1)
            self.assertEqual(file["solver"].attrs["status"], "done")
            self.assertEqual(file["state/y"].shape[0], steps)
            self.assertEqual(file["events"].dtype.names, ("time", "joint", "contact", "kind", "speed"))
            self.assertEqual(file["impacts"].dtype.names[:4], ("start", "end", "joint", "contact"))
            for name in ("step", "order", "rejected", "evaluations", "jacobians"):
                self.assertEqual(file["solver"][name].shape, (steps,))

            def check(path, item):
                if not isinstance(item, h5py.Dataset) or path.startswith("model/"):
                    return
                self.assertTrue(item.attrs["unit"] and item.attrs["long_name"], path)
                self.assertTrue(item.shuffle and item.compression == "gzip" and item.fletcher32, path)
                if path in ("events", "impacts"):
                    return
                self.assertEqual(item.shape[0], points if path.startswith("uniform/") else steps, path)
                self.assertTrue(np.isfinite(item[()]).all(), path)
            file.visititems(check)
            for path in ("bodies/rod/position", "joints/pivot/reaction_force", "energy/kinetic", "energy/residual"):
                self.assertIn(path, file)
                self.assertIn("uniform/" + path, file)
            self.assertEqual(file["bodies/rod/position"].attrs["frame"], "global")

    def test_two_runs_have_identical_datasets(self):
        self.freeplay("run", "pendulum.toml", "-o", "a.h5")
        self.freeplay("run", "pendulum.toml", "-o", "b.h5")
        a, b = self.datasets("a.h5"), self.datasets("b.h5")
        self.assertEqual(list(a), list(b))
        for path in a:
            self.assertEqual(np.asarray(a[path]).tobytes(), np.asarray(b[path]).tobytes(), path)

    def test_the_stored_model_runs_again(self):
        self.freeplay("run", "pendulum.toml", "--set", "bodies.rod.mass=2", "--tolerance", "1e-8", "-o", "a.h5")
        with h5py.File(self.dir / "a.h5") as file:
            self.write("again.toml", file["model/resolved"].asstr()[()])
        self.freeplay("run", "again.toml", "-o", "b.h5")
        a, b = self.datasets("a.h5"), self.datasets("b.h5")
        for path in a:
            if not path.startswith("model/"):
                self.assertEqual(np.asarray(a[path]).tobytes(), np.asarray(b[path]).tobytes(), path)

    def test_settings(self):
        def y(*options):
            self.freeplay("run", "pendulum.toml", "-o", "x.h5", *options)
            return self.datasets("x.h5")
        self.assertEqual(y("--duration", "20 ms")["time"][-1], 0.02)
        self.assertGreater(len(y("--tolerance", "1e-11")["time"]), len(y("--tolerance", "1e-5")["time"]))
        self.assertGreater(len(y("--integrator", "cvode-adams")["time"]), 10)
        for option in ("--tolerance=-1", "--integrator=frog", "--formulation=frog", "--duration=1 kg"):
            self.freeplay("run", "pendulum.toml", "-o", "y.h5", option, expect=2)
        self.assertFalse((self.dir / "y.h5").exists())

    def test_every_mistake_of_a_model_is_listed_and_nothing_written(self):
        self.write("bad.toml", PENDULUM.replace("mass = 1", "mas = 1").replace('"revolute"', '"revolut"'))
        self.freeplay("run", "bad.toml", expect=2)
        self.assertRegex(self.stderr, r"freeplay: bad\.toml:\d+:\d+: bodies\.rod.*mas")
        self.assertIn("revolute", self.stderr)
        self.assertRegex(self.stderr.splitlines()[-1], r"^freeplay: \d+ mistakes in the model; nothing was written$")
        summary = json.loads(self.freeplay("run", "bad.toml", "--json", expect=2))
        self.assertEqual(summary["status"], "bad_input")
        self.assertGreaterEqual(len(summary["issues"]), 2)
        self.assertEqual([p.name for p in self.dir.glob("*.h5")], [])

    def test_mechanism_that_cannot_be_assembled(self):
        self.write("short.toml", TOO_SHORT)
        for verb in ("run", "check"):
            self.freeplay(verb, "short.toml", expect=3)
            self.assertEqual(json.loads(self.freeplay(verb, "short.toml", "--json", expect=3))["status"], "not_assembled")
        self.assertEqual([p.name for p in self.dir.glob("*.h5")], [])

    def test_failed_run_keeps_its_history(self):
        self.write("locks.toml", LOCKS)
        self.freeplay("run", "locks.toml", expect=4)
        # The crank turns at 2 pi/s, the rod of 0.08 m stands upright at asin(0.8).
        locked = math.asin(0.8) / (2 * math.pi)
        self.assertIn("locks.partial.h5", self.stderr)
        self.assertFalse((self.dir / "locks.h5").exists())
        with h5py.File(self.dir / "locks.partial.h5") as file:
            self.assertEqual(file.attrs["complete"], 0)
            self.assertEqual(file["solver"].attrs["status"], "failed")
            self.assertAlmostEqual(file["time"][-1], locked, delta=1e-3)
        summary = json.loads(self.freeplay("run", "locks.toml", "--json", expect=4))
        self.assertEqual(summary["status"], "failed")
        self.assertTrue(summary["reason"] and summary["remedy"])
        self.freeplay("run", "locks.toml", "--resume", expect=2)
        self.assertIn("failed", self.stderr)
        self.freeplay("get", "locks.partial.h5", "bodies/rod/position.x")
        self.assertIn("incomplete", self.stderr)

    def test_the_model_is_never_overwritten(self):
        for name in ("pendulum.toml", "./pendulum.toml", self.dir / "pendulum.toml"):
            self.freeplay("run", "pendulum.toml", "-o", name, expect=2)
        os.symlink("pendulum.toml", self.dir / "link.h5")
        self.freeplay("run", "pendulum.toml", "-o", "link.h5", expect=2)
        self.assertEqual((self.dir / "pendulum.toml").read_text(), PENDULUM)


class Resume(Cli):
    LONG = PENDULUM.replace("duration = 2", "duration = 4000").replace('"10 ms"', "1")

    def interrupted(self, *options):
        self.write("pendulum.toml", self.LONG)
        process = self.start("run", "pendulum.toml", "-o", "parts.h5", *options)
        self.wait_for("parts.partial.h5")
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("--resume", err)
        with h5py.File(self.dir / "parts.partial.h5") as file:
            self.assertEqual(file.attrs["complete"], 0)
            self.assertEqual(file["solver"].attrs["status"], "interrupted")
            return len(file["time"]), len(file["uniform/time"])

    def test_interrupted_run_goes_on(self):
        steps, points = self.interrupted()
        self.freeplay("run", "pendulum.toml", "-o", "parts.h5", "--resume", "--duration", "3999", expect=2)
        self.assertIn("other settings", self.stderr)
        self.freeplay("run", "pendulum.toml", "-o", "parts.h5", "--resume")
        self.freeplay("run", "pendulum.toml", "-o", "whole.h5")
        parts, whole = self.datasets("parts.h5"), self.datasets("whole.h5")
        self.assertEqual(parts["uniform/time"].tolist(), whole["uniform/time"].tolist())
        self.assertTrue((np.diff(parts["time"]) > 0).all())
        self.assertTrue((np.diff(parts["solver/evaluations"]) >= 0).all())
        for path in whole:
            if path.startswith(("model/", "events", "impacts")):
                continue
            count = points if path.startswith("uniform/") else steps
            self.assertEqual(parts[path][:count].tobytes(), whole[path][:count].tobytes(), path)
        np.testing.assert_allclose(parts["uniform/joints/pivot/coordinate"], whole["uniform/joints/pivot/coordinate"],
                                   atol=1e-3)
        self.assertIn("complete already", (self.freeplay("run", "pendulum.toml", "-o", "parts.h5", "--resume"), self.stderr)[1])

    # A method without step memory of its own goes on as if nothing had happened, to round-off.
    def test_resumed_run_equals_the_uninterrupted_one(self):
        options = ("--integrator", "rk4", "--set", "simulation.step=1e-3", "--duration", "100")
        self.write("pendulum.toml", self.LONG)
        self.freeplay("run", "pendulum.toml", "-o", "parts.h5", *options, "--time-limit", "0.05", expect=130)
        self.freeplay("run", "pendulum.toml", "-o", "parts.h5", *options, "--resume")
        self.freeplay("run", "pendulum.toml", "-o", "whole.h5", *options)
        parts, whole = self.datasets("parts.h5"), self.datasets("whole.h5")
        for path in whole:
            if not path.startswith(("model/", "events", "impacts", "solver/evaluations")):
                np.testing.assert_allclose(parts[path], whole[path], rtol=1e-8, atol=1e-8, err_msg=path)

    def test_nothing_to_resume_starts_from_the_beginning(self):
        self.write("pendulum.toml", PENDULUM)
        self.freeplay("run", "pendulum.toml", "--resume")
        self.assertIn("from the beginning", self.stderr)

    def test_second_signal_stops_at_once_and_a_kill_leaves_a_readable_file(self):
        self.write("pendulum.toml", self.LONG)
        for name, signals in (("a", [signal.SIGTERM, signal.SIGINT]), ("b", [signal.SIGKILL])):
            process = self.start("run", "pendulum.toml", "-o", f"{name}.h5")
            self.wait_for(f"{name}.partial.h5")
            time.sleep(0.2)
            for s in signals:
                process.send_signal(s)
            process.communicate(timeout=20)
            self.assertEqual(process.returncode, 130 if name == "a" else -signal.SIGKILL)
            with h5py.File(self.dir / f"{name}.partial.h5") as file:
                self.assertEqual(file.attrs["complete"], 0)


class Get(Cli):
    def setUp(self):
        super().setUp()
        self.write("pendulum.toml", PENDULUM)
        self.freeplay("run", "pendulum.toml")

    def numbers(self, *arguments):
        return [[float(x) for x in line.split("\t")] for line in
                self.freeplay("get", "pendulum.h5", *arguments).splitlines()]

    def test_series_of_the_accepted_steps(self):
        data = self.datasets("pendulum.h5")
        np.testing.assert_allclose(self.numbers("bodies/rod/position.y"),
                                   np.column_stack([data["time"], data["bodies/rod/position"][:, 1]]), rtol=1e-14)
        self.assertEqual(len(self.numbers("uniform/bodies/rod/position")[0]), 3)

    def test_values_between_the_steps_are_as_exact_as_the_run(self):
        data = self.datasets("pendulum.h5")
        for i in (1, 50, 133, 200):
            t = data["uniform/time"][i]
            [[x, y]] = self.numbers("bodies/rod/position", "--at", repr(t))
            np.testing.assert_allclose([x, y], data["uniform/bodies/rod/position"][i], atol=1e-8)
        self.assertEqual(self.numbers("bodies/rod/angle", "--at", "10 ms", "--at", "0.01", "--at", "1e-2")[0],
                         self.numbers("bodies/rod/angle", "--at", "0.01")[0])
        self.assertEqual(self.numbers("joints/pivot/coordinate", "--at", "0"), [[0]])

    def test_values_outside_the_run_are_refused(self):
        for t in ("2.1", "-0.1", "nan", "inf", "1 kg", "x", ""):
            self.freeplay("get", "pendulum.h5", "bodies/rod/angle", "--at", t, expect=2)

    def test_stats(self):
        header, line = self.freeplay("get", "pendulum.h5", "uniform/joints/pivot/coordinate", "--stats").splitlines()
        stats = dict(zip(header.split("\t"), line.split("\t")))
        data = self.datasets("pendulum.h5")
        x, t = data["uniform/joints/pivot/coordinate"], data["uniform/time"]
        self.assertEqual(stats["unit"], "rad")
        for key, value in (("min", x.min()), ("max", x.max()), ("mean", np.trapz(x, t) / 2),
                           ("rms", np.sqrt(np.trapz(x * x, t) / 2))):
            self.assertAlmostEqual(float(stats[key]), value, delta=1e-12)

    def test_list_and_unknown_series(self):
        self.assertIn("bodies/rod/position.x|.y\tm\tglobal\t", self.freeplay("get", "pendulum.h5", "--list"))
        self.freeplay("get", "pendulum.h5", "bodies/rod/positon.x", expect=2)
        self.assertIn("did you mean 'bodies/rod/position.x'?", self.stderr)

    def test_other_files_are_refused(self):
        for name, content in (("empty.h5", b""), ("text.h5", b"hello"), ("half.h5", (self.dir / "pendulum.h5").read_bytes()[:9000])):
            (self.dir / name).write_bytes(content)
            self.freeplay("get", name, "time", expect=5)
        with h5py.File(self.dir / "foreign.h5", "w") as file:
            file["time"] = [1, 2, 3]
        self.freeplay("get", "foreign.h5", "time", expect=5)
        self.assertIn("not a Freeplay result", self.stderr)
        with h5py.File(self.dir / "pendulum.h5", "r+") as file:
            file.attrs["format_version"] = 2
        self.freeplay("get", "pendulum.h5", "time", expect=5)
        self.assertIn("version", self.stderr)
        self.freeplay("get", "missing.h5", "time", expect=5)
        self.freeplay("get", ".", "time", expect=5)

    def test_a_note_added_by_another_program_does_no_harm(self):
        with h5py.File(self.dir / "pendulum.h5", "r+") as file:
            file.attrs["note"] = "looks right"
        self.freeplay("get", "pendulum.h5", "bodies/rod/angle", "--at", "0.123")

    def test_reader_that_goes_away(self):
        for verb in ("get pendulum.h5 bodies/rod/position", "get pendulum.h5 --list", "schema", "check pendulum.toml"):
            done = subprocess.run(f"'{FREEPLAY}' {verb} | true; echo ${{PIPESTATUS[0]}}", shell=True, executable="/bin/bash",
                                  cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.stdout.strip(), done.stderr), ("0", ""), verb)

    def test_standard_output_that_cannot_take_it(self):
        with open("/dev/full", "w") as full:
            self.freeplay("get", "pendulum.h5", "bodies/rod/position", stdout=full, expect=5)
            self.freeplay("check", "pendulum.toml", stdout=full, expect=5)

    def test_closed_streams(self):
        # A run without any standard stream: nothing that is printed may end up in the result.
        subprocess.run(f"'{FREEPLAY}' run pendulum.toml -o closed.h5 <&- >&- 2>&-", shell=True, cwd=self.dir, check=True)
        self.assertTrue(len(self.datasets("closed.h5")["time"]) > 1)

    def test_export(self):
        files = self.freeplay("export", "pendulum.h5", "--csv", "out").split()
        self.assertEqual(files, ["out/steps.csv", "out/uniform.csv", "out/events.csv", "out/impacts.csv"])
        data = self.datasets("pendulum.h5")
        for name, prefix in (("steps", ""), ("uniform", "uniform/")):
            rows = list(csv.reader((self.dir / "out" / f"{name}.csv").read_text().splitlines()))
            self.assertEqual(rows[0][0], "time [s]")
            numbers = np.array(rows[1:], dtype=float)
            self.assertEqual(numbers[:, 0].tobytes(), data[prefix + "time"].tobytes())
            column = rows[0].index("bodies/rod/position.y [m]")
            self.assertEqual(numbers[:, column].tolist(), data[prefix + "bodies/rod/position"][:, 1].tolist())
            self.assertTrue(all(re.search(r" \[.+\]$", heading) for heading in rows[0]))
        self.freeplay("export", "pendulum.h5", "--csv", "pendulum.h5", expect=5)


class Contacts(Cli):
    IMPACT_COLUMNS = ["start [s]", "end [s]", "joint", "contact", "approach_speed [m/s]", "separation_speed [m/s]",
                      "peak_force [N]", "peak_depth [m]", "energy_lost [J]", "achieved_restitution [1]"]

    def setUp(self):
        super().setUp()
        self.write("drop.toml", DROP)
        self.summary = self.freeplay("run", "drop.toml")

    def test_impacts_read_by_h5py(self):
        with h5py.File(self.dir / "drop.h5") as file:
            impacts, events = file["impacts"][()], file["events"][()]
            self.assertEqual(list(impacts.dtype.names), [c.split(" [")[0] for c in self.IMPACT_COLUMNS])
            units = dict(pair.split(": ") for pair in file["impacts"].attrs["unit"].split(", "))
            self.assertEqual(units["peak_force"], "N")
            self.assertEqual(set(units), set(impacts.dtype.names) - {"joint", "contact"})
            work = file["energy/work/joints/bearing/contact"][()]
            time = file["time"][()]
        # Free fall over the clearance c: touches at sqrt(2 c/g) with sqrt(2 g c).
        self.assertAlmostEqual(impacts["start"][0], math.sqrt(2 * 0.5e-3 / 9.81), delta=1e-9)
        self.assertAlmostEqual(impacts["approach_speed"][0], math.sqrt(2 * 9.81 * 0.5e-3), delta=1e-8)
        self.assertEqual(set(impacts["joint"]), {b"bearing"})
        # Touch and separation lie at the same height, so the law took 1/2 m (v^2 - u^2), m = 1 kg.
        np.testing.assert_allclose(impacts["energy_lost"],
                                   0.5 * (impacts["approach_speed"]**2 - impacts["separation_speed"]**2), rtol=1e-5)
        np.testing.assert_allclose(impacts["achieved_restitution"],
                                   impacts["separation_speed"] / impacts["approach_speed"], rtol=1e-12)
        # ... which is also what the energy audit books for the first one.
        self.assertAlmostEqual(-work[time >= impacts["end"][0]][0], impacts["energy_lost"][0], delta=1e-9)
        # Every impact is one touch and one separation of the event list.
        touches = events["time"][events["kind"] == b"touch"]
        separations = events["time"][events["kind"] == b"separation"]
        self.assertEqual(separations.tolist(), impacts["end"].tolist())
        self.assertEqual(touches[:len(impacts)].tolist(), impacts["start"].tolist())

    def test_laws_and_what_they_derived_are_checked_and_stored(self):
        # Steel ball of 9.5 mm in a socket of 10 mm (cases.md B4); here the journal of the planar joint.
        change = "joints.bearing.clearance.contact={ law = \"lankarani-nikravesh\", restitution = 0.9 }"
        steel = "joints.bearing.clearance.material=\"steel\""
        text = self.freeplay("check", "drop.toml", "--set", change, "--set", steel)
        self.assertRegex(text, r"bearing +lankarani-nikravesh .*stiffness = 6\.61e\+10 N/m\^1\.5")
        self.freeplay("run", "drop.toml", "--set", change, "--set", steel, "--duration", "5 ms", "-o", "steel.h5")
        with h5py.File(self.dir / "steel.h5") as file:
            a = file["joints/bearing"].attrs
            self.assertEqual(a["contact_law"], "lankarani-nikravesh")
            self.assertAlmostEqual(a["stiffness"], 6.6101984e10, delta=1e3)
            self.assertIn("stiffness: N/m^1.5", a["derived_unit"])

    def test_summary_names_the_largest_impact(self):
        data = self.datasets("drop.h5")
        self.assertRegex(self.summary, rf"contacts +{np.count_nonzero(data['events']['kind'] == b'touch')}\n")
        force = data["impacts"]["peak_force"].max()
        self.assertRegex(self.summary, rf"largest impact +{force:.4g} N in bearing at t = 0\.0100964 s")
        # Free flight all along: nothing to name.
        text = self.freeplay("run", "drop.toml", "--duration", "5 ms", "-o", "short.h5")
        self.assertRegex(text, r"contacts +0\n")
        self.assertNotIn("largest impact", text)

    def test_get_prints_the_tables(self):
        data = self.datasets("drop.h5")
        lines = [line.split("\t") for line in self.freeplay("get", "drop.h5", "impacts").splitlines()]
        self.assertEqual(lines[0], self.IMPACT_COLUMNS)
        self.assertEqual(len(lines) - 1, len(data["impacts"]))
        for line, row in zip(lines[1:], data["impacts"]):
            self.assertEqual((line[2], line[3]), (row["joint"].decode(), str(row["contact"])))
            for k, name in enumerate(row.dtype.names):
                if name not in ("joint", "contact"):
                    self.assertAlmostEqual(float(line[k]), row[name], delta=1e-14 * abs(row[name]))
        lines = [line.split("\t") for line in self.freeplay("get", "drop.h5", "events").splitlines()]
        self.assertEqual(lines[0], ["time [s]", "joint", "contact", "kind", "speed [m/s]"])
        self.assertEqual([line[3].encode() for line in lines[1:]], data["events"]["kind"].tolist())
        self.assertIn("\nimpacts\t", self.freeplay("get", "drop.h5", "--list"))
        for option in (["--at", "0.01"], ["--stats"]):
            self.freeplay("get", "drop.h5", "impacts", *option, expect=2)
            self.assertIn(option[0], self.stderr)
        self.freeplay("get", "drop.h5", "impact", expect=2)
        self.assertIn("did you mean 'impacts'?", self.stderr)

    def test_export(self):
        self.freeplay("export", "drop.h5", "--csv", "out")
        data = self.datasets("drop.h5")
        for name in ("impacts", "events"):
            rows = list(csv.reader((self.dir / "out" / f"{name}.csv").read_text().splitlines()))
            self.assertEqual(rows[0], self.freeplay("get", "drop.h5", name).splitlines()[0].split("\t"))
            self.assertEqual(len(rows) - 1, len(data[name]))
            for k, column in enumerate(data[name].dtype.names):
                if data[name].dtype[column].kind == "f":
                    self.assertEqual([float(row[k]) for row in rows[1:]], data[name][column].tolist())

    def test_a_resumed_run_has_the_impacts_of_both_parts(self):
        options = ("--duration", "2000", "--set", "joints.bearing.clearance.contact.restitution=1", "-o", "parts.h5")
        text = self.freeplay("run", "drop.toml", *options, "--time-limit", "0.3", expect=130)
        before = self.datasets("parts.partial.h5")["impacts"]
        self.assertGreater(len(before), 0)
        text = self.freeplay("run", "drop.toml", *options, "--resume", "--time-limit", "0.3", expect=130)
        after = self.datasets("parts.partial.h5")
        self.assertEqual(after["impacts"][:len(before)].tobytes(), before.tobytes())
        self.assertGreater(len(after["impacts"]), len(before))
        self.assertTrue((np.diff(after["impacts"]["end"]) > 0).all())
        touches = np.count_nonzero(after["events"]["kind"] == b"touch")
        self.assertRegex(text, rf"contacts +{touches}\n")
        self.assertIn("largest impact", text)


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


class Laws(Cli):
    # From the catalogue of the issue; the list of the program may only grow.
    CONTACT = ["hertz", "kelvin-voigt", "anagnostopoulos", "hunt-crossley", "herbert-mcwhannell", "lee-wang",
               "lankarani-nikravesh", "gonthier", "zhiying-qishao", "flores", "gharib-hurmuzlu", "hu-guo",
               "carvalho-martins", "jankowski", "exact", "memory-free", "bai-zhao", "liu-steuermann", "johnson",
               "radzimovsky", "goldsmith", "dubowsky-freudenstein", "esdu-78035", "pereira", "plane-face",
               "elastic-foundation", "newton"]
    FRICTION = ["coulomb", "ambrosio", "threlfall", "tanh", "stribeck", "piecewise-linear", "bengisu-akay",
                "brown-mcphee", "dahl", "lugre", "gonthier", "elasto-plastic"]

    def test_list(self):
        contact, friction = self.freeplay("laws").split("Friction laws\n")
        for name in self.CONTACT:
            self.assertRegex(contact, rf"(?m)^  {name} +\S")
        for name in self.FRICTION:
            self.assertRegex(friction, rf"(?m)^  {name} +\S.*(holds a load at rest|creeps under a load)")

    def test_one_law(self):
        for name in self.CONTACT + self.FRICTION:
            text = self.freeplay("laws", name)
            self.assertIn(f"law `{name}`", text)
            for word in ("Traits:", "Limits:", "Sample:"):
                self.assertIn(word, text)
        text = self.freeplay("laws", "gonthier")  # of both kinds
        self.assertIn("contact law `gonthier`", text)
        self.assertIn("friction law `gonthier`", text)

    def test_unknown_names(self):
        self.freeplay("laws", "lankarani-nikravsh", expect=2)
        self.assertIn("did you mean 'lankarani-nikravesh'?", self.stderr)
        self.freeplay("laws", "qqqqqqqqqqqqqq", expect=2)
        self.assertIn("`freeplay laws` lists them", self.stderr)
        self.freeplay("laws", "--markdown", "wear", expect=2)
        self.freeplay("laws", "hertz", "--markdown", "contact", expect=2)

    def test_committed_pages_are_the_generated_ones(self):
        for kind in ("contact", "friction", "film"):
            committed = Path(__file__).resolve().parents[2] / "docs" / "reference" / f"{kind}_laws.md"
            self.assertEqual(committed.read_text(), self.freeplay("laws", "--markdown", kind),
                             "run ./dev docs and commit docs/reference")


class Look(Cli):
    """report and plot: one file each, whole or not at all."""

    def setUp(self):
        super().setUp()
        self.write("pendulum.toml", PENDULUM)
        self.freeplay("run", "pendulum.toml", "--quiet")

    def data_of(self, page):
        """What a page holds: its description and the doubles of its first result."""
        text = (self.dir / page).read_text()
        description = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])
        block = base64.b64decode(re.search(r'id="block-0">(.*?)</script>', text, re.S)[1])
        return description, np.frombuffer(block, "<f8", count=description["results"][0]["doubles"])

    def test_report_holds_the_numbers_of_the_result(self):
        self.assertEqual(self.freeplay("report", "pendulum.h5", "-o", "out.html"), "report: out.html\n")
        description, numbers = self.data_of("out.html")
        result = description["results"][0]
        time = numbers[result["time"]:][:result["frames"]]
        angle = next(c for c in result["channels"] if c["path"] == "bodies/rod/angle")
        values = numbers[angle["data"][0]:][:result["frames"]]
        with h5py.File(self.dir / "pendulum.h5") as file:
            stored = {**dict(zip(file["uniform/time"][:], file["uniform/bodies/rod/angle"][:])),
                      **dict(zip(file["time"][:], file["bodies/rod/angle"][:]))}
        self.assertTrue(np.all(np.diff(time) > 0))
        self.assertGreaterEqual(len(time), 201)
        for t, value in zip(time, values):
            self.assertEqual(stored[t], value)
        self.assertEqual(result["run"]["status"], "done")
        self.assertEqual(result["source"], PENDULUM)

    def test_report_has_a_default_name_and_compares(self):
        self.freeplay("run", "pendulum.toml", "-o", "heavy.h5", "--quiet", "--set", "bodies.rod.mass=3")
        self.freeplay("report", "pendulum.h5", "heavy.h5", "./pendulum.h5")
        labels = [r["label"] for r in self.data_of("pendulum.html")[0]["results"]]
        self.assertEqual(labels, ["pendulum", "heavy", "pendulum (2)"])

    def test_report_refuses(self):
        before = (self.dir / "pendulum.h5").read_bytes()
        os.symlink("pendulum.h5", self.dir / "other.h5")
        os.link(self.dir / "pendulum.h5", self.dir / "hard.html")
        for arguments, status in ((["-o", "pendulum.h5"], 2), (["-o", "./x/../pendulum.h5"], 2), (["-o", "other.h5"], 2),
                                  (["-o", "hard.html"], 2), (["missing.h5"], 5), (["pendulum.toml"], 5),
                                  (["-o", "no/such/folder.html"], 5), (["-o", "."], 5)):
            self.freeplay("report", "pendulum.h5", *arguments, expect=status)
            self.assertTrue(self.stderr)
        self.freeplay("report", expect=2)
        self.assertEqual((self.dir / "pendulum.h5").read_bytes(), before)
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()),
                         ["hard.html", "other.h5", "pendulum.h5", "pendulum.toml"])

    def test_report_is_whole_or_not_there(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        (self.dir / "out.html").write_text("the old one")
        self.freeplay("report", "pendulum.h5", "-o", "out.html", expect=5, preexec_fn=small_files)
        self.assertEqual((self.dir / "out.html").read_text(), "the old one")
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["out.html", "pendulum.h5", "pendulum.toml"])

    def test_damaged_results_are_refused(self):
        data = (self.dir / "pendulum.h5").read_bytes()
        for size in (0, 1, 100, len(data) // 2, len(data) - 200):  # its last 68 bytes are the seal
            (self.dir / "cut.h5").write_bytes(data[:size])
            for verb in (["report"], ["plot"]):
                self.freeplay(*verb, "cut.h5", expect=5)
        self.assertFalse((self.dir / "cut.html").exists())
        self.assertFalse((self.dir / "cut.svg").exists())

    def test_plot_is_svg_or_png(self):
        self.assertEqual(self.freeplay("plot", "pendulum.h5"), "figure: pendulum.svg\n")
        svg = (self.dir / "pendulum.svg").read_text()
        ElementTree.fromstring(svg)
        for words in ("position of rod, mm", "velocity of rod, m/s", "acceleration of rod, m/s²", "time, s"):
            self.assertIn(words, svg)
        self.freeplay("plot", "pendulum.h5", "bodies/rod/angle", "-o", "angle.png", "--dpi", "100", "--width", "100")
        self.assertEqual((self.dir / "angle.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_plot_of_chosen_series(self):
        self.freeplay("plot", "pendulum.h5", "bodies/rod/angular_velocity", "--x", "bodies/rod/angle", "-o", "phase.svg")
        svg = (self.dir / "phase.svg").read_text()
        self.assertIn("angular velocity of rod, rad/s", svg)
        self.assertIn("angle of rod, rad", svg)
        self.freeplay("plot", "pendulum.h5", "energy/kinetic", "energy/potential", "-o", "energy.svg")
        svg = (self.dir / "energy.svg").read_text()
        self.assertEqual(svg.count("energy, J"), 1)
        self.freeplay("plot", "pendulum.h5", "solver/step", "--from", "0.5", "--to", "1500 ms", "-o", "part.svg")
        self.freeplay("plot", "pendulum.h5", "bodies/rod/angle", "--from", "5", "-o", "nothing.svg")
        self.assertIn("no data", (self.dir / "nothing.svg").read_text())

    def test_plot_refuses(self):
        for arguments, status in ((["bodies/rod/angel"], 2), (["-o", "x.pdf"], 2), (["-o", "pendulum.h5"], 2),
                                  (["--x", "bodies/rod/position"], 2), (["--x", "nothing"], 2), (["--from", "soon"], 2),
                                  (["--from", "2", "--to", "1"], 2), (["--dpi", "0"], 2), (["--width", "-3"], 2),
                                  (["-o", "no/such/folder.svg"], 5), (["--compare", "missing.h5"], 5)):
            self.freeplay("plot", "pendulum.h5", *arguments, expect=status)
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["pendulum.h5", "pendulum.toml"])

    def test_plot_of_a_run_that_failed_at_once(self):
        self.write("locks.toml", LOCKS)
        self.freeplay("run", "locks.toml", expect=4)
        self.freeplay("plot", "locks.partial.h5", "-o", "locks.svg")
        self.assertIn("incomplete", self.stderr)
        self.freeplay("report", "locks.partial.h5", "-o", "locks.html")
        self.assertIn("incomplete", self.stderr)


class View(Cli):
    """The small server: loopback only, GET and HEAD only, nothing but results of its folder."""

    def setUp(self):
        super().setUp()
        self.write("pendulum.toml", PENDULUM)
        (self.dir / "served" / "sub").mkdir(parents=True)
        self.freeplay("run", "pendulum.toml", "--quiet", "-o", "served/pendulum.h5")
        (self.dir / "served" / "sub" / "a b.h5").write_bytes((self.dir / "served" / "pendulum.h5").read_bytes())
        (self.dir / "secret.h5").write_bytes((self.dir / "served" / "pendulum.h5").read_bytes())
        os.symlink("../secret.h5", self.dir / "served" / "out.h5")
        self.server = self.start("view", "served", "--port", "0")
        self.port = int(re.match(r"results: http://127\.0\.0\.1:(\d+)/ ", self.server.stdout.readline())[1])

    def ask(self, target, method="GET", host="localhost", body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        if host is not None:
            connection.putheader("Host", host)
        for name, value in {**(headers or {}), **({"Content-Length": str(len(body))} if body else {})}.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        response = connection.getresponse()
        response.text = response.read().decode()
        connection.close()
        return response

    def raw(self, data):
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as s:
            s.sendall(data)
            with contextlib.suppress(OSError):  # the server may have answered and hung up already
                s.shutdown(socket.SHUT_WR)
            out = b""
            while chunk := s.recv(65536):
                out += chunk
        return out

    def test_list_and_report(self):
        page = self.ask("/")
        self.assertEqual(page.status, 200)
        self.assertIn('href="/report?r=sub/a%20b.h5"', page.text)
        self.assertNotIn("secret", page.text)
        self.assertNotIn("out.h5", page.text)
        report = self.ask("/report?r=pendulum.h5&r=sub/a%20b.h5")
        self.assertEqual(report.status, 200)
        self.assertEqual(report.text.count('id="block-'), 2)
        self.assertEqual(report.getheader("X-Content-Type-Options"), "nosniff")
        self.assertIn("default-src 'none'", report.getheader("Content-Security-Policy"))

    def test_nothing_outside_the_folder(self):
        for target in ("/../secret.h5", "/report?r=../secret.h5", "/report?r=%2e%2e%2fsecret.h5",
                       "/report?r=%252e%252e%252fsecret.h5", "/report?r=..%5csecret.h5", "/report?r=out.h5",
                       f"/report?r={self.dir}/secret.h5", "/report?r=pendulum.h5%00", "/report?r=%00", "/report?r=/etc/passwd",
                       "/etc/passwd", "/pendulum.h5", "/report?r=sub", "/report?r=%"):
            answer = self.ask(target)
            self.assertEqual(answer.status, 404, target)
            self.assertNotIn("root:", answer.text)

    def test_methods(self):
        full, head = self.ask("/"), self.ask("/", "HEAD")
        self.assertEqual(head.status, 200)
        self.assertEqual(head.text, "")
        self.assertEqual(head.getheader("Content-Length"), str(len(full.text.encode())))
        for method in ("PUT", "DELETE", "POST", "OPTIONS", "TRACE", "PATCH", "BREW"):
            answer = self.ask("/report?r=pendulum.h5", method, body=b"x" * 10)
            self.assertEqual(answer.status, 405, method)
            self.assertEqual(answer.getheader("Allow"), "GET, HEAD")
        self.assertEqual(self.ask("/", headers={"Range": "bytes=999999999-"}).status, 200)

    def test_only_for_this_machine(self):
        for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "", None):
            self.assertEqual(self.ask("/", host=host).status, 421, host)
        for host in ("localhost:1234", "127.0.0.1", "[::1]:80"):
            self.assertEqual(self.ask("/", host=host).status, 200, host)
        # It listens on loopback and nowhere else.
        sockets = Path("/proc/net/tcp").read_text().splitlines()[1:]
        mine = [s.split()[1] for s in sockets if s.split()[3] == "0A" and s.split()[1].endswith(f":{self.port:04X}")]
        self.assertEqual(mine, [f"0100007F:{self.port:04X}"])

    def test_requests_that_are_none(self):
        self.assertEqual(self.ask("/" + "a" * 10000).status, 404)
        self.assertIn(b" 431 ", self.raw(b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        for nonsense in (b"\x16\x03\x01\x02\x00\x01", b"GET / HTTP/9.9\r\n\r\n", b"GET\r\n\r\n", b"\0" * 1000,
                         b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"):
            answer = self.raw(nonsense)
            self.assertTrue(answer == b"" or b" 400 " in answer, answer[:60])
        self.assertEqual(self.raw(b""), b"")
        self.assertEqual(self.ask("/").status, 200)

    def test_many_and_slow_clients(self):
        slow = [socket.create_connection(("127.0.0.1", self.port), timeout=30) for _ in range(40)]
        for s in slow:
            s.sendall(b"GET / HT")
        statuses = []
        def fetch():
            statuses.append(self.ask("/").status)
        clients = [threading.Thread(target=fetch) for _ in range(200)]
        for c in clients:
            c.start()
        for c in clients:
            c.join(timeout=60)
        self.assertEqual(statuses, [200] * 200)
        for s in slow:
            s.close()

    def test_ends_when_asked(self):
        self.server.send_signal(signal.SIGINT)
        self.assertEqual(self.server.wait(timeout=20), 0)

    def test_port_in_use_and_other_mistakes(self):
        self.freeplay("view", "served", "--port", self.port, expect=5)
        self.assertIn("--port 0", self.stderr)
        for arguments in (["missing"], ["pendulum.toml"], ["served", "--port", "70000"], ["served", "--port", "-1"], []):
            self.freeplay("view", *arguments, expect=2)


class Faults(Cli):
    def setUp(self):
        super().setUp()
        self.write("pendulum.toml", PENDULUM)

    def test_places_that_cannot_be_written(self):
        for place in ("no/such/x.h5", "/proc/x.h5", ".", "x" * 300 + ".h5", "/dev/null", "pendulum.toml/x.h5"):
            self.freeplay("run", "pendulum.toml", "-o", place, expect=5)
            self.assertTrue(self.stderr)

    def test_read_only_directory(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        (self.dir / "locked").mkdir(mode=0o555)
        self.freeplay("run", "pendulum.toml", "-o", "locked/x.h5", expect=5)

    def test_full_disk(self):
        self.freeplay("run", "pendulum.toml", "-o", "whole.h5")
        size = (self.dir / "whole.h5").stat().st_size
        for limit in [0, 100, 5000, size // 2, size - 5000, size - 50]:
            limited = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            self.freeplay("run", "pendulum.toml", "-o", "x.h5", preexec_fn=limited, expect=5)
            self.assertIn("File too large", self.stderr)
            self.assertFalse((self.dir / "x.h5").exists())

    def test_directory_deleted_during_the_run(self):
        self.write("pendulum.toml", Resume.LONG)
        (self.dir / "sub").mkdir()
        process = self.start("run", "pendulum.toml", "-o", "sub/x.h5", "--duration", "300")
        self.wait_for("sub/x.partial.h5")
        (self.dir / "sub" / "x.partial.h5").unlink()
        (self.dir / "sub").rmdir()
        out, err = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 5, err)

    def test_two_runs_into_one_file(self):
        self.write("pendulum.toml", Resume.LONG)
        first = self.start("run", "pendulum.toml", "-o", "x.h5")
        self.wait_for("x.partial.h5")
        self.freeplay("run", "pendulum.toml", "-o", "x.h5", expect=5)
        self.assertIn("another run", self.stderr)
        self.freeplay("get", "x.partial.h5", "time", expect=5)
        self.assertIn("still writing", self.stderr)
        first.send_signal(signal.SIGINT)
        self.assertEqual(first.wait(timeout=30), 130)

    def test_names(self):
        for name in ("a b.h5", "it's \"so\".h5", "two\nlines.h5", "Spiel-ü.h5", "x" * 200 + ".h5", "-x.h5", "noext"):
            self.freeplay("run", "pendulum.toml", "-o", self.dir / name)
            self.freeplay("get", self.dir / name, "bodies/rod/angle", "--at", "1")

    def test_locale_and_missing_tmpdir(self):
        environment = {**os.environ, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "TMPDIR": "/no/such/place"}
        self.freeplay("run", "pendulum.toml", "--tolerance", "1.5e-8", env=environment)
        value = self.freeplay("get", "pendulum.h5", "bodies/rod/angle", "--at", "0.5", env=environment)
        self.assertIn(".", value)
        self.assertNotIn(",", value)

    def test_progress_and_colours_are_for_terminals(self):
        self.write("pendulum.toml", Resume.LONG)

        def on_terminal(*arguments, seconds, **more):
            reader, writer = pty.openpty()
            process = subprocess.Popen([FREEPLAY, *arguments], cwd=self.dir, stdout=writer, stderr=writer,
                                       env={**os.environ, "NO_COLOR": "", **more})
            time.sleep(seconds)
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            process.wait(timeout=30)
            os.close(writer)
            seen = b""
            try:
                while chunk := os.read(reader, 65536):
                    seen += chunk
            except OSError:
                pass
            os.close(reader)
            return seen.decode()
        seen = on_terminal("run", "pendulum.toml", "--duration", "100000", seconds=2.5)
        self.assertRegex(seen, r"\[#*\.*\] +\d+ %  t = .* left")
        self.assertIn("\033[1m", on_terminal("check", "pendulum.toml", seconds=1))
        self.assertNotIn("\033[1m", on_terminal("check", "pendulum.toml", seconds=1, NO_COLOR="1"))


if __name__ == "__main__":
    FREEPLAY = str(Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
