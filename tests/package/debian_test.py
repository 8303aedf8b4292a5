#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The Debian packages: what is in them and what they need; then, in a fresh Debian 12, installed and used.

usage: debian_test.py BUILD_DIR Contents|Fresh [--keep]      (normally called by ctest)

Fresh needs root, debootstrap and a Debian mirror, that of this machine; without them it says so and counts as skipped.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77


def call(*words, expect=0, **options):
    done = subprocess.run([str(w) for w in words], text=True, capture_output=True, timeout=900, **options)
    if expect is not None and done.returncode != expect:
        sys.exit(f"FAILED: {' '.join(map(str, words))} -> {done.returncode}, expected {expect}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done


def expect(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def make_packages(build, folder):
    """By their names."""
    for tool in ("dpkg-deb", "dpkg-shlibdeps"):
        if not shutil.which(tool):
            skip(f"{tool} is missing; `./dev package` installs it (Debian: apt-get install dpkg-dev)")
    call("cpack", "-G", "DEB", "--config", build / "CPackConfig.cmake", "-B", folder, cwd=build)
    packages = {call("dpkg-deb", "--field", f, "Package").stdout.strip(): f for f in folder.glob("*.deb")}
    expect({"freeplay", "libfreeplay-dev"} <= set(packages), f"packages: {sorted(packages)}")
    return packages


def contents(build):
    with tempfile.TemporaryDirectory(prefix="freeplay-deb-") as folder:
        packages = make_packages(build, Path(folder))
        needs = call("dpkg-deb", "--field", packages["freeplay"], "Depends").stdout
        expect("libhdf5-103-1" in needs and "libc6" in needs, f"Depends of freeplay: {needs}")
        expect(not re.search(r"mpi|x11|xcb|cairo|-dev", needs), f"Depends of freeplay: {needs}")
        expect("libcairo2" in call("dpkg-deb", "--field", packages["freeplay"], "Recommends").stdout, "libcairo2 is not recommended")
        if "freeplay-mpi" in packages:
            needs = call("dpkg-deb", "--field", packages["freeplay-mpi"], "Depends").stdout
            expect("libopenmpi3" in needs and "freeplay (= " in needs, f"Depends of freeplay-mpi: {needs}")
        about = {call("dpkg-deb", "--field", f, "Description").stdout.splitlines()[0] for f in packages.values()}
        expect(len(about) == len(packages), f"descriptions: {about}")
        listed = call("dpkg-deb", "--contents", packages["freeplay"]).stdout
        for file in ("/usr/bin/freeplay", "/usr/share/man/man1/freeplay.1", "/usr/share/bash-completion/completions/freeplay",
                     "/usr/share/doc/freeplay/copyright", "/usr/share/freeplay/mechanisms/pendulum.toml"):
            expect(f".{file}\n" in listed, f"{file} is not in the package")
        expect("/include/" not in listed and ".a\n" not in listed, "files for development are in the package of the program")
        expect("/include/freeplay/model.hpp\n" in call("dpkg-deb", "--contents", packages["libfreeplay-dev"]).stdout, "no headers")
    print("the packages are as they should be")


def mirror():
    """Of this machine."""
    if not shutil.which("apt-get"):
        return ""
    lines = call("apt-get", "indextargets", "--format", "$(SITE) $(CODENAME) $(COMPONENT)", "Created-By: Packages", expect=None).stdout
    for line in lines.splitlines():
        site, _, rest = line.partition(" ")
        if rest == "bookworm main" and "security" not in site:
            return site
    return ""


class Root:
    """A fresh Debian, in which nothing but its essential packages is installed."""

    def __init__(self, folder, site):
        self.folder = folder
        made = call("debootstrap", "--variant=minbase", "bookworm", folder, site, expect=None)
        if made.returncode != 0:
            skip(f"debootstrap cannot make a Debian from {site}: {(made.stdout + made.stderr).strip().splitlines()[-1]}")
        for file in ("/etc/resolv.conf", "/etc/hosts"):
            shutil.copy(file, folder / file[1:])
        for file in Path("/etc/apt/apt.conf.d").glob("*proxy*"):
            shutil.copy(file, folder / "etc/apt/apt.conf.d")
        if call("mount", "-t", "proc", "proc", folder / "proc", expect=None).returncode != 0:
            skip("this root may not mount /proc")

    def close(self):
        call("umount", "-l", self.folder / "proc", expect=None)

    def run(self, *words, expect=0, folder="/tmp"):
        return call("chroot", self.folder, "sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", folder, *words, expect=expect,
                    env={**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C", "HOME": "/root", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})

    def install(self, *packages):
        self.run("apt-get", "install", "-y", "--no-install-recommends", *packages)


def fresh(build, keep):
    if os.geteuid() != 0:
        skip("a fresh Debian is made by root alone")
    if not shutil.which("debootstrap"):
        skip("debootstrap is missing; `./dev package` installs it (Debian: apt-get install debootstrap)")
    site = mirror()
    if not site:
        skip("this machine knows no mirror of Debian 12")
    folder = Path(tempfile.mkdtemp(prefix="freeplay-root-"))
    root = None
    try:
        root = Root(folder / "root", site)
        packages = make_packages(build, folder)
        for file in packages.values():
            shutil.copy(file, root.folder / "tmp")
        root.run("apt-get", "update")
        root.install(f"/tmp/{packages['freeplay'].name}")

        version = root.run("freeplay", "--version").stdout
        expect(re.fullmatch(r"freeplay \d+\.\d+\.\d+\n", version), version)
        linked = root.run("ldd", "/usr/bin/freeplay").stdout
        expect("not found" not in linked, linked)
        count = len(linked.splitlines())
        print(f"{count} shared objects")
        expect(count <= 55 and not re.search(r"libmpi|libX|libxcb|libcairo", linked), linked)
        for file in ("usr/share/man/man1/freeplay.1", "usr/share/bash-completion/completions/freeplay"):
            expect((root.folder / file).exists(), file)

        # The demonstration: every shipped mechanism, and what one does with a result.
        mechanisms = sorted((root.folder / "usr/share/freeplay/mechanisms").glob("*.toml"))
        expect(len(mechanisms) > 5, "the mechanisms are not there")
        for file in mechanisms:
            root.run("freeplay", "run", f"/usr/share/freeplay/mechanisms/{file.name}", "--quiet", "-o", f"/tmp/{file.stem}.h5",
                     "--time-limit", "60")
        print(f"{len(mechanisms)} mechanisms run")
        root.run("freeplay", "new", "engine")
        root.run("freeplay", "run", "engine.toml")
        root.run("freeplay", "report", "engine.h5")
        root.run("freeplay", "plot", "engine.h5", "-o", "engine.svg")
        expect("f1-fig5" in root.run("freeplay", "reproduce", "--list").stdout, "no figures")
        refused = root.run("freeplay", "plot", "engine.h5", "-o", "engine.png", expect=5)
        expect("libcairo2" in refused.stderr and not (root.folder / "tmp/engine.png").exists(), refused.stderr)
        root.install("libcairo2", "fonts-dejavu-core")
        root.run("freeplay", "plot", "engine.h5", "-o", "engine.png")
        expect((root.folder / "tmp/engine.png").read_bytes().startswith(b"\x89PNG"), "no picture")

        (root.folder / "tmp/study.toml").write_text(
            'model = "/usr/share/freeplay/mechanisms/pendulum.toml"\nkind = "sweep"\n'
            'vary."bodies.rod.mass" = { from = 1, to = 2, count = 4 }\nset."simulation.duration" = 0.1\nobserve = ["bodies/rod/angle"]\n')
        for k in (2, 1):
            root.run("freeplay", "study", "study.toml", "--part", f"{k}/2", "--quiet")
        expect("4 rows" in root.run("freeplay", "study", "study.toml", "--join").stdout, "no table")
        if "freeplay-mpi" in packages:
            team = ("env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_COMM_WORLD_SIZE=2", "freeplay", "study", "study.toml")
            expect("freeplay-mpi" in root.run(*team, expect=5).stderr, "what is missing for MPI is not said")
            root.install(f"/tmp/{packages['freeplay-mpi'].name}", "openmpi-bin")
            done = root.run(*team[:3], "mpirun", "--oversubscribe", "-n", "2", "freeplay", "study", "study.toml", "-o", "team.h5")
            expect(done.stdout.count("4 rows") == 1, done.stdout)
        root.run("apt-get", "purge", "-y", "freeplay")
        left = [p for p in (root.folder / "usr").rglob("*freeplay*") if "freeplay_mpi" not in p.name and p.name != "freeplay-mpi"]
        expect(all("mpi" in str(p) or p.name == "freeplay" for p in left), f"left behind: {left}")
        print("installed, used and removed in a fresh Debian 12")
    finally:
        if root:
            root.close()
        if os.path.ismount(folder / "root" / "proc"):
            print(f"still mounted, and left where it is: {folder}")
        elif keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def main():
    build = Path(sys.argv[1]).resolve()
    if sys.argv[2] == "Contents":
        contents(build)
    else:
        fresh(build, "--keep" in sys.argv)


main()
