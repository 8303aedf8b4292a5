#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Studies in parts, as the tasks of an array job, and their rows as tables, CSV and JSON.

usage: study_parts_test.py FREEPLAY [TestCase ...]      (normally called by ctest)
"""

import csv
import json
import os
import random
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

import h5py

from harness import FREEPLAY, PENDULUM, Cli

ROOT = Path(__file__).resolve().parents[2]
SWING = PENDULUM.replace('duration = 2\noutput = "10 ms"', "duration = 0.2\ntolerance = 1e-8")

SWEEP = """
model = "pendulum.toml"
kind  = "sweep"
vary."bodies.rod.position.0" = { from = "100 mm", to = "500 mm", count = %d }
observe = ["bodies/rod/angle [deg]", "max joints/pivot/reaction_force.y", "energy_residual"]
seed = 1
"""

HEADINGS = ["row", "rod position x [mm]", "rod angle [deg]", "max pivot reaction force y [N]", "energy residual [J]", "status"]


class Case(Cli):
    def setUp(self):
        super().setUp()
        self.write("pendulum.toml", SWING)

    def study(self, *words, expect=0, **options):
        return self.freeplay("study", *words, expect=expect, **options)

    def csv(self, name):
        with open(self.dir / name, newline="") as file:
            return list(csv.reader(file))

    def assert_same(self, one, other):
        """All datasets, byte by byte."""
        a, b = self.datasets(one), self.datasets(other)
        self.assertEqual(sorted(a), sorted(b))
        for name in a:
            x, y = a[name], b[name]
            self.assertEqual(x.tobytes() if hasattr(x, "tobytes") else x, y.tobytes() if hasattr(y, "tobytes") else y, name)


class Rows(Case):
    def test_rows_on_the_terminal_as_csv_and_as_json(self):
        self.write("sweep.toml", SWEEP % 3)
        said = self.study("sweep.toml", "--rows", "--csv", "rows.csv")
        self.assertIn("rod position x [mm]", said)
        self.assertNotIn("bodies.rod", said)                       # names, not paths
        head, *rows = self.csv("rows.csv")
        self.assertEqual(head, HEADINGS + ["error"])
        self.assertEqual([row[1] for row in rows], ["100", "300", "500"])
        for row in rows:
            self.assertIn(f"{float(row[2]):.6g}", said)
        with h5py.File(self.dir / "sweep.h5") as file:            # the file keeps SI and paths
            self.assertEqual(file["inputs/bodies.rod.position.0"].attrs["unit"], "m")
            self.assertEqual([round(v, 12) for v in file["inputs/bodies.rod.position.0"][:]], [0.1, 0.3, 0.5])
            angle = file["outputs/bodies/rod/angle"][:]
        for stored, row in zip(angle, rows):
            self.assertAlmostEqual(stored * 57.29577951308232, float(row[2]), delta=1e-9)
        answer = json.loads(self.study("sweep.toml", "--json", "--rows"))
        self.assertEqual([c["name"] for c in answer["table"]["columns"]], [h.split(" [")[0] for h in HEADINGS[1:-1]])
        self.assertEqual(answer["table"]["rows"][1][0], 300)
        self.assertEqual([str(v) for v in answer["table"]["status"]], ["0"] * 3)
        self.assertNotIn("table", json.loads(self.study("sweep.toml", "--json")))

    def test_tables_overwrite_nothing_that_is_needed(self):
        self.write("sweep.toml", SWEEP % 2)
        for name in ("sweep.toml", "pendulum.toml", "sweep.h5", "./sweep.h5"):
            self.study("sweep.toml", "--csv", name, expect=2)
            self.assertIn("would overwrite", self.stderr)
        self.assertEqual((self.dir / "pendulum.toml").read_text(), SWING)
        self.study("sweep.toml", "--part", "1/2", "--csv", "x.csv", expect=2)
        self.study("sweep.toml", "--csv", "no/such/rows.csv", expect=5)
        self.assertIn("cannot write", self.stderr)

    def test_get_and_export_read_studies(self):
        self.write("sweep.toml", SWEEP % 4)
        self.study("sweep.toml", "--quiet")
        listed = [line.split("\t") for line in self.freeplay("get", "sweep.h5", "--list").splitlines()]
        self.assertIn(["bodies.rod.position.0", "mm", "inputs", "rod position x"], listed)
        self.assertIn(["bodies/rod/angle", "deg", "outputs", "rod angle"], listed)
        by_path = self.freeplay("get", "sweep.h5", "bodies/rod/angle")
        self.assertEqual(by_path, self.freeplay("get", "sweep.h5", "rod angle"))
        self.assertEqual(by_path, self.freeplay("get", "sweep.h5", "outputs/bodies/rod/angle"))
        values = [float(line.split("\t")[1]) for line in by_path.splitlines()]
        stats = self.freeplay("get", "sweep.h5", "rod angle", "--stats").splitlines()[1].split("\t")
        self.assertEqual((float(stats[2]), float(stats[3])), (min(values), max(values)))
        self.assertEqual(stats[6:], [str(values.index(min(values))), str(values.index(max(values)))])
        table = self.freeplay("get", "sweep.h5", "rows").splitlines()
        self.assertEqual(table[0].split("\t"), HEADINGS)
        self.assertEqual(len(table), 5)
        self.freeplay("get", "sweep.h5", "rod angel", expect=2)
        self.assertIn("did you mean", self.stderr)
        self.freeplay("get", "sweep.h5", "rod angle", "--at", "1", expect=2)
        self.assertIn("--row N", self.stderr)
        said = self.freeplay("export", "sweep.h5", "--csv", "tables").split()
        self.assertEqual(said, ["tables/rows.csv"])
        self.assertEqual([row[2] for row in self.csv("tables/rows.csv")][1:], [line.split("\t")[1] for line in by_path.splitlines()])

    def test_failed_rows_have_no_numbers(self):
        self.write("bad.toml", 'model = "pendulum.toml"\nkind = "sweep"\nvary."bodies.rod.mass" = [1, -1]\nobserve = ["bodies/rod/angle"]\n')
        self.study("bad.toml", "--rows", "--csv", "bad.csv", expect=4)
        self.assertEqual(self.freeplay("get", "bad.h5", "bodies/rod/angle").splitlines()[1], "1\tnan")
        rows = self.csv("bad.csv")
        self.assertEqual((rows[2][2], rows[2][3]), ("nan", "bad model"))
        self.assertIn("mass", rows[2][4])

    def test_words_turns_and_conclusions(self):
        self.write("words.toml", 'model = "pendulum.toml"\nkind = "sweep"\nvary."simulation.integrator" = ["dop853", "cvode-bdf"]\n'
                   'observe = ["bodies/rod/angle"]\n')
        self.assertIn("cvode-bdf", self.study("words.toml", "--rows"))
        self.assertEqual(self.freeplay("get", "words.h5", "simulation.integrator"), "0\tdop853\n1\tcvode-bdf\n")
        self.write("turns.toml", """
model = "pendulum.toml"
kind = "bifurcation"
vary."bodies.rod.mass" = [1, 2]
section = { every = "10 ms" }
turns = { transient = 1, record = 3 }
observe = ["bodies/rod/angle [deg]"]
""")
        self.study("turns.toml", "--quiet")
        said = self.freeplay("export", "turns.h5", "--csv", "turns").split()
        self.assertEqual(said, ["turns/rows.csv", "turns/section.csv", "turns/results.csv"])
        rows = self.csv("turns/section.csv")
        self.assertEqual(rows[0], ["row", "turn", "rod angle [deg]"])
        self.assertEqual([r[:2] for r in rows[1:]], [[str(i), str(k)] for i in range(2) for k in range(3)])
        self.assertEqual(self.freeplay("get", "turns.h5", "section/bodies/rod/angle").splitlines()[3].split("\t")[0], "1")

    def test_units_are_checked(self):
        for unit, said in (("mm", "no unit of"), ("furlongs", "is no unit")):
            self.write("sweep.toml", (SWEEP % 2).replace("[deg]", f"[{unit}]"))
            self.study("sweep.toml", expect=2)
            self.assertIn(said, self.stderr)

    def test_includes_and_tables_from_files(self):
        (self.dir / "m" / "sub").mkdir(parents=True)
        (self.dir / "s").mkdir()
        self.write("m/sub/base.toml", SWING)
        self.write("m/sub/push.csv", "0,0\n0.1,5\n0.3,0\n")
        self.write("m/model.toml", 'include = ["sub/base.toml"]\n[forces.push]\nbody = "rod"\nat = [0.5, 0]\ndirection = [0, 1]\n'
                   'magnitude = { table = { file = "sub/push.csv" } }\n')
        self.write("s/common.toml", 'observe = ["bodies/rod/angle [deg]"]\n')
        self.write("s/study.toml", 'include = ["common.toml"]\nmodel = "../m/model.toml"\nkind = "sweep"\nvary."bodies.rod.mass" = ["1 kg", "2 kg"]\n')
        self.study("s/study.toml", "-o", "out.h5", "--quiet")
        for k in (1, 2):
            self.study("s/study.toml", "--part", f"{k}/2", "--quiet")
        self.study("s/study.toml", "--join", "--quiet")
        self.assert_same("study.h5", "out.h5")
        self.freeplay("run", "m/model.toml", "--set", "bodies.rod.mass=2", "-o", "one.h5", "--quiet")
        one = float(self.freeplay("get", "one.h5", "bodies/rod/angle", "--at", "0.2")) * 57.29577951308232
        self.assertAlmostEqual(float(self.freeplay("get", "out.h5", "rod angle").split()[-1]), one, delta=1e-9)
        for file, old, new, said in (("s/common.toml", "[deg]", "[rad]", "another study"), ("m/sub/push.csv", "0.1,5", "0.1,6", "another model"),
                                     ("m/sub/base.toml", "mass = 1", "mass = 1.1\ninclude_is_read = 1", "")):
            text = (self.dir / file).read_text()
            self.write(file, text.replace(old, new))
            self.study("s/study.toml", "--part", "1/2", expect=5 if said else 2)
            self.assertIn(said, self.stderr)
            self.write(file, text)

    def test_fit_moves_the_friction_of_a_joint(self):
        self.write("rough.toml", SWING.replace("at = [0, 0]\n", 'at = [0, 0]\nfriction = { law = "coulomb", kinetic = "0.1*1", radius = "10 mm" }\n'))
        self.freeplay("run", "rough.toml", "--set", "joints.pivot.friction.kinetic=0.23", "-o", "true.h5", "--quiet")
        self.write("swing.csv", self.freeplay("get", "true.h5", "uniform/bodies/rod/angle").replace("\t", ","))
        fit = ('model = "rough.toml"\nkind = "fit"\nalgorithm = "bobyqa"\nvary."joints.pivot.friction.kinetic" = { from = 0.01, to = 0.5 }\n'
               'measured = { series = "bodies/rod/angle", file = "swing.csv" }\n')
        self.write("fit.toml", fit)
        best = json.loads(self.study("fit.toml", "--json"))["results"]["best/joints.pivot.friction.kinetic"]
        self.assertAlmostEqual(best, 0.23, delta=2e-4)
        self.write("fit.toml", fit.replace("friction.kinetic", "friction.law.kinetic"))
        self.study("fit.toml", expect=2)
        self.assertIn("did you mean 'joints.pivot.friction.kinetic'?", self.stderr)

    def test_the_page_shows_the_units_of_the_study(self):
        self.write("sweep.toml", SWEEP % 3)
        self.study("sweep.toml", "--quiet")
        self.freeplay("report", "sweep.h5")
        page = (self.dir / "sweep.html").read_text()
        self.assertIn('"name":"rod position x"', page)
        self.assertIn('"unit":"mm"', page)


class Parts(Case):
    def part(self, *words, **options):
        return self.start("study", "sweep.toml", "-o", "out.h5", "--quiet", *words, **options)

    def test_seven_parts_in_any_order_two_of_them_killed(self):
        self.write("sweep.toml", SWEEP % 500)
        self.study("sweep.toml", "-o", "whole.h5", "--quiet")
        order = list(range(1, 8))
        random.Random(3).shuffle(order)
        killed = 0
        for k in order:
            if k in (2, 5):
                process = self.part("--part", f"{k}/7", "--workers", "1")
                file = self.dir / f"out.h5.part-{k}-of-7"
                for _ in range(5000):                       # until some rows are there, and not yet all
                    if process.poll() is not None or (file.exists() and file.stat().st_size > 2500):
                        break
                    time.sleep(0.001)
                process.kill()
                killed += process.wait() == -signal.SIGKILL
                self.study("sweep.toml", "-o", "out.h5", "--join", expect=5)
                self.assertIn("rows are missing", self.stderr)
            self.study("sweep.toml", "-o", "out.h5", "--part", f"{k}/7", "--quiet")
        self.assertEqual(killed, 2)
        self.assertIn("0 of 500 rows are missing", self.study("sweep.toml", "-o", "out.h5", "--missing"))
        said = self.study("sweep.toml", "-o", "out.h5", "--join")
        self.assertIn("500 rows", said)
        self.assert_same("out.h5", "whole.h5")
        self.assertIn("0 of 500", self.study("sweep.toml", "-o", "out.h5", "--missing"))

    def test_missing_rows_are_listed_with_their_parts(self):
        self.write("sweep.toml", SWEEP % 10)
        self.assertIn("10 of 10 rows are missing", self.study("sweep.toml", "--missing"))
        self.study("sweep.toml", "--part", "2/3", "--quiet")
        said = json.loads(self.study("sweep.toml", "--missing", "--json"))
        self.assertEqual(said["missing"], [0, 2, 3, 5, 6, 8, 9])
        self.assertEqual([p["missing"] for p in said["parts"]], [[0, 3, 6, 9], [], [2, 5, 8]])
        self.assertIn("2, 5, 8", self.study("sweep.toml", "--missing"))
        self.study("sweep.toml", "--join", expect=5)
        self.assertIn("7 of 10 rows are missing: 0, 2, 3, 5, 6, 8", self.stderr)
        self.assertFalse((self.dir / "sweep.h5").exists())
        self.assertEqual([p.name for p in self.dir.glob("sweep.h5*")], ["sweep.h5.part-2-of-3"])

    def test_more_parts_than_rows_and_parts_that_overlap(self):
        self.write("sweep.toml", SWEEP % 3)
        self.study("sweep.toml", "-o", "whole.h5", "--quiet")
        for k in (1, 2, 3, 4, 5):
            self.study("sweep.toml", "--part", f"{k}/5")
            self.assertEqual("has no rows" in self.stderr, k > 3)
        self.study("sweep.toml", "--part", "1/2", "--quiet")        # rows 0 and 2 again, the same
        self.study("sweep.toml", "--join", "--quiet")
        self.assert_same("sweep.h5", "whole.h5")

    def test_another_study_model_or_part_is_refused_by_name(self):
        self.write("sweep.toml", SWEEP % 4)
        for k in (1, 2):
            self.study("sweep.toml", "--part", f"{k}/2", "--quiet")
        first = self.dir / "sweep.h5.part-1-of-2"
        whole = first.read_bytes()
        shutil.copy(first, self.dir / "sweep.h5.part-2-of-2")
        self.study("sweep.toml", "--join", expect=5)
        self.assertIn("sweep.h5.part-2-of-2 holds part 1/2 of the rows, not part 2/2", self.stderr)
        (self.dir / "sweep.h5.part-2-of-2").unlink()
        self.study("sweep.toml", "--part", "2/2", "--quiet")
        version = self.freeplay("--version").split()[1].encode()
        first.write_bytes(whole.replace(b"program " + version, b"program 0.0.9"))
        for words in (("--join",), ("--missing",), ("--part", "1/2")):
            self.study("sweep.toml", *words, expect=5)
            self.assertIn("sweep.h5.part-1-of-2 was computed by freeplay 0.0.9", self.stderr)
        first.write_bytes(whole)
        self.write("pendulum.toml", SWING.replace("mass = 1", "mass = 1.1"))
        self.study("sweep.toml", "--join", expect=5)
        self.assertIn("sweep.h5.part-1-of-2 belongs to another model", self.stderr)
        self.write("pendulum.toml", SWING)
        self.write("sweep.toml", SWEEP % 5)
        self.study("sweep.toml", "--part", "1/2", expect=5)
        self.assertIn("sweep.h5.part-1-of-2 belongs to another study", self.stderr)

    def test_damaged_parts(self):
        self.write("sweep.toml", SWEEP % 8)
        self.study("sweep.toml", "-o", "whole.h5", "--quiet")
        for k in (1, 2):
            self.study("sweep.toml", "--part", f"{k}/2", "--quiet")
        first = self.dir / "sweep.h5.part-1-of-2"
        whole = first.read_bytes()
        chance = random.Random(7)
        for _ in range(12):
            bytes_ = bytearray(whole)
            bytes_[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
            first.write_bytes(bytes_)
            self.study("sweep.toml", "--join", expect=5)     # rows missing, or another study: never a wrong table
            self.assertFalse((self.dir / "sweep.h5").exists())
        first.write_bytes(whole[:len(whole) // 2])
        self.study("sweep.toml", "--part", "1/2", "--quiet")  # computes what was lost
        self.study("sweep.toml", "--join", "--quiet")
        self.assert_same("sweep.h5", "whole.h5")
        first.write_bytes(b"")
        (self.dir / "sweep.h5").unlink()
        self.study("sweep.toml", "--join", expect=5)
        self.assertIn("is not the journal of a study", self.stderr)

    def test_killed_while_joining(self):
        self.write("sweep.toml", SWEEP % 300)
        self.study("sweep.toml", "-o", "whole.h5", "--quiet")
        for k in (1, 2):
            self.study("sweep.toml", "-o", "out.h5", "--part", f"{k}/2", "--quiet")
        chance = random.Random(5)
        for _ in range(6):
            process = self.part("--join")
            time.sleep(chance.uniform(0, 0.04))
            process.kill()
            process.wait()
            if (self.dir / "out.h5").exists():                # whole, or not there
                self.assert_same("out.h5", "whole.h5")
                (self.dir / "out.h5").unlink()
        self.study("sweep.toml", "-o", "out.h5", "--join", "--quiet")
        self.assert_same("out.h5", "whole.h5")
        left = sorted(p.name for p in self.dir.glob("out.h5*") if ".tmp" not in p.name)  # what kill -9 leaves is nobody's result
        self.assertEqual(left, ["out.h5", "out.h5.part-1-of-2", "out.h5.part-2-of-2"])

    def test_chains_stay_whole(self):
        self.write("chains.toml", """
model = "pendulum.toml"
kind = "bifurcation"
start = "continue"
chains = 3
vary."bodies.rod.mass" = { from = 1, to = 2, count = 8 }
section = { every = "10 ms" }
turns = { transient = 1, record = 2 }
observe = ["bodies/rod/angle"]
""")
        self.study("chains.toml", "-o", "whole.h5", "--quiet")
        for k in (4, 2, 1, 3):
            self.study("chains.toml", "--part", f"{k}/4", "--quiet")
        self.assertIn("there are 3 chains, which are not divided", self.stderr if k == 4 else
                      subprocess.run([FREEPLAY, "study", "chains.toml", "--part", "4/4"], cwd=self.dir, capture_output=True, text=True).stderr)
        self.study("chains.toml", "--join", "--quiet")
        self.assert_same("chains.h5", "whole.h5")

    def test_every_kind_of_rows(self):
        vary = 'vary."bodies.rod.mass" = { from = 0.9, to = 1.1 }\nvary."bodies.rod.position.0" = { from = 0.2, to = 0.3 }\nobserve = ["bodies/rod/angle"]\n'
        for kind, keys in (("monte-carlo", "samples = 9\nseed = 4"), ("monte-carlo", 'samples = 9\nsampling = "sobol"\nseed = 4'),
                           ("monte-carlo", 'samples = 9\nsampling = "latin-hypercube"\nseed = 4'),
                           ("sensitivity", "samples = 4"), ("interval", "nodes = 3")):
            with self.subTest(kind + keys):
                self.write("kind.toml", f'model = "pendulum.toml"\nkind = "{kind}"\n{keys}\n{vary}')
                self.study("kind.toml", "-o", "whole.h5", "--quiet")
                for k in (3, 1, 2):
                    self.study("kind.toml", "--part", f"{k}/3", "--quiet")
                self.study("kind.toml", "--join", "--quiet")
                self.assert_same("kind.h5", "whole.h5")
                for file in self.dir.glob("kind.h5*"):
                    file.unlink()

    def test_searches_cannot_be_divided(self):
        for kind, keys in (("optimise", 'minimise = "bodies/rod/angle"'), ("fit", 'measured = { series = "bodies/rod/angle", file = "m.csv" }')):
            self.write("m.csv", "0,0\n0.1,-0.1\n")
            self.write("search.toml", f'model = "pendulum.toml"\nkind = "{kind}"\nvary."bodies.rod.mass" = {{ from = 1, to = 2 }}\n{keys}\n')
            for words in (("--part", "1/2"), ("--join",), ("--missing",)):
                self.study("search.toml", *words, expect=2)
                self.assertIn("each of its rows follows from those before", self.stderr)


class Batch(Case):
    """Array jobs, which are known by their variables."""

    def under(self, *words, expect=0, **variables):
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "SGE_", "PBS_", "LSB_"))}
        return self.study(*words, expect=expect, env={**clean, **{k: str(v) for k, v in variables.items()}})

    def test_tasks_know_their_parts(self):
        self.write("sweep.toml", SWEEP % 12)
        slurm = {"SLURM_ARRAY_TASK_MIN": 10, "SLURM_ARRAY_TASK_MAX": 14, "SLURM_ARRAY_TASK_STEP": 2, "SLURM_ARRAY_TASK_COUNT": 3}
        for variables, words, expected in (
                ({**slurm, "SLURM_ARRAY_TASK_ID": 12}, "auto", "2-of-3"),
                ({"SLURM_ARRAY_TASK_ID": 4}, "auto/5", "4-of-5"),
                ({"SGE_TASK_ID": 3, "SGE_TASK_FIRST": 1, "SGE_TASK_LAST": 4, "SGE_TASK_STEPSIZE": 1}, "auto", "3-of-4"),
                ({"LSB_JOBINDEX": 2, "LSB_JOBINDEX_END": 6}, "auto", "2-of-6"),
                ({"PBS_ARRAY_INDEX": 1}, "auto/7", "1-of-7"),
                ({"PBS_ARRAYID": 1}, "auto/8", "1-of-8")):
            self.under("sweep.toml", "--part", words, "--quiet", **variables)
            self.assertTrue((self.dir / f"sweep.h5.part-{expected}").exists(), expected)
        for variables, words, said in (
                ({}, "auto", "no task of an array job"),
                ({"SGE_TASK_ID": "undefined"}, "auto", "no task of an array job"),
                ({"LSB_JOBINDEX": 0}, "auto", "no task of an array job"),
                ({"PBS_ARRAY_INDEX": 1}, "auto", "does not say how many tasks"),
                ({"SLURM_ARRAY_TASK_ID": 2, "SLURM_ARRAY_TASK_MIN": 2, "SLURM_ARRAY_TASK_MAX": 5, "SLURM_ARRAY_TASK_COUNT": 2}, "auto", "not evenly numbered"),
                ({"SLURM_ARRAY_TASK_ID": 0}, "auto/5", "tasks count from 1"),
                ({}, "3/2", "numbered from 1 to 2"), ({}, "0/2", "numbered from 1 to 2"), ({}, "two", "wants K/N"), ({}, "1/0", "wants K/N"),
                ({}, "1/-3", "wants K/N"), ({}, "1/99999999999999999999", "wants K/N")):
            self.under("sweep.toml", "--part", words, expect=2, **variables)
            self.assertIn(said, self.stderr)
        self.under("sweep.toml", SLURM_ARRAY_TASK_ID=1)
        self.assertIn("--part auto", self.stderr)               # all rows, and says so

    def test_the_script_for_slurm_does_the_study(self):
        self.write("it's a sweep.toml", SWEEP % 20)
        self.study("it's a sweep.toml", "-o", "whole.h5", "--quiet")
        script = self.under("it's a sweep.toml", "-o", "out.h5", "--part", "auto/4", "--submit", "slurm")
        self.assertIn("#SBATCH --array=1-4\n", script)
        for k in (3, 1, 4, 2):
            done = subprocess.run(["sh", "-e"], input=script, cwd=self.dir, text=True, capture_output=True,
                                  env={**os.environ, "PATH": f"{Path(FREEPLAY).parent}:{os.environ['PATH']}", "SLURM_ARRAY_TASK_ID": str(k)})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.study("it's a sweep.toml", "-o", "out.h5", "--join", "--quiet")
        self.assert_same("out.h5", "whole.h5")
        self.under("it's a sweep.toml", "--part", "auto/21", "--submit", "slurm", expect=2)
        self.assertIn("more than there is work for: 20 rows", self.stderr)
        self.under("it's a sweep.toml", "--submit", "slurm", "--part", "1/4", expect=2)
        self.under("it's a sweep.toml", "--submit", "slurm", expect=2)


class Examples(Case):
    """What the help shows, in the order in which it shows it."""

    def test_help_of_study(self):
        folder = self.dir / "examples" / "08_study"                 # with the mechanisms where its files expect them
        shutil.copytree(ROOT / "examples" / "08_study", folder)
        os.symlink(ROOT / "mechanisms", self.dir / "mechanisms")
        lines = self.freeplay("study", "--help").split("Example:\n")[1].strip().splitlines()
        self.assertGreaterEqual(len(lines), 8)
        for line in lines:
            command = line.split("   ")[0].strip()
            with self.subTest(command):
                subprocess.run(command, shell=True, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env={**os.environ, "PATH": f"{Path(FREEPLAY).parent}:{os.environ['PATH']}"})


class Linked(Cli):
    """What the program brings along."""

    def test_neither_mpi_nor_x11_and_a_quick_start(self):
        linked = subprocess.run(["ldd", FREEPLAY], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertFalse([line for line in linked if any(word in line for word in ("libmpi", "libX", "libxcb", "libcairo", "open-pal"))])
        if any("asan" in line or "tsan" in line for line in linked):
            self.skipTest("sanitizers bring libraries and time of their own")
        self.assertLessEqual(len(linked), 55)
        best = 1e9
        for _ in range(20):  # processor time: others may be at work as well
            process = subprocess.Popen([FREEPLAY, "--version"], stdout=subprocess.DEVNULL)
            _, process.returncode, used = os.wait4(process.pid, 0)
            best = min(best, used.ru_utime + used.ru_stime)
        self.assertLess(best, 0.02)


if __name__ == "__main__":
    unittest.main(verbosity=2)
