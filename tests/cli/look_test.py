#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`freeplay report`, `plot` and `view`."""

import base64
import contextlib
import http.client
import json
import os
import re
import resource
import signal
import socket
import threading
import time
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import h5py
import numpy as np

from harness import LOCKS, PENDULUM, Cli


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

    def test_report_refuses_strangers(self):
        model = (self.dir / "pendulum.toml").read_text().replace("rod", "stick")
        (self.dir / "stranger.toml").write_text(model)
        self.freeplay("run", "stranger.toml", "-o", "stranger.h5", "--quiet")
        self.freeplay("report", "pendulum.h5", "stranger.h5", expect=2)
        self.assertIn("'pendulum.h5' and 'stranger.h5' are different mechanisms: they have 0 of 1 bodies in common", self.stderr)

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

    def test_plot_is_svg_pdf_or_png(self):
        self.assertEqual(self.freeplay("plot", "pendulum.h5"), "figure: pendulum.svg\n")
        svg = (self.dir / "pendulum.svg").read_text()
        ElementTree.fromstring(svg)
        for words in ("position of rod, mm", "velocity of rod, m/s", "acceleration of rod, m/s²", "time, s"):
            self.assertIn(words, svg)
        self.freeplay("plot", "pendulum.h5", "bodies/rod/angle", "-o", "angle.png", "--dpi", "100", "--width", "100")
        self.assertEqual((self.dir / "angle.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.freeplay("plot", "pendulum.h5", "bodies/rod/angle", "-o", "angle.pdf")
        pdf = (self.dir / "angle.pdf").read_bytes()
        self.assertTrue(pdf.startswith(b"%PDF-") and pdf.rstrip().endswith(b"%%EOF"))
        self.assertIn(b"/Font", pdf)                    # text stays text

    def test_plot_of_chosen_series(self):
        self.freeplay("plot", "pendulum.h5", "bodies/rod/angular_velocity", "--x", "bodies/rod/angle", "-o", "phase.svg")
        svg = (self.dir / "phase.svg").read_text()
        self.assertIn("angular velocity of rod, rad/s", svg)
        self.assertIn("angle of rod, rad", svg)
        self.freeplay("plot", "pendulum.h5", "--x", "bodies/rod/angle", "--y", "bodies/rod/angular_velocity", "-o", "same.svg")
        self.assertEqual((self.dir / "same.svg").read_text(), svg)
        self.freeplay("plot", "pendulum.h5", "energy/kinetic", "energy/potential", "-o", "energy.svg")
        svg = (self.dir / "energy.svg").read_text()
        self.assertEqual(svg.count("energy, J"), 1)
        self.freeplay("plot", "pendulum.h5", "solver/step", "--from", "0.5", "--to", "1500 ms", "-o", "part.svg")
        self.freeplay("plot", "pendulum.h5", "bodies/rod/angle", "--from", "5", "-o", "nothing.svg")
        self.assertIn("no data", (self.dir / "nothing.svg").read_text())

    def test_plot_refuses(self):
        for arguments, status in ((["bodies/rod/angel"], 2), (["-o", "x.bmp"], 2), (["-o", "pendulum.h5"], 2),
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

    def test_watches_a_model(self):
        self.server.send_signal(signal.SIGINT)
        self.assertEqual(self.server.wait(timeout=20), 0)
        self.write("moved.toml", PENDULUM)
        self.server = self.start("view", "served", "--port", "0", "--watch", "moved.toml")
        self.port = int(re.match(r"results: http://127\.0\.0\.1:(\d+)/report\?r=moved\.h5 ", self.server.stdout.readline())[1])

        def until(condition):
            for _ in range(300):
                if (answer := self.ask("/state?r=moved.h5")).status == 200 and condition(answer.text):
                    return answer.text
                time.sleep(0.1)
            self.fail("nothing changed")

        first = until(lambda text: text)
        page = self.ask("/report?r=moved.h5")
        self.assertIn(f'seen="{first}"', page.text)
        self.assertIn("connect-src 'self'", page.text)
        self.assertIn("connect-src 'self'", page.getheader("Content-Security-Policy"))
        # A mistake leaves the result as it was; the next save counts again.
        self.write("moved.toml", PENDULUM.replace("mass", "moss"))
        time.sleep(1.5)
        self.assertEqual(self.ask("/state?r=moved.h5").text, first)
        self.write("moved.toml", PENDULUM.replace('"pendulum"', '"saved again"'))
        until(lambda text: text != first)
        self.assertIn("saved again", self.ask("/report?r=moved.h5").text)
        self.assertEqual(self.ask("/state?r=../secret.h5").status, 404)
        self.server.send_signal(signal.SIGINT)
        self.assertEqual(self.server.wait(timeout=20), 0)

    def test_answers_about_files_only_while_it_watches(self):
        self.assertEqual(self.ask("/state?r=pendulum.h5").status, 404)
        self.assertNotIn("connect-src", self.ask("/report?r=pendulum.h5").text)

    def test_port_in_use_and_other_mistakes(self):
        self.freeplay("view", "served", "--port", self.port, expect=5)
        self.assertIn("--port 0", self.stderr)
        for arguments in (["missing"], ["pendulum.toml"], ["served", "--port", "70000"], ["served", "--port", "-1"], [],
                          ["served", "--watch", "missing.toml"], ["served", "--watch", "served"]):
            self.freeplay("view", *arguments, expect=2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
