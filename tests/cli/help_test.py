#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The help of every verb, and mistakes in the command line."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness import FREEPLAY, Cli


class Help(Cli):
    VERBS = ["run", "check", "get", "export", "report", "plot", "equilibrium", "modes", "tolerance", "converge", "laws", "bearing", "new", "schema"]

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


if __name__ == "__main__":
    unittest.main(verbosity=2)
