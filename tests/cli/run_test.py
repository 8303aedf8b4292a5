#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`freeplay run`: results, resuming, faults that strike in between."""

import json
import math
import os
import pty
import re
import resource
import signal
import subprocess
import time
import unittest
from pathlib import Path

import h5py
import numpy as np

from harness import FREEPLAY, LOCKS, PENDULUM, TOO_SHORT, Cli

ROOT = Path(__file__).resolve().parents[2]


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
                                        "energy_residual", "energy_scale", "friction_use", "warnings", "result"})
        self.assertEqual((summary["status"], summary["time"], summary["result"]), ("done", 2, "a b.h5"))

    def test_layout(self):
        self.freeplay("run", "pendulum.toml")
        with h5py.File(self.dir / "pendulum.h5") as file:
            a = file.attrs
            self.assertEqual((a["format"], a["format_version"], a["complete"], a["seed"]), ("freeplay-result", 3, 1, 0))
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
            for name in ("step", "order", "rejected", "evaluations", "jacobians", "index", "event"):
                self.assertEqual(file["solver"][name].shape, (steps,))

            def check(path, item):
                if not isinstance(item, h5py.Dataset) or path.startswith("model/") or path == "state/blocks":
                    return
                self.assertTrue(item.attrs["unit"] and item.attrs["long_name"], path)
                self.assertTrue(item.shuffle and item.compression == "gzip" and item.fletcher32, path)
                if path in ("events", "impacts"):
                    return
                if path == "state/checkpoint":  # only while there is something to go on with
                    self.assertEqual(item.shape, (0,))
                    return
                if path.startswith("state/anchor"):
                    self.assertGreater(item.shape[0], 1)
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

    def test_what_a_start_changes_is_said_even_when_quiet(self):
        self.write("moved.toml", PENDULUM.replace("position = [0.25, 0]", "position = [0.25, 0]\nvelocity = [1, 0]"))
        self.assertEqual(self.freeplay("run", "moved.toml", "--quiet"), "")
        self.assertRegex(self.stderr, r"note: start velocity of rod changed by 1 m/s to satisfy the joints")
        self.freeplay("run", "pendulum.toml", "--quiet")
        self.assertEqual(self.stderr, "")

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
        self.assertLess(max(steps, points), whole["solver/index"][-1])
        for path in whole:
            if path != "state/anchors":  # step memory has room for what the next step does not read
                self.assertEqual(np.asarray(parts[path]).tobytes(), np.asarray(whole[path]).tobytes(), path)
        self.assertIn("complete already", (self.freeplay("run", "pendulum.toml", "-o", "parts.h5", "--resume"), self.stderr)[1])

    def resumed_equals_whole(self, model, *options):
        """Interrupted at several moments, killed in between, and taken up again: the same bits."""
        for limit in ("0.05", "0.12"):
            self.freeplay("run", model, "-o", "parts.h5", *options, "--time-limit", limit, "--resume", expect=130)
        process = self.start("run", model, "-o", "parts.h5", *options, "--resume")
        time.sleep(1.5)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=20)
        self.freeplay("run", model, "-o", "parts.h5", *options, "--resume")
        self.freeplay("run", model, "-o", "whole.h5", *options)
        parts, whole = self.datasets("parts.h5"), self.datasets("whole.h5")
        self.assertEqual(set(parts), set(whole))
        for path in whole:
            if path != "state/anchors":  # step memory has room for what the next step does not read
                self.assertEqual(np.asarray(parts[path]).tobytes(), np.asarray(whole[path]).tobytes(), path)

    def test_resumed_run_equals_the_uninterrupted_one_to_the_last_bit(self):
        self.write("pendulum.toml", self.LONG)
        self.resumed_equals_whole("pendulum.toml", "--integrator", "rk4", "--set", "simulation.step=1e-3",
                                  "--duration", "400")

    def test_a_chaotic_run_too(self):
        model = ROOT / "mechanisms" / "slider_crank.toml"
        self.resumed_equals_whole(model, "--duration", "1")

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


class Faults(Cli):
    def setUp(self):
        super().setUp()
        self.write("pendulum.toml", PENDULUM)

    def test_places_that_cannot_be_written(self):
        for place in ("no/such/x.h5", "/proc/x.h5", ".", "x" * 300 + ".h5", "/dev/null", "pendulum.toml/x.h5"):
            self.freeplay("run", "pendulum.toml", "-o", place, expect=5)
            self.assertTrue(self.stderr)

    def test_read_only_directory(self):
        (self.dir / "locked").mkdir(mode=0o555)
        locked = "/sys" if os.geteuid() == 0 else "locked"  # root may write to any folder that is a real one
        self.freeplay("run", "pendulum.toml", "-o", f"{locked}/x.h5", expect=5)
        self.assertIn("Permission denied", self.stderr)

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

        def on_terminal(*arguments, until=None, **more):
            """What is shown until it ends, or is interrupted because `until` has been shown."""
            reader, writer = pty.openpty()
            process = subprocess.Popen([FREEPLAY, *arguments], cwd=self.dir, stdout=writer, stderr=writer,
                                       env={**os.environ, "NO_COLOR": "", **more})
            os.close(writer)
            seen = ""
            try:
                while chunk := os.read(reader, 65536):
                    seen += chunk.decode(errors="replace")
                    if until and re.search(until, seen):
                        until = None
                        process.send_signal(signal.SIGINT)
            except OSError:
                pass  # nobody writes any more
            os.close(reader)
            process.wait(timeout=30)
            return seen
        bar = r"\[#*\.*\] +\d+ %  t = .* left"
        self.assertRegex(on_terminal("run", "pendulum.toml", "--duration", "100000", until=bar), bar)
        self.assertIn("\033[1m", on_terminal("check", "pendulum.toml"))
        self.assertNotIn("\033[1m", on_terminal("check", "pendulum.toml", NO_COLOR="1"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
