#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Files that cannot be lost and cannot kill who reads them."""

import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import time
import unittest
import urllib.request

import h5py
import numpy as np

from harness import DROP, FREEPLAY, PENDULUM, Cli

SEAL = 68  # bytes
LONG = PENDULUM.replace("duration = 2", "duration = 1e5").replace('"10 ms"', "10")


class Protected(Cli):
    """What a run reads is not overwritten; what it writes is its own."""

    def test_a_file_that_the_model_includes_or_reads_is_not_overwritten(self):
        (self.dir / "part").mkdir()
        included = self.write("part/included.toml", PENDULUM)
        table = self.write("torque.csv", "0,0\n1,0\n2,0\n")
        self.write("top.toml", 'include = ["part/included.toml"]\n[forces.push]\nbody = "rod"\ndirection = [1, 0]\n'
                               'magnitude = { table = { file = "torque.csv" } }\n')
        for name in (included, table, "part/../part/included.toml"):
            before = (self.dir / name).read_text()
            self.freeplay("run", "top.toml", "-o", name, expect=2)
            self.assertIn("would overwrite", self.stderr)
            self.assertEqual((self.dir / name).read_text(), before)
        shutil.copy(self.dir / included, self.dir / "x.partial.h5")  # the name a result has while it is made
        self.write("other.toml", 'include = ["x.partial.h5"]\n')
        self.freeplay("run", "other.toml", "-o", "x.h5", expect=2)
        self.assertEqual((self.dir / "x.partial.h5").read_text(), PENDULUM)

    def test_nor_one_that_a_study_reads(self):
        self.write("model.toml", 'include = ["included.toml"]\n')
        self.write("included.toml", PENDULUM)
        self.write("study.toml", 'model = "model.toml"\nkind = "sweep"\nobserve = ["max energy/kinetic"]\n'
                                 '[vary]\n"bodies.rod.mass" = [1, 2]\n')
        for name in ("study.toml", "model.toml", "included.toml"):
            before = (self.dir / name).read_text()
            self.freeplay("study", "study.toml", "-o", name, expect=5)
            self.assertIn("would overwrite", self.stderr)
            self.assertEqual((self.dir / name).read_text(), before)

    def test_a_partial_file_replaced_under_a_run_does_not_become_its_result(self):
        self.write("pendulum.toml", LONG)
        run = self.start("run", "pendulum.toml", "-o", "x.h5")
        self.wait_for("x.partial.h5")
        self.write("other", "something else")
        os.replace(self.dir / "other", self.dir / "x.partial.h5")
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 5, err)
        self.assertIn("replaced by another program", err)
        self.assertEqual((self.dir / "x.partial.h5").read_text(), "something else")
        self.assertFalse((self.dir / "x.h5").exists())

    def test_nor_one_that_is_replaced_just_before_the_end(self):
        self.write("pendulum.toml", PENDULUM.replace("duration = 2", "duration = 400").replace('"10 ms"', "1"))
        for wait in (0, 0.05, 0.1, 0.2):
            run = self.start("run", "pendulum.toml", "-o", "x.h5")
            self.wait_for("x.partial.h5")
            time.sleep(wait)
            self.write("other", "something else")
            if not (self.dir / "x.h5").exists():
                os.replace(self.dir / "other", self.dir / "x.partial.h5")
            out, err = run.communicate(timeout=60)
            self.assertIn(run.returncode, (0, 5), err)
            if (self.dir / "x.h5").exists():
                with h5py.File(self.dir / "x.h5") as file:
                    self.assertEqual(file.attrs["complete"], 1)
            for name in ("x.h5", "x.partial.h5"):
                (self.dir / name).unlink(missing_ok=True)

    def test_more_rows_than_can_be_counted_are_refused_with_their_number(self):
        self.write("pendulum.toml", PENDULUM)
        study = ('model = "pendulum.toml"\nkind = "sweep"\nobserve = ["max energy/kinetic"]\n[vary]\n')
        paths = ["bodies.rod.mass", "bodies.rod.inertia", "simulation.duration", "simulation.tolerance"]
        self.write("grid.toml", study + "".join(f'"{p}" = {{ from = 1e-3, to = 2e-3, count = 65536 }}\n' for p in paths))
        self.freeplay("study", "grid.toml", expect=2)
        self.assertIn("1.84467e+19 rows would follow", self.stderr)
        self.write("many.toml", study + '"bodies.rod.mass" = { from = 1, to = 2, count = 1000000000 }\n')
        self.freeplay("study", "many.toml", expect=2)
        self.assertIn("1e+09", self.stderr.replace("1000000000", "1e+09"))
        self.assertEqual(list(self.dir.glob("*.h5*")), [])

    def test_a_complete_file_without_its_seal_is_said_to_be_one(self):
        self.write("pendulum.toml", PENDULUM)
        self.freeplay("run", "pendulum.toml")
        whole = (self.dir / "pendulum.h5").read_bytes()
        (self.dir / "cut.h5").write_bytes(whole[:-SEAL])
        (self.dir / "shorter.h5").write_bytes(whole[:-SEAL // 2])
        for verb in (["get", "{}", "bodies/rod/angle", "--at", "1"], ["report", "{}"], ["plot", "{}"],
                     ["export", "{}", "--csv", "csv"]):
            for name in ("cut.h5", "shorter.h5"):
                self.freeplay(*[a.format(name) for a in verb])
                self.assertIn("complete but has lost its seal", self.stderr)
            self.freeplay(*[a.format("pendulum.h5") for a in verb])
            self.assertEqual(self.stderr, "")


class Ends(Cli):
    """Signals, folders that go away, disks that fill."""

    def setUp(self):
        super().setUp()
        self.write("pendulum.toml", LONG)

    def test_a_closed_terminal_ends_a_run_in_order(self):
        run = self.start("run", "pendulum.toml", "-o", "x.h5")
        self.wait_for("x.partial.h5")
        time.sleep(0.3)
        run.send_signal(signal.SIGHUP)
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, err)
        self.assertIn("--resume", err)

    def test_unless_nohup_says_otherwise(self):
        run = self.start("run", "pendulum.toml", "-o", "x.h5",
                         preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_for("x.partial.h5")
        time.sleep(0.3)
        run.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        self.assertIsNone(run.poll())
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(timeout=60), 130)

    def test_a_removed_folder_is_noticed_early(self):
        (self.dir / "sub").mkdir()
        run = self.start("run", "pendulum.toml", "-o", "sub/x.h5", "--duration", "1e7")
        self.wait_for("sub/x.partial.h5")
        time.sleep(0.3)
        shutil.rmtree(self.dir / "sub")
        begin = time.monotonic()
        out, err = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 5, err)
        self.assertIn("was removed", err)
        self.assertRegex(err, r"the run stopped at t = [\d.e+]+ s")
        self.assertLess(time.monotonic() - begin, 30)

    def test_a_full_disk_says_when_and_keeps_what_was_flushed(self):
        # A fast machine writes the least of these before its first flush, half a second after the start.
        for room in (30_000_000, 200_000_000, 1_000_000_000):
            limited = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
            run = self.start("run", "pendulum.toml", "-o", "x.h5", "--set", "simulation.output=0.005", "--duration", "1e5",
                             preexec_fn=limited)
            out, err = run.communicate(timeout=300)
            self.assertEqual(run.returncode, 5, err)
            self.assertIn("File too large", err)
            kept = re.search(r"the run stopped at t = ([\d.e+]+) s and its motion up to t = ([\d.e+]+) s is in x\.partial\.h5", err)
            if kept:
                break
            self.assertIn("before anything of it was saved", err)
        stopped, kept = (float(x) for x in kept.groups())
        self.assertLessEqual(kept, stopped)
        self.freeplay("get", "x.partial.h5", "bodies/rod/angle", "--at", f"{0.9 * kept:.6g}")
        self.assertIn("incomplete", self.stderr)


class Damaged(Cli):
    """Files of which the HDF5 library dies."""

    def verbs(self, name):
        """Nothing but an exit status ends any verb that reads results."""
        for verb in (["get", name, "--list"], ["get", name, "events"], ["report", name, "-o", "r.html"],
                     ["plot", name, "-o", "p.svg"], ["export", name, "--csv", "csv"]):
            done = subprocess.run([FREEPLAY, *verb], cwd=self.dir, capture_output=True, timeout=120)
            self.assertIn(done.returncode, (0, 2, 5), (verb, done.stderr))

    def dense_file(self):
        """Groups of many members, in the order they were made: what libhdf5 1.10.8 does not survive damage of."""
        with h5py.File(self.dir / "dense.h5", "w", libver=("v108", "v108"), track_order=True) as file:
            file.attrs.update(format="freeplay-result", format_version=2, complete=np.int64(1), name="x", created="y")
            file["time"] = np.arange(4.0)
            for g in range(6):
                group = file.create_group(f"bodies/b{g}", track_order=True)
                for i in range(40):
                    group[f"series_{i}"] = np.arange(4.0)
            file["events"] = np.zeros(0)
            file["impacts"] = np.zeros(0)
        return (self.dir / "dense.h5").read_bytes()

    def heap_damages(self, whole):
        blocks = [m.start() for m in re.finditer(b"FHDB", whole)]
        self.assertGreater(len(blocks), 3)
        for block in blocks[2:5]:
            for offset in range(20, 120, 9):
                damaged = bytearray(whole)
                damaged[block + offset] ^= 1 << offset % 8
                yield bytes(damaged)

    def test_no_verb_dies_of_a_damaged_heap(self):
        for i, damaged in enumerate(self.heap_damages(self.dense_file())):
            (self.dir / "d.h5").write_bytes(damaged)
            done = subprocess.run([FREEPLAY, "get", "d.h5", "--list"], cwd=self.dir, capture_output=True, timeout=60)
            self.assertIn(done.returncode, (0, 5), done.stderr)
            if i % 10 == 0:
                self.verbs("d.h5")

    def test_nor_of_random_damage_to_an_unsealed_file(self):
        self.write("drop.toml", DROP)
        self.freeplay("run", "drop.toml")
        whole = (self.dir / "drop.h5").read_bytes()[:-SEAL]
        chance = random.Random(7)
        for i in range(20):
            damaged = bytearray(whole)
            damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
            (self.dir / "d.h5").write_bytes(damaged if i % 4 else damaged[:chance.randrange(len(damaged))])
            self.verbs("d.h5")

    def test_view_outlives_damaged_files_and_slow_clients(self):
        self.write("drop.toml", DROP)
        (self.dir / "served").mkdir()
        self.freeplay("run", "drop.toml", "-o", "served/good.h5")
        for i, damaged in enumerate(self.heap_damages(self.dense_file())):
            if i % 4 == 0:
                (self.dir / "served" / f"bad{i}.h5").write_bytes(damaged)
        server = self.start("view", "served", "--port", "0")
        port = int(re.match(r"results: http://127\.0\.0\.1:(\d+)/ ", server.stdout.readline())[1])

        def ask(target):
            begin = time.monotonic()
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}{target}", timeout=60) as answer:
                    return answer.status, answer.read().decode(), time.monotonic() - begin
            except urllib.error.HTTPError as error:
                return error.code, error.read().decode(), time.monotonic() - begin
        status, page, alone = ask("/")
        self.assertEqual(status, 200)
        self.assertIn("good.h5", page)
        for name in re.findall(r"/report\?r=(bad\d+\.h5)", page):
            self.assertIn(ask(f"/report?r={name}")[0], (200, 500))
        self.assertEqual(ask("/report?r=good.h5")[0], 200)
        # More clients than there are places, each with half a request.
        slow = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(300)]
        for s in slow:
            s.sendall(b"GET / HTTP/1.1\r\nHost: local")
        status, page, beside = ask("/")
        self.assertEqual(status, 200)
        self.assertLess(beside, 5 + 5 * alone)  # 15 s are what a client is waited for
        for s in slow:
            s.close()
        self.assertIsNone(server.poll())
        server.send_signal(signal.SIGHUP)
        self.assertEqual(server.wait(timeout=30), 0)


class Killed(Cli):
    """kill -9 at random moments: what was flushed is readable, and the run goes on from there."""
    times, duration = 4, 5000

    def test_what_was_flushed_is_readable_and_resume_works(self):
        self.write("pendulum.toml", PENDULUM.replace("duration = 2", f"duration = {self.duration}").replace('"10 ms"', "1"))
        self.freeplay("run", "pendulum.toml", "-o", "whole.h5", timeout=600)
        chance = random.Random(3)
        for _ in range(self.times):
            run = self.start("run", "pendulum.toml", "-o", "parts.h5", "--resume")
            time.sleep(chance.uniform(0, 2))
            run.send_signal(signal.SIGKILL)
            run.communicate(timeout=20)
            if not (self.dir / "parts.partial.h5").exists():
                break  # it was done
            self.freeplay("get", "parts.partial.h5", "--list")
            self.freeplay("get", "parts.partial.h5", "time")
        self.freeplay("run", "pendulum.toml", "-o", "parts.h5", "--resume", timeout=600)
        parts, whole = self.datasets("parts.h5"), self.datasets("whole.h5")
        self.assertEqual(list(parts), list(whole))
        for path in whole:
            if path != "state/anchors":  # step memory has room for what the next step does not read
                self.assertEqual(np.asarray(parts[path]).tobytes(), np.asarray(whole[path]).tobytes(), path)


class KilledOften(Killed):
    times, duration = 50, 30000


if __name__ == "__main__":
    unittest.main(verbosity=2)
