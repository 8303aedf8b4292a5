#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a run says of itself: peaks, open contacts, depths, jams, trust."""

import json
import math
import re
import subprocess
import unittest

import h5py
import numpy as np

from harness import DROP, FREEPLAY, LOCKS, PENDULUM, Cli

# Two journals fall through their clearances together; the lighter one peaks first, and lower.
TWO_DROPS = """
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.heavy]
mass = 1
inertia = 1e-3
[bodies.light]
mass = 0.3
inertia = 1e-3
position = [1, 0]
[joints.one]
type = "revolute"
bodies = ["ground", "heavy"]
at = [0, 0]
[joints.one.clearance]
bearing_radius = "10 mm"
radial = "0.5 mm"
contact = { law = "hertz", stiffness = "1e8 N/m^1.5" }
[joints.two]
type = "revolute"
bodies = ["ground", "light"]
at = [1, 0]
[joints.two.clearance]
bearing_radius = "10 mm"
radial = "0.5 mm"
contact = { law = "hertz", stiffness = "1e8 N/m^1.5" }
[simulation]
duration = "20 ms"
tolerance = 1e-11
"""

# A ball let go 0.1 m above a rigid stop.
BOUNCES = """
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.ball]
mass = 2
inertia = 1e-3
[joints.rail]
type = "prismatic"
bodies = ["ground", "ball"]
at = [0, 0]
axis = [0, 1]
stop = { lower = -0.1, contact = { law = "newton", restitution = 0.5 } }
[simulation]
duration = "200 ms"
"""

# The rod of LOCKS on a pin with play: the crank pushes it into its bearing.
JAMS = LOCKS.replace("[joints.pin]", """[joints.pin]
clearance = { bearing_radius = "10 mm", radial = "0.5 mm", material = "steel", contact = { law = "lankarani-nikravesh", restitution = 0.9 } }""")


def hertz_drop(mass, clearance=0.5e-3, stiffness=1e8, gravity=9.81):
    """Largest depth and force of a fall through the clearance: m g (c + d) = 2/5 K d^2.5."""
    d = 1e-4
    for _ in range(60):
        d -= (0.4 * stiffness * d**2.5 - mass * gravity * (clearance + d)) / (stiffness * d**1.5 - mass * gravity)
    return d, stiffness * d**1.5


class Peaks(Cli):
    def test_each_contact_has_its_own_true_peak(self):
        self.write("two.toml", TWO_DROPS)
        for formulation in ("cartesian", "tree"):
            self.freeplay("run", "two.toml", "--formulation", formulation)
            impacts = {row["joint"]: row for row in self.datasets("two.h5")["impacts"]}
            for joint, mass in ((b"one", 1), (b"two", 0.3)):
                depth, force = hertz_drop(mass)
                self.assertAlmostEqual(impacts[joint]["peak_depth"] / depth, 1, delta=1e-9)
                self.assertAlmostEqual(impacts[joint]["peak_force"] / force, 1, delta=1e-9)

    def test_peaks_do_not_depend_on_where_the_steps_end(self):
        self.write("two.toml", TWO_DROPS)
        depth, force = hertz_drop(1)
        for longest in ("1 ms", "0.3 ms", "0.1 ms", "17 us"):
            self.freeplay("run", "two.toml", "--set", f"simulation.max_step={json.dumps(longest)}")
            [row] = [r for r in self.datasets("two.h5")["impacts"] if r["joint"] == b"one"]
            self.assertAlmostEqual(row["peak_depth"] / depth, 1, delta=1e-9, msg=longest)
            self.assertAlmostEqual(row["peak_force"] / force, 1, delta=1e-9, msg=longest)

    def test_a_contact_that_is_open_at_the_end_counts(self):
        self.write("drop.toml", DROP)
        start = math.sqrt(2 * 0.5e-3 / 9.81)
        # Past its peak, and on its way there: 1.7 ms and 0.5 ms after the touch.
        whole = self.freeplay("run", "drop.toml", "-o", "whole.h5")
        peak = self.datasets("whole.h5")["impacts"]["peak_force"][0]
        for end, part in ((start + 3e-3, 1), (start + 5e-4, None)):
            text = self.freeplay("run", "drop.toml", "--duration", repr(end))
            [row] = self.datasets("drop.h5")["impacts"]
            self.assertEqual((row["open"], row["end"], row["separation_speed"]), (1, end, 0))
            self.assertAlmostEqual(row["start"], start, delta=1e-9)
            force = self.datasets("drop.h5")["joints/bearing/normal_force"]
            if part:
                self.assertAlmostEqual(row["peak_force"] / peak, 1, delta=1e-6)
            else:
                self.assertEqual(row["peak_force"], force[-1])
            self.assertRegex(text, rf"largest impact +{row['peak_force']:.4g} N in bearing .*; still in contact at the end")
            lines = self.freeplay("get", "drop.h5", "impacts").splitlines()
            self.assertTrue(lines[0].endswith("\topen") and lines[1].endswith("\t1"), lines)
        self.assertTrue(all(line.endswith("\t0") for line in self.freeplay("get", "whole.h5", "impacts").splitlines()[1:]))
        self.assertNotIn("still", whole)

    def test_an_interrupted_run_forgets_that_a_contact_was_open(self):
        # A journal that lies on its bearing and never parts: open wherever the run stops.
        change = ["--set", "joints.bearing.clearance.offset=[0,-0.000501]", "--duration", "2000",
                  "--set", "simulation.max_step=1e-6", "-o", "lies.h5"]
        self.write("drop.toml", DROP)
        self.freeplay("run", "drop.toml", *change, "--time-limit", "0.3", expect=130)
        self.assertEqual(self.datasets("lies.partial.h5")["impacts"]["open"][-1], 1)
        self.freeplay("run", "drop.toml", *change, "--resume", "--time-limit", "0.3", expect=130)
        rows = self.datasets("lies.partial.h5")["impacts"]
        self.assertEqual(np.flatnonzero(rows["open"]).tolist(), [len(rows) - 1])

    def test_newtons_law_gives_the_impulse(self):
        self.write("bounces.toml", BOUNCES)
        text = self.freeplay("run", "bounces.toml")
        [row] = self.datasets("bounces.h5")["impacts"]
        # P = m (1 + e) v with v = sqrt(2 g h)
        impulse = 2 * 1.5 * math.sqrt(2 * 9.81 * 0.1)
        self.assertAlmostEqual(row["impulse"], impulse, delta=1e-8)
        self.assertEqual((row["peak_force"], row["open"]), (0, 0))
        self.assertRegex(text, rf"largest impulse +{impulse:.4g} N s in rail at t = 0\.142784 s")
        self.assertNotIn("largest impact", text)


class Depth(Cli):
    SOFT = ["--set", "joints.bearing.clearance.contact={ law = \"hertz\", stiffness = \"1e6 N/m^1.5\" }"]

    def test_deeper_than_the_clearance_is_a_warning(self):
        self.write("drop.toml", DROP)
        summary = json.loads(self.freeplay("run", "drop.toml", *self.SOFT, "--json", "--duration", "100 ms"))
        self.assertEqual(summary["status"], "done")
        [warning] = summary["warnings"]
        self.assertRegex(warning, r"joint bearing are pressed 0\.\d+ mm into each other .* deeper than the clearance of 0\.5 mm")
        self.assertIn(warning, self.stderr)
        events = self.datasets("drop.h5")["events"]
        self.assertEqual(np.count_nonzero(events["kind"] == b"deep"), 1)  # once, however often it happens
        self.freeplay("run", "drop.toml", "-o", "hard.h5")
        self.assertEqual(self.stderr, "")

    def test_deeper_than_the_radius_ends_the_run(self):
        self.write("drop.toml", DROP)
        soft = ["--set", "joints.bearing.clearance.contact={ law = \"hertz\", stiffness = \"1 N/m^1.5\" }"]
        for formulation in ("cartesian", "tree"):
            self.freeplay("run", "drop.toml", *soft, "--duration", "1", "--formulation", formulation, expect=4)
            self.assertRegex(self.stderr, r"joint bearing are pressed \S+ mm into each other, deeper than the radius or half width "
                                          r"of the inner one, 9\.5 mm, at t = ")
            with h5py.File(self.dir / "drop.partial.h5") as file:
                # Free fall, all but: c + 9.5 mm. The step that got there is the last.
                self.assertGreater(file["joints/bearing/penetration"][-1], 9.5e-3)
                self.assertLess(file["joints/bearing/penetration"][-2], 9.5e-3)

    def test_parts_that_start_inside_each_other_are_refused(self):
        self.write("drop.toml", DROP)
        for verb in ("run", "converge"):
            self.freeplay(verb, "drop.toml", "--set", "joints.bearing.clearance.offset=[0.5,0]", expect=2)
            self.assertRegex(self.stderr, r"joints\.bearing\.clearance: at the start the parts of joint bearing are pressed 500 mm "
                                          r"into each other, deeper than .* 9\.5 mm \(check 'offset'")
        self.assertEqual([p.name for p in self.dir.iterdir()], ["drop.toml"])
        text = self.freeplay("check", "drop.toml", "--set", "joints.bearing.clearance.offset=[0.5,0]")
        self.assertIn("which `run` refuses", text + self.stderr)

    def test_a_start_that_swallows_the_duration(self):
        self.write("drop.toml", DROP)
        for start in ("1e15", "-1e17", "1e8"):
            self.freeplay("run", "drop.toml", "--set", f"simulation.start={start}", expect=0 if start == "1e8" else 2)
            if start != "1e8":
                self.assertRegex(self.stderr, r"simulation\.start: beside a start at \S+ s, times are told apart by")


class Jams(Cli):
    def test_a_drive_that_forces_its_way_is_named_with_its_coordinate(self):
        self.write("jams.toml", JAMS)
        for formulation in ("cartesian", "tree"):
            summary = json.loads(self.freeplay("run", "jams.toml", "--json", "--formulation", formulation, expect=4))
            # The dead point is at asin(0.8), the play lets the crank go a little further.
            found = re.search(r"the drive of joint bearing cannot take its angle past (\S+) rad at t = \S+ s: that presses joint pin "
                              r"\S+ mm deep with \S+ N", summary["reason"])
            self.assertTrue(found, summary["reason"])
            self.assertAlmostEqual(float(found[1]), math.asin(0.8), delta=0.1)
            self.assertLess(summary["steps"], 10000)

    def test_ideal_joints_stop_at_the_dead_point(self):
        self.write("locks.toml", LOCKS)
        for analysis in ("dynamic", "kinematic"):
            for tolerance in ("1e-4", "1e-8"):
                done = subprocess.run([FREEPLAY, "run", "locks.toml", "--tolerance", tolerance, "--set",
                                       f'simulation.analysis="{analysis}"', "--json"], cwd=self.dir, timeout=120,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                summary = json.loads(done.stdout)
                self.assertEqual(done.returncode, 4)
                self.assertLess(summary["steps"], 1000)
                angle = re.search(r"the drive of joint bearing cannot take its angle past (\S+) rad", summary["reason"])
                self.assertTrue(angle, summary["reason"])
                self.assertAlmostEqual(float(angle[1]), math.asin(0.8), delta=1e-4)


class Trust(Cli):
    def test_trust_is_noted_in_the_result(self):
        self.write("pendulum.toml", PENDULUM)
        text = self.freeplay("run", "pendulum.toml", "--trust")
        self.assertRegex(text, r"converged +to the end: at most \S+ m and \S+ rad from a run at tolerance 1e-10")
        with h5py.File(self.dir / "pendulum.h5") as file:
            noted = dict(file["solver"].attrs)
        self.assertEqual((noted["trust_knob"], noted["trust_until"], noted["trust_end"]), ("tolerance", 2, 2))
        self.assertLess(noted["trust_difference"], 1e-6)
        # The rod turns about its end: what its centre is off, it is off in the angle by 4 times as much.
        self.assertAlmostEqual(noted["trust_rotation"], 4 * noted["trust_difference"], delta=1e-3 * noted["trust_rotation"])
        self.freeplay("get", "pendulum.h5", "bodies/rod/angle", "--at", "1")  # the file is still sealed and sound
        summary = json.loads(self.freeplay("run", "pendulum.toml", "--trust", "--tolerance", "1e-3", "--json"))
        self.assertEqual(summary["trust"]["tolerance"], 1e-4)
        self.assertLess(summary["trust"]["converged_until"], 2)
        self.assertNotIn("trust", json.loads(self.freeplay("run", "pendulum.toml", "--json")))

    def test_converge_of_a_result(self):
        self.write("pendulum.toml", PENDULUM)
        self.freeplay("run", "pendulum.toml", "--set", "bodies.rod.mass=2", "--duration", "1")
        report = json.loads(self.freeplay("converge", "pendulum.h5", "--json"))
        self.assertEqual(report["end"], 1)
        with h5py.File(self.dir / "pendulum.h5") as file:
            self.assertEqual(file["solver"].attrs["trust_value"], report["tolerance"][2])
            self.assertEqual(file["solver"].attrs["trust_until"], 1)
        self.freeplay("converge", "pendulum.h5", "--set", "bodies.rod.mass=3", expect=2)
        self.assertIn("as it was made", self.stderr)

    def test_converge_sees_a_body_that_only_turns(self):
        # A top on its centre of mass never changes its place.
        self.write("top.toml", """
[mechanism]
gravity = [0, 0, 0]
[bodies.top]
mass = 1
inertia = [1e-2, 2e-2, 3e-2]
angular_velocity = [0.1, 20, 0.1]
[joints.tip]
type = "spherical"
bodies = ["ground", "top"]
at = [0, 0, 0]
[simulation]
duration = 3
""")
        body = json.loads(self.freeplay("converge", "top.toml", "--tolerance", "1e-5", "--json"))["bodies"]["top"]
        self.assertEqual(body["asked"]["difference"], 0)
        self.assertGreater(body["asked"]["rotation"], 1e-6)
        self.assertLess(body["asked"]["settled_until"], 3)
        self.assertIn("turn, rad", self.freeplay("converge", "top.toml", "--duration", "0.1"))


class Audit(Cli):
    # A wheel at 1e5 rad/s that a damper brings to rest: what rounding and tolerance leave unaccounted for of 50 MJ is
    # nothing beside them, but much beside what moves at the end.
    WHEEL = """
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.wheel]
mass = 1
inertia = 1e-2
angular_velocity = 1e5
[joints.axle]
type = "revolute"
bodies = ["ground", "wheel"]
at = [0, 0]
[springs.brake]
joint = "axle"
stiffness = 0
damping = 0.1
[simulation]
duration = 4
tolerance = 1e-8
"""

    def test_rows_of_a_study_are_audited_like_a_run(self):
        self.write("wheel.toml", self.WHEEL)
        whole = json.loads(self.freeplay("run", "wheel.toml", "--json"))
        self.assertAlmostEqual(whole["energy_scale"], 5e7, delta=1e3)
        self.write("study.toml", """
model = "wheel.toml"
kind = "bifurcation"
vary."bodies.wheel.mass" = [1, 1.1]
section = { every = "1 s" }
turns = { transient = 3, record = 2 }
observe = ["bodies/wheel/angular_velocity"]
""")
        summary = json.loads(self.freeplay("study", "study.toml", "--json"))
        self.assertEqual((summary["status"], summary["failed"]), ("done", 0), summary)


class Numbers(Cli):
    def test_values_at_every_event(self):
        self.write("drop.toml", DROP)
        self.freeplay("run", "drop.toml")
        data = self.datasets("drop.h5")
        for line in self.freeplay("get", "drop.h5", "events").splitlines()[1:]:
            printed = line.split("\t")[0]
            [height] = self.freeplay("get", "drop.h5", "bodies/shaft/position.y", "--at", printed).split()
            self.assertAlmostEqual(float(height), -0.5e-3, delta=1e-12)
            # ... and around it, by any number of last digits.
            for off in (1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-10):
                for sign in (-1, 1):
                    t = float(printed) + sign * off
                    [height] = self.freeplay("get", "drop.h5", "bodies/shaft/position.y", "--at", repr(t)).split()
                    self.assertAlmostEqual(float(height), -0.5e-3, delta=1e-12 + 0.2 * off)
        self.assertEqual(len(data["events"]), 4)

    def test_a_run_may_end_on_an_event(self):
        self.write("drop.toml", DROP)
        self.freeplay("run", "drop.toml")
        for time in self.datasets("drop.h5")["events"]["time"]:
            for end in (time, np.nextafter(time, 1), np.nextafter(time, 0), time + 1e-16, time - 1e-16):
                self.freeplay("run", "drop.toml", "--duration", repr(float(end)), "-o", "short.h5")
                short = self.datasets("short.h5")
                self.assertEqual((short["time"][-1], short["uniform/time"][-1]), (end, end))

    def stats(self, result, series):
        header, *lines = self.freeplay("get", result, series, "--stats").splitlines()
        return [dict(zip(header.split("\t"), line.split("\t"))) for line in lines]

    def test_extremes_between_the_steps(self):
        # Swings from the horizontal to the other side: the lowest point is passed at
        # omega = sqrt(2 m g a / J_pivot), J_pivot = 1/12 kg m^2; the pivot then carries m g + m omega^2 a.
        self.write("pendulum.toml", PENDULUM)
        self.freeplay("run", "pendulum.toml", "--tolerance", "1e-11", "--set", "simulation.output=\"100 ms\"")
        omega = math.sqrt(2 * 9.81 * 0.25 * 12)
        [rate] = self.stats("pendulum.h5", "joints/pivot/rate")
        self.assertAlmostEqual(float(rate["min"]), -omega, delta=1e-8)
        self.assertAlmostEqual(float(rate["max"]), omega, delta=1e-8)
        [force] = self.stats("pendulum.h5", "joints/pivot/reaction_force.y")
        self.assertAlmostEqual(float(force["max"]), 9.81 + 0.25 * omega**2, delta=1e-7)
        [x, y] = self.stats("pendulum.h5", "bodies/rod/position")
        self.assertAlmostEqual(float(y["min"]), -0.25, delta=1e-10)
        self.assertAlmostEqual(float(x["min"]), -0.25, delta=1e-10)
        [at] = self.freeplay("get", "pendulum.h5", "joints/pivot/rate", "--at", rate["at_min"]).split()
        self.assertAlmostEqual(float(at), float(rate["min"]), delta=1e-12)
        samples = self.datasets("pendulum.h5")["joints/pivot/rate"]
        self.assertLess(samples.max(), omega - 1e-6)  # or this test says nothing

    def test_extremes_just_before_an_impact(self):
        self.write("bounces.toml", BOUNCES)
        self.freeplay("run", "bounces.toml", "--set", "simulation.output=0.05")
        [speed] = self.stats("bounces.h5", "bodies/ball/velocity.y")
        self.assertAlmostEqual(float(speed["min"]), -math.sqrt(2 * 9.81 * 0.1), delta=1e-7)

    def test_stats_and_impacts_agree_on_the_peak(self):
        self.write("two.toml", TWO_DROPS)
        self.freeplay("run", "two.toml")
        [force] = self.stats("two.h5", "joints/one/normal_force")
        self.assertAlmostEqual(float(force["max"]) / hertz_drop(1)[1], 1, delta=1e-8)


if __name__ == "__main__":
    unittest.main(verbosity=2)
