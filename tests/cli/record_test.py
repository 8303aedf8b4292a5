#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What result files keep: `record` and `--record`, thinned steps, values at any instant, forecasts."""

import json
import os
import random
import signal
import subprocess
import time
import unittest
from pathlib import Path

import h5py
import numpy as np

from harness import DROP, FREEPLAY, PENDULUM, Cli

MECHANISMS = Path(__file__).resolve().parents[2] / "mechanisms"

# Bounces some ten thousand steps long, and so is thinned.
LONG_DROP = DROP.replace('duration = "50 ms"', 'duration = "2 s"\ntolerance = 1e-11\nmax_step = "50 us"')


class Record(Cli):
    def setUp(self):
        super().setUp()
        self.write("pendulum.toml", PENDULUM)
        self.write("drop.toml", LONG_DROP)

    def test_chosen_series_and_the_grid_alone(self):
        self.freeplay("run", "pendulum.toml", "-o", "all.h5")
        text = self.freeplay("run", "pendulum.toml", "-o", "a.h5", "--record", "{ steps = false, series = ['bodies/rod/*', 'energy/kinetic'] }")
        self.assertIn("the uniform grid alone; 7 of", text)
        a, whole = self.datasets("a.h5"), self.datasets("all.h5")
        self.assertNotIn("time", a)
        self.assertNotIn("uniform/joints/pivot/reaction_force", a)
        for path in ("uniform/time", "uniform/bodies/rod/position", "uniform/bodies/rod/velocity", "uniform/energy/kinetic"):
            np.testing.assert_array_equal(a[path], whole[path])
        # What it does not keep is computed anew, to the last bit.
        for path in ("bodies/rod/position", "joints/pivot/reaction_force", "joints/pivot/reaction_force.y", "energy/potential"):
            for t in ("0", "0.7313", "1.999", "2"):
                self.assertEqual(self.freeplay("get", "a.h5", path, "--at", t), self.freeplay("get", "all.h5", path, "--at", t))
        self.freeplay("get", "a.h5", "bodies/rod/position", expect=2)
        self.assertIn("uniform/bodies/rod/position", self.stderr)
        self.freeplay("get", "a.h5", "bodies/rod/positon", "--at", "1", expect=2)
        self.assertIn("did you mean", self.stderr)
        self.freeplay("get", "a.h5", "energy/kinetic", "--stats")
        self.freeplay("export", "a.h5", "--csv", "tables")
        self.freeplay("report", "a.h5", "-o", "a.html")

    def test_in_the_model_file(self):
        self.write("few.toml", PENDULUM + "record = { series = ['joints/*'], every = 10 }\n")
        self.freeplay("run", "few.toml")
        a = self.datasets("few.h5")
        self.assertNotIn("bodies/rod/position", a)
        self.assertTrue((a["solver/index"][:-1] % 10 == 0).all())
        with h5py.File(self.dir / "few.h5") as file:
            self.assertEqual(file.attrs["record"], '{ series = ["joints/*"], every = 10 }')
        # The command line has the last word.
        self.freeplay("run", "few.toml", "--record", "{ every = 1 }")
        self.assertIn("bodies/rod/position", self.datasets("few.h5"))

    def test_what_fits_nothing_is_refused(self):
        cases = {"{ series = ['bodies/rot/*'] }": "did you mean 'bodies/rod/*'?",
                 "{ series = ['bodies/rod'] }": "did you mean 'bodies/rod/*'?",
                 "{ series = ['bodies/rod/position.x'] }": "did you mean 'bodies/rod/position'?",
                 "{ series = [] }": "series", "{ serie = ['*'] }": "did you mean 'series'?",
                 "{ every = 0 }": "every", "{ every = 2.5 }": "no whole number", "{ steps = 1 }": "steps",
                 "{ steps = false, every = 2 }": "leave one of them out", "all": "record"}
        for record, said in cases.items():
            for verb in ("run", "check"):
                self.freeplay(verb, "pendulum.toml", "--record", record, expect=2)
                self.assertIn(said, self.stderr, record)
        self.assertEqual(list(self.dir.glob("*.h5")), [])

    def test_long_runs_are_thinned_and_nothing_is_lost(self):
        text = self.freeplay("run", "drop.toml", "-o", "thin.h5")
        self.assertRegex(text, r"kept +every .*those at events, and those at the extremes of each series: \d+ rows")
        self.freeplay("run", "drop.toml", "-o", "all.h5", "--record", "{ every = 1 }")
        thin, whole = self.datasets("thin.h5"), self.datasets("all.h5")
        self.assertLess(len(thin["time"]), 0.5 * len(whole["time"]))
        # Rows are rows of the run: states, solver and all.
        rows = np.searchsorted(whole["time"], thin["time"])
        for path in whole:
            if path.startswith(("uniform/", "model/", "state/anchor", "state/blocks", "state/checkpoint")) or path in ("events", "impacts"):
                if not path.startswith("state/"):
                    self.assertEqual(np.asarray(thin[path]).tobytes(), np.asarray(whole[path]).tobytes(), path)
                continue
            np.testing.assert_array_equal(thin[path], whole[path][rows], path)
            if whole[path].dtype == float and not path.startswith(("state/", "solver/")):
                np.testing.assert_array_equal(thin[path].max(axis=0), whole[path].max(axis=0), path)
                np.testing.assert_array_equal(thin[path].min(axis=0), whole[path].min(axis=0), path)
        self.assertTrue(np.isin(whole["events"]["time"], thin["time"]).all())
        # Steps that are not kept are found again, to the last bit.
        gone = np.setdiff1d(np.arange(len(whole["time"])), rows)
        for i in random.Random(7).sample(list(gone), 12):
            t = repr(float(whole["time"][i]))
            for path in ("bodies/shaft/position", "bodies/shaft/acceleration", "joints/bearing/normal_force"):
                got = [float(x) for x in self.freeplay("get", "thin.h5", path, "--at", t).split()]
                np.testing.assert_array_equal(got, [float(f"{x:.15g}") for x in np.atleast_1d(whole[path][i])], f"{path} at {t}")

    def test_killed_and_resumed_leaves_the_same_file(self):
        options = ["--duration", "6", "--quiet"]
        self.freeplay("run", "drop.toml", "-o", "whole.h5", *options)
        for attempt in range(2):
            process = subprocess.Popen([FREEPLAY, "run", "drop.toml", "-o", "parts.h5", *options], cwd=self.dir)
            time.sleep(0.75 + 0.3 * attempt)
            killed = process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait()
            if killed:
                self.freeplay("run", "drop.toml", "-o", "parts.h5", "--resume", *options)
            whole, parts = self.datasets("whole.h5"), self.datasets("parts.h5")
            self.assertEqual(set(whole), set(parts))
            for path in whole:
                if path == "state/anchors":  # step memory has room for what the next step does not read
                    self.assertEqual(whole[path].shape, parts[path].shape)
                    continue
                self.assertEqual(np.asarray(whole[path]).tobytes(), np.asarray(parts[path]).tobytes(), path)

    def test_values_of_every_kind_are_there_for_other_readers(self):
        self.freeplay("run", str(MECHANISMS / "slider_crank.toml"), "-o", "x.h5")
        with h5py.File(self.dir / "x.h5") as file:
            for prefix in ("", "uniform/"):
                for path in ("bodies/slider/position", "bodies/slider/velocity", "bodies/slider/acceleration",
                             "joints/pin/reaction_force", "joints/pin/normal_force", "joints/pin/penetration", "energy/kinetic"):
                    self.assertTrue(np.isfinite(file[prefix + path][()]).all(), prefix + path)
                    self.assertEqual(file[prefix + path].compression, "gzip")
            self.assertEqual(file["bodies/slider/velocity"].dtype, np.float64)
            self.assertEqual(file["uniform/bodies/slider/position"].dtype, np.float64)
            self.assertEqual(file["uniform/bodies/slider/velocity"].dtype, np.float64)
            # The grid is the same motion as the steps.
            x = np.interp(file["uniform/time"], file["time"], file["bodies/slider/position"][:, 0])
            self.assertLess(np.abs(x - file["uniform/bodies/slider/position"][:, 0]).max(), 1e-4)

    def test_forecast(self):
        self.assertRegex(self.freeplay("check", "pendulum.toml"), r"forecast +[\d.e-]+ CPU s, result [\d.]+ kB \(the run was tried as a whole\)")
        known = json.loads(self.freeplay("check", "pendulum.toml", "--json"))["forecast"]
        self.freeplay("run", "pendulum.toml")
        size = os.path.getsize(self.dir / "pendulum.h5")
        self.assertTrue(known["whole"])
        self.assertAlmostEqual(known["bytes"]["value"], size, delta=0.02 * size)
        guessed = json.loads(self.freeplay("check", "drop.toml", "--set", "simulation.duration=10", "--json"))["forecast"]
        self.assertFalse(guessed["whole"])
        summary = json.loads(self.freeplay("run", "drop.toml", "--duration", "10", "--json"))
        size = os.path.getsize(self.dir / "drop.h5")
        for what, true in (("bytes", size), ("cpu_seconds", summary["cpu_seconds"])):
            self.assertLess(guessed[what]["low"], true, what)
            self.assertGreater(guessed[what]["high"], true, what)
            self.assertLess(guessed[what]["low"], guessed[what]["value"])
        self.assertEqual(list(self.dir.glob("*.partial.h5")), [])


if __name__ == "__main__":
    unittest.main()
