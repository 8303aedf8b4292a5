#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`freeplay get` and `freeplay export`: numbers out of a result."""

import csv
import re
import subprocess
import unittest

import h5py
import numpy as np

from harness import FREEPLAY, PENDULUM, Cli


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

    def test_blocks_of_the_state(self):
        heading, *lines = self.freeplay("get", "pendulum.h5", "state").splitlines()
        self.assertEqual(heading.split("\t"), ["name", "kind", "place", "size", "unit", "scale", "neighbour"])
        blocks = {line.split("\t")[0]: line.split("\t")[1:] for line in lines}
        self.assertEqual(blocks["bodies/rod/position"][:4], ["position", "0", "2", "m"])
        self.assertEqual(blocks["audit/start_energy"], ["memory", "0", "1", "J", "0", "shared"])
        data = self.datasets("pendulum.h5")
        for kind, name in ((("position", "velocity", "state", "work"), "state/y"), (("memory",), "state/memory")):
            places = [i for b in blocks.values() if b[0] in kind for i in range(int(b[1]), int(b[1]) + int(b[2]))]
            self.assertEqual(sorted(places), list(range(data[name].shape[1])))
        self.freeplay("get", "pendulum.h5", "state", "--stats", expect=2)

    def test_states_of_another_layout_are_refused_by_name(self):
        with h5py.File(self.dir / "pendulum.h5", "r+") as file:
            file["state"].attrs["formulation"] = "tree"
        self.freeplay("get", "pendulum.h5", "state", expect=5)
        self.assertIn("the list of its states is damaged", self.stderr)

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
            file.attrs["format_version"] = 99
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


if __name__ == "__main__":
    unittest.main(verbosity=2)
