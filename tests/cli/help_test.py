#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The help of every verb, and mistakes in the command line."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import brick
from harness import FREEPLAY, Cli

ROOT = Path(__file__).resolve().parents[2]


class Help(Cli):
    VERBS = ["run", "check", "get", "export", "report", "plot", "equilibrium", "modes", "tolerance", "contact-loss", "gradient", "converge", "laws", "bearing", "flex", "new", "schema", "completion"]

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
                if verb == "flex":
                    brick.write(Path(folder) / "rod")
                subprocess.run(example, shell=True, check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL)

    def test_completion_in_bash(self):
        model = ROOT / "examples" / "12_machines" / "toggle_press.toml"
        script = """source <(freeplay completion bash)
            compopt() { echo "$@"; }                   # bash has it only while it completes
            COMP_WORDS=(freeplay "$@"); COMP_CWORD=$#; _freeplay; printf '%s\\n' "${COMPREPLY[@]}"
            """
        environment = {**os.environ, "PATH": f"{Path(FREEPLAY).parent}:{os.environ['PATH']}"}
        for words, expected in ((["ru"], ["run"]),
                                (["run", "--tr"], ["--trust"]),
                                (["study", "a.toml", "--jo"], ["--join"]),
                                (["study", "a.toml", "--submit", ""], ["slurm"]),
                                (["laws", "her"], ["herbert-mcwhannell", "hertz"]),
                                (["new", "pr"], ["press"]),
                                (["new", "x", "--from", "ro"], ["rotor"]),
                                (["run", model, "--set", "joints.wr"], ["-o", "nospace", "joints.wrist."]),
                                (["run", model, "--set", "joints.wrist.clearance.rad"], ["-o", "nospace", "joints.wrist.clearance.radial="]),
                                (["run", model, "--set", "points.O."], ["-o", "nospace", "points.O.0=", "points.O.1="]),
                                (["run", model, "--set", "no.such."], []),
                                (["run", "missing.toml", "--set", "jo"], []),
                                (["run", "tog"], [])):           # files are left to the shell
            with self.subTest(words):
                done = subprocess.run(["bash", "-c", script, "bash", *map(str, words)], capture_output=True, text=True, env=environment)
                self.assertEqual(done.stdout.split(), expected, done.stderr)
        self.freeplay("completion", "zsh", expect=2)

    def test_manual_page(self):
        page = self.freeplay("__manual")
        for verb in self.VERBS:
            self.assertRegex(page, rf"(?m)^\.SS freeplay {verb}\b")
        self.assertIn(r"\fB\-\-set\fR \fIPATH=VALUE\fR", page)
        self.assertNotRegex(page, r"(?m)^'")           # would be a request
        if shutil.which("man"):
            done = subprocess.run(["man", "-l", "-"], input=page, capture_output=True, text=True,
                                  env={**os.environ, "LC_ALL": "C", "MANROFFOPT": "-ww"})
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("freeplay - ", done.stdout)

    def test_mistakes_in_the_command_line(self):
        self.freeplay("rnu", expect=2)
        self.assertIn("did you mean 'run'?", self.stderr)
        for arguments in (["run"], ["run", "--frobnicate", "x"], ["get", "x.h5"], ["run", "a.toml", "--time-limit", "-1"],
                          ["run", "a.toml", "--set", "novalue"], ["new"], ["export", "x.h5"], ["--frobnicate"]):
            self.freeplay(*arguments, expect=2)
            self.assertTrue(self.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
