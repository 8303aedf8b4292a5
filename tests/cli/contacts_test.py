#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Joints with play from the command line: what is checked, recorded and listed."""

import csv
import math
import unittest
from pathlib import Path

import h5py
import numpy as np

from harness import DROP, Cli


class Contacts(Cli):
    IMPACT_COLUMNS = ["start [s]", "end [s]", "joint", "contact", "approach_speed [m/s]", "separation_speed [m/s]",
                      "peak_force [N]", "peak_depth [m]", "energy_lost [J]", "achieved_restitution [1]", "impulse [N s]", "open"]

    def setUp(self):
        super().setUp()
        self.write("drop.toml", DROP)
        self.summary = self.freeplay("run", "drop.toml")

    def test_impacts_read_by_h5py(self):
        with h5py.File(self.dir / "drop.h5") as file:
            impacts, events = file["impacts"][()], file["events"][()]
            self.assertEqual(list(impacts.dtype.names), [c.split(" [")[0] for c in self.IMPACT_COLUMNS])
            units = dict(pair.split(": ") for pair in file["impacts"].attrs["unit"].split(", "))
            self.assertEqual(units["peak_force"], "N")
            self.assertEqual(set(units), set(impacts.dtype.names) - {"joint", "contact", "open"})
            work = file["energy/work/joints/bearing/contact"][()]
            time = file["time"][()]
        # Free fall over the clearance c: touches at sqrt(2 c/g) with sqrt(2 g c).
        self.assertAlmostEqual(impacts["start"][0], math.sqrt(2 * 0.5e-3 / 9.81), delta=1e-9)
        self.assertAlmostEqual(impacts["approach_speed"][0], math.sqrt(2 * 9.81 * 0.5e-3), delta=1e-8)
        self.assertEqual(set(impacts["joint"]), {b"bearing"})
        # Touch and separation lie at the same height, so the law took 1/2 m (v^2 - u^2), m = 1 kg.
        np.testing.assert_allclose(impacts["energy_lost"],
                                   0.5 * (impacts["approach_speed"]**2 - impacts["separation_speed"]**2), rtol=1e-5)
        np.testing.assert_allclose(impacts["achieved_restitution"],
                                   impacts["separation_speed"] / impacts["approach_speed"], rtol=1e-12)
        # ... which is also what the energy audit books for the first one.
        self.assertAlmostEqual(-work[time >= impacts["end"][0]][0], impacts["energy_lost"][0], delta=1e-9)
        # Every impact is one touch and one separation of the event list.
        touches = events["time"][events["kind"] == b"touch"]
        separations = events["time"][events["kind"] == b"separation"]
        self.assertEqual(separations.tolist(), impacts["end"].tolist())
        self.assertEqual(touches[:len(impacts)].tolist(), impacts["start"].tolist())

    def test_laws_and_what_they_derived_are_checked_and_stored(self):
        # Steel ball of 9.5 mm in a socket of 10 mm (verification/cases B4); here the journal of the planar joint.
        change = "joints.bearing.clearance.contact={ law = \"lankarani-nikravesh\", restitution = 0.9 }"
        steel = "joints.bearing.clearance.material=\"steel\""
        text = self.freeplay("check", "drop.toml", "--set", change, "--set", steel)
        self.assertRegex(text, r"bearing +lankarani-nikravesh .*stiffness = 6\.61e\+10 N/m\^1\.5")
        self.freeplay("run", "drop.toml", "--set", change, "--set", steel, "--duration", "5 ms", "-o", "steel.h5")
        with h5py.File(self.dir / "steel.h5") as file:
            a = file["joints/bearing"].attrs
            self.assertEqual(a["contact_law"], "lankarani-nikravesh")
            self.assertAlmostEqual(a["stiffness"], 6.6101984e10, delta=1e3)
            self.assertIn("stiffness: N/m^1.5", a["derived_unit"])

    def test_summary_names_the_largest_impact(self):
        data = self.datasets("drop.h5")
        self.assertRegex(self.summary, rf"contacts +{np.count_nonzero(data['events']['kind'] == b'touch')}\n")
        force = data["impacts"]["peak_force"].max()
        self.assertRegex(self.summary, rf"largest impact +{force:.4g} N in bearing at t = 0\.0100964 s")
        # Free flight all along: nothing to name.
        text = self.freeplay("run", "drop.toml", "--duration", "5 ms", "-o", "short.h5")
        self.assertRegex(text, r"contacts +0\n")
        self.assertNotIn("largest impact", text)

    def test_get_prints_the_tables(self):
        data = self.datasets("drop.h5")
        lines = [line.split("\t") for line in self.freeplay("get", "drop.h5", "impacts").splitlines()]
        self.assertEqual(lines[0], self.IMPACT_COLUMNS)
        self.assertEqual(len(lines) - 1, len(data["impacts"]))
        for line, row in zip(lines[1:], data["impacts"]):
            self.assertEqual((line[2], line[3]), (row["joint"].decode(), str(row["contact"])))
            for k, name in enumerate(row.dtype.names):
                if name not in ("joint", "contact"):
                    self.assertAlmostEqual(float(line[k]), row[name], delta=1e-14 * abs(row[name]))
        lines = [line.split("\t") for line in self.freeplay("get", "drop.h5", "events").splitlines()]
        self.assertEqual(lines[0], ["time [s]", "joint", "contact", "kind", "speed [m/s]"])
        self.assertEqual([line[3].encode() for line in lines[1:]], data["events"]["kind"].tolist())
        self.assertIn("\nimpacts\t", self.freeplay("get", "drop.h5", "--list"))
        for option in (["--at", "0.01"], ["--stats"]):
            self.freeplay("get", "drop.h5", "impacts", *option, expect=2)
            self.assertIn(option[0], self.stderr)
        self.freeplay("get", "drop.h5", "impact", expect=2)
        self.assertIn("did you mean 'impacts'?", self.stderr)

    def test_stops_of_an_angle_are_in_their_units(self):
        model = """[mechanism]
planar = true
gravity = [0, 0]
[bodies]
door = { position = ["0.5 m", 0], mass = 3, inertia = 0.25 }
[joints.hinge]
type = "revolute"
bodies = ["ground", "door"]
at = [0, 0]
speed = "2 rad/s"
stop = { upper = "0.5 rad", contact = { law = "newton", restitution = 0.5 } }
[simulation]
duration = "0.5 s"
"""
        self.write("door.toml", model)
        # It turns at 2 rad/s through 0.5 rad; 3 (0.5 m)^2 + 0.25 = 1 kg m^2 about the hinge, thrown back at 1 rad/s.
        said = self.freeplay("run", "door.toml")
        self.assertIn("largest impulse at a stop  3 N m s in hinge at t = 0.25 s, approaching at 2 rad/s", said)
        headings, row = (line.split("\t") for line in self.freeplay("get", "door.h5", "impacts").splitlines())
        self.assertEqual(headings[4:8], ["approach_speed [rad/s]", "separation_speed [rad/s]", "peak_force [N m]", "peak_depth [rad]"])
        self.assertAlmostEqual(float(row[headings.index("impulse [N m s]")]), 3, delta=1e-9)
        self.assertTrue(self.freeplay("get", "door.h5", "events").startswith("time [s]\tjoint\tcontact\tkind\tspeed [rad/s]\n"))
        with h5py.File(self.dir / "door.h5") as file:
            self.assertIn("approach_speed: rad/s", file["impacts"].attrs["unit"])
        self.freeplay("export", "door.h5", "--csv", "tables")
        self.assertIn("approach_speed [rad/s]", (self.dir / "tables" / "impacts.csv").read_text())

    def test_a_note_for_many_joints_is_given_once(self):
        joints = "".join(f'j{k} = {{ type = "revolute", bodies = ["ground", "b{k}"], at = [{k}, 0], clearance = "pin" }}\n' for k in range(9))
        bodies = "".join(f"b{k} = {{ position = [{k}, 0], mass = 1, inertia = 1 }}\n" for k in range(9))
        self.write("many.toml", f"[mechanism]\nplanar = true\n[bodies]\n{bodies}[clearances.pin]\nbearing_radius = \"10 mm\"\nradial = \"0.1 mm\"\n[joints]\n{joints}")
        self.freeplay("check", "many.toml")
        self.assertEqual(self.stderr.count("both parts are steel"), 1)
        self.assertIn("(the same for joints.j1.clearance.material, ", self.stderr)
        self.assertIn(", ...)", self.stderr)

    def test_export(self):
        self.freeplay("export", "drop.h5", "--csv", "out")
        data = self.datasets("drop.h5")
        for name in ("impacts", "events"):
            rows = list(csv.reader((self.dir / "out" / f"{name}.csv").read_text().splitlines()))
            self.assertEqual(rows[0], self.freeplay("get", "drop.h5", name).splitlines()[0].split("\t"))
            self.assertEqual(len(rows) - 1, len(data[name]))
            for k, column in enumerate(data[name].dtype.names):
                if data[name].dtype[column].kind == "f":
                    self.assertEqual([float(row[k]) for row in rows[1:]], data[name][column].tolist())

    def test_a_resumed_run_has_the_impacts_of_both_parts(self):
        options = ("--duration", "2000", "--set", "joints.bearing.clearance.contact.restitution=1", "-o", "parts.h5")
        text = self.freeplay("run", "drop.toml", *options, "--time-limit", "0.3", expect=130)
        before = self.datasets("parts.partial.h5")["impacts"]
        before = before[before["open"] == 0]  # what was open then goes on
        self.assertGreater(len(before), 0)
        text = self.freeplay("run", "drop.toml", *options, "--resume", "--time-limit", "0.3", expect=130)
        after = self.datasets("parts.partial.h5")
        self.assertEqual(after["impacts"][:len(before)].tobytes(), before.tobytes())
        self.assertGreater(len(after["impacts"]), len(before))
        self.assertTrue((np.diff(after["impacts"]["end"]) > 0).all())
        touches = np.count_nonzero(after["events"]["kind"] == b"touch")
        self.assertRegex(text, rf"contacts +{touches}\n")
        self.assertIn("largest impact", text)


class Laws(Cli):
    # From the catalogue of the issue; the list of the program may only grow.
    CONTACT = ["hertz", "kelvin-voigt", "anagnostopoulos", "hunt-crossley", "herbert-mcwhannell", "lee-wang",
               "lankarani-nikravesh", "gonthier", "zhiying-qishao", "flores", "gharib-hurmuzlu", "hu-guo",
               "carvalho-martins", "jankowski", "exact", "memory-free", "bai-zhao", "liu-steuermann", "johnson",
               "radzimovsky", "goldsmith", "dubowsky-freudenstein", "esdu-78035", "pereira", "plane-face",
               "elastic-foundation", "newton", "tsuji"]
    FRICTION = ["coulomb", "ambrosio", "threlfall", "tanh", "stribeck", "piecewise-linear", "bengisu-akay",
                "brown-mcphee", "dahl", "lugre", "gonthier", "elasto-plastic"]

    def test_list(self):
        contact, friction = self.freeplay("laws").split("Friction laws\n")
        for name in self.CONTACT:
            self.assertRegex(contact, rf"(?m)^  {name} +\S")
        for name in self.FRICTION:
            self.assertRegex(friction, rf"(?m)^  {name} +\S.*(holds a load at rest|creeps under a load)")

    def test_one_law(self):
        for name in self.CONTACT + self.FRICTION:
            text = self.freeplay("laws", name)
            self.assertIn(f"law `{name}`", text)
            for word in ("Traits:", "Limits:", "Sample:"):
                self.assertIn(word, text)
        text = self.freeplay("laws", "gonthier")  # of both kinds
        self.assertIn("contact law `gonthier`", text)
        self.assertIn("friction law `gonthier`", text)

    def test_unknown_names(self):
        self.freeplay("laws", "lankarani-nikravsh", expect=2)
        self.assertIn("did you mean 'lankarani-nikravesh'?", self.stderr)
        self.freeplay("laws", "qqqqqqqqqqqqqq", expect=2)
        self.assertIn("`freeplay laws` lists them", self.stderr)
        self.freeplay("laws", "--markdown", "cheese", expect=2)
        self.freeplay("laws", "hertz", "--markdown", "contact", expect=2)

    def test_committed_pages_are_the_generated_ones(self):
        for kind in ("contact", "friction", "wear", "control", "film"):
            committed = Path(__file__).resolve().parents[2] / "docs" / "reference" / f"{kind}_laws.md"
            self.assertEqual(committed.read_text(), self.freeplay("laws", "--markdown", kind),
                             "run ./dev docs and commit docs/reference")


if __name__ == "__main__":
    unittest.main(verbosity=2)
