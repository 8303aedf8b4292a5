# SPDX-License-Identifier: Apache-2.0
"""Let a compiler read many files without writing code: for check_headers.py and check_clang.py.

What was read without a complaint is read again only when it, or anything it includes, has changed.
"""

import os
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def includes_and_macros(command):
    """What a command of a compile database says about them, one tuple of words each."""
    words = shlex.split(command)
    for i, word in enumerate(words):
        if word.startswith(("-I", "-D")):
            yield (word,)
        elif word == "-isystem":
            yield (word, words[i + 1])


class SyntaxPass:
    """Keeps what it knows of each file in a folder."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def _is_known(self, stem, command):
        done, dependencies = stem.with_suffix(".done"), stem.with_suffix(".d")
        try:
            if done.read_text() != shlex.join(command):
                return False
            since = done.stat().st_mtime
            _, _, files = dependencies.read_text().replace("\\\n", " ").partition(":")
            return all(Path(name).stat().st_mtime < since for name in files.split() if name != "-")
        except OSError:
            return False

    def _reads(self, job):
        name, command, text = job
        stem = self.folder / (name.replace("/", "__") + ".x")
        command = [str(word) for word in command]
        if self._is_known(stem, command):
            return True
        full = [*command, "-fsyntax-only", "-MD", "-MT", "file", "-MF", str(stem.with_suffix(".d"))]
        done = subprocess.run(full, input=text, text=True, cwd=ROOT)
        if done.returncode == 0:
            stem.with_suffix(".done").write_text(shlex.join(command))
        return done.returncode == 0

    def read(self, jobs):
        """`jobs`: name of a file, command that reads it, and its text if the command reads that from its input.
        Returns the names of those that the compiler complains about."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            good = list(pool.map(self._reads, jobs))
        return [name for (name, _, _), ok in zip(jobs, good) if not ok]
