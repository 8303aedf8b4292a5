# SPDX-License-Identifier: Apache-2.0
"""How `pip install .` builds the package: by CMake, in the tree that ./dev builds in, with nothing to download.

A build backend after PEP 517 and PEP 660 (`pip install -e .`). It lies in the repository because Debian has none that
speaks CMake.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION = re.search(r"project\(freeplay VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
NAME = f"{PROJECT['name']}-{VERSION}"
PYTHON = f"cp{sys.version_info.major}{sys.version_info.minor}"
PLATFORM = re.sub(r"[-.]", "_", sysconfig.get_platform())


def build():
    """The folder with the compiled package: build/release for Debian's own Python, another for another."""
    python = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    folder, options = ROOT / "build" / "release", []
    if python != Path("/usr/bin/python3").resolve():
        folder = ROOT / "build" / f"release-{PYTHON}"
        options = [f"-DFREEPLAY_PYTHON={python}"]
    for command in (["cmake", "--preset", "release", "-B", folder, *options],
                    ["cmake", "--build", folder, "--parallel", str(os.cpu_count() or 1), "--target", "freeplay_python"]):
        done = subprocess.run(command, cwd=ROOT)
        if done.returncode != 0:
            sys.exit("freeplay: CMake did not get through; `./dev deps` installs what it needs")
    return folder / "python" / "freeplay"


def metadata():
    lines = ["Metadata-Version: 2.1", f"Name: {PROJECT['name']}", f"Version: {VERSION}",
             f"Summary: {PROJECT['description']}", f"License: {PROJECT['license']['text']}",
             f"Requires-Python: {PROJECT['requires-python']}"]
    lines += [f"Requires-Dist: {d}" for d in PROJECT["dependencies"]]
    for extra, needs in PROJECT["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"] + [f"Requires-Dist: {d}; extra == '{extra}'" for d in needs]
    text = (ROOT / PROJECT["readme"]).read_text(encoding="utf-8")
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", text])


def info_files():
    tag = f"{PYTHON}-{PYTHON}-{PLATFORM}"
    return {f"{NAME}.dist-info/METADATA": metadata().encode(),
            f"{NAME}.dist-info/WHEEL": f"Wheel-Version: 1.0\nGenerator: freeplay\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
            f"{NAME}.dist-info/LICENSE": (ROOT / "LICENSE").read_bytes()}


def write_wheel(folder, files):
    """Writes the files with their hashes; returns the name of the wheel."""
    name = f"{NAME}-{PYTHON}-{PYTHON}-{PLATFORM}.whl"
    record = []
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in {**files, **info_files()}.items():
            # The same bytes whenever it is built.
            entry = zipfile.ZipInfo(path, date_time=(2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}")
        own = f"{NAME}.dist-info/RECORD"
        wheel.writestr(own, "\n".join([*record, f"{own},,"]) + "\n")
    return name


# ---- what pip calls

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    built, source = build(), ROOT / "python" / "freeplay"
    files = {f"freeplay/{p.name}": p.read_bytes() for p in sorted(source.iterdir()) if p.suffix in (".py", ".pyi", ".typed")}
    files.update({f"freeplay/{p.name}": p.read_bytes() for p in built.glob("_core.*.so")})
    return write_wheel(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package where it is built: what is changed in Python counts at once."""
    return write_wheel(wheel_directory, {"freeplay.pth": f"{build().parent}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout
    name = f"{NAME}.tar.gz"
    with tarfile.open(Path(sdist_directory) / name, "w:gz") as archive:
        for file in filter(None, listed.split("\0")):
            archive.add(ROOT / file, f"{NAME}/{file}")
    return name


if __name__ == "__main__":
    print(build_wheel(sys.argv[1]))
