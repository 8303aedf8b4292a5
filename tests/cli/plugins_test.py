#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Laws that are compiled code: permission, what is refused, and that everything that runs a model runs them."""

import hashlib
import json
import shutil
import subprocess
import unittest
from pathlib import Path

import h5py
import numpy as np

from harness import DROP, Cli

ROOT = Path(__file__).resolve().parents[2]

# What the law of DROP says, and one for end stops and slots: K d^1.5 (1 + b v/v0).
POWER = r"""
#include <freeplay/plugin.h>
#include <math.h>
static int force(const double *at, const double *p, int slopes, double *out, void *context) {
  const double f = p[0] * at[0] * sqrt(at[0]), damper = 1 + p[1] * at[1] / at[2];
  (void)context;
  out[0] = f * damper;
  if (slopes) { out[1] = 1.5 * f / at[0] * damper; out[2] = f * p[1] / at[2]; }
  return 0;
}
static int none(const double *at, const double *p, int slopes, double *out, void *context) {
  (void)p; (void)slopes; (void)context;
  out[0] = at[0] < 1e-5 ? 1e12 * at[0] : NAN;
  return 0;
}
static int late(const double *at, const double *p, int slopes, double *out, void *context) {
  (void)p; (void)slopes; (void)context;      /* where the checks do not look: at no power of ten */
  out[0] = 1e8 * at[0] * sqrt(at[0]);
  return at[2] > 0.09 && at[2] < 0.0995 && at[0] > 2e-6 ? 7 : 0;
}
static int needs(const double *at, const double *p, int slopes, double *out, void *context) {
  (void)p; (void)slopes; (void)context;
  out[0] = at[4] * at[5] * at[0];
  return 0;
}
static int pushes(const double *at, const double *p, int slopes, double *out, void *context) {
  (void)p; (void)slopes; (void)context;
  out[0] = 1e8 * at[0] * (1 - 0.3 * at[1] / at[2]);
  return 0;
}
static int slip(const double *at, const double *p, int slopes, double *out, void *context) {
  (void)slopes; (void)context;
  out[0] = p[0] * tanh(at[0] / 1e-3);
  return 0;
}
static int wear(const double *at, const double *p, int slopes, double *out, void *context) {
  (void)p; (void)slopes; (void)context;
  out[0] = at[0] * at[1] * at[2];
  return 0;
}
static const freeplay_parameter Kb[] = {{"K", "N/m^1.5", "stiffness", NAN, 1, 1e15}, {"b", "1", "damping", 0.1425, 0, 10}};
static const freeplay_parameter mu[] = {{"mu", "1", "friction", 0.1, 0, 10}};
static const freeplay_parameter odd[] = {{"x", "widgets", "", 1, 0, 2}};
static const freeplay_law laws[] = {
    {"contact", "power", "", FREEPLAY_EXACT_SLOPES, 2, Kb, force, 0}, {"contact", "none", "", 0, 0, 0, none, 0},
    {"contact", "late", "", 0, 0, 0, late, 0}, {"contact", "needs", "", 0, 0, 0, needs, 0},
    {"contact", "pushes", "", 0, 0, 0, pushes, 0}, {"contact", "odd", "", 0, 1, odd, needs, 0},
    {"friction", "slip", "", 0, 1, mu, slip, 0}, {"wear", "archard", "", 0, 0, 0, wear, 0}};
static const freeplay_plugin plugin = {ABI, 8, laws};
const freeplay_plugin *SYMBOL(void) { return &plugin; }
"""
BUILT_IN = 'contact = { law = "lankarani-nikravesh", stiffness = "1e8 N/m^1.5", restitution = 0.9 }'
OWN = 'contact = { law = "plugin", plugin = "laws.so#power", K = "1e8 N/m^1.5" }'


class Plugins(Cli):
    def setUp(self):
        super().setUp()
        self.compile("laws.so")
        self.write("drop.toml", DROP.replace(BUILT_IN, OWN))
        self.write("twin.toml", DROP)

    def compile(self, name, abi="FREEPLAY_PLUGIN_ABI", symbol="freeplay_plugin_laws", text=POWER):
        self.write("laws.c", text.replace("ABI, 8", f"{abi}, 8").replace("SYMBOL", symbol))
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", f"-I{ROOT / 'include'}", "laws.c", "-o", name, "-lm"],
                       cwd=self.dir, check=True)

    def refused(self, *arguments, says, expect=2):
        self.freeplay(*arguments, expect=expect)
        for words in says:
            self.assertIn(words, self.stderr)

    def contact(self, text):
        return ["--set", f"joints.bearing.clearance.contact={text}"]

    # ---- permission

    def test_nothing_is_opened_unless_it_is_allowed(self):
        canary = "#include <stdio.h>\n__attribute__((constructor)) static void told(void) { fclose(fopen(\"canary\", \"w\")); }\n"
        self.compile("laws.so", text=canary + POWER)
        self.write("sweep.toml", 'model = "drop.toml"\nkind = "sweep"\nvary = { "joints.bearing.clearance.radial" = ["0.4 mm"] }\n'
                                 'observe = ["contacts"]\n')
        for words in (["run", "drop.toml"], ["check", "drop.toml"], ["equilibrium", "drop.toml"], ["modes", "drop.toml"],
                      ["converge", "drop.toml"], ["contact-loss", "drop.toml"], ["tolerance", "drop.toml", "--of", "bodies/shaft/position.x"],
                      ["study", "sweep.toml"]):
            self.refused(*words, says=["'laws.so' is compiled code that this model asks to run, which is not allowed", "--allow-plugins",
                                       "joints.bearing.clearance.contact.plugin"])
            self.assertFalse((self.dir / "canary").exists(), words)
        self.freeplay("check", "drop.toml", "--allow-plugins")
        self.assertTrue((self.dir / "canary").exists())

    def test_results_can_be_looked_at_without_it(self):
        self.freeplay("run", "drop.toml", "--allow-plugins", "-o", "a.h5")
        (self.dir / "laws.so").rename(self.dir / "elsewhere")
        for words in (["get", "a.h5", "bodies/shaft/position.y"], ["get", "a.h5", "--list"], ["export", "a.h5", "--csv", "out"],
                      ["report", "a.h5"], ["plot", "a.h5"]):
            self.freeplay(*words)
        self.refused("get", "a.h5", "bodies/shaft/position.y", "--at", "0.0123", says=["--allow-plugins"])
        self.refused("get", "a.h5", "bodies/shaft/position.y", "--at", "0.0123", "--allow-plugins", says=["there is no such file"])
        (self.dir / "elsewhere").rename(self.dir / "laws.so")
        self.assertTrue(self.freeplay("get", "a.h5", "bodies/shaft/position.y", "--at", "0.0123", "--allow-plugins"))

    # ---- what it computes

    def test_a_run_is_that_of_the_law_of_the_catalogue(self):
        one = json.loads(self.freeplay("run", "drop.toml", "--allow-plugins", "-o", "own.h5", "--json"))
        two = json.loads(self.freeplay("run", "twin.toml", "-o", "twin.h5", "--json"))
        self.assertGreater(one["contacts"], 1)
        self.assertEqual(one["contacts"], two["contacts"])
        own, twin = self.datasets("own.h5"), self.datasets("twin.h5")
        np.testing.assert_allclose(own["impacts"]["start"], twin["impacts"]["start"], rtol=1e-8)
        np.testing.assert_allclose(own["impacts"]["peak_force"], twin["impacts"]["peak_force"], rtol=1e-6)

    def test_the_result_names_the_digest_and_what_was_not_given(self):
        self.freeplay("run", "drop.toml", "--allow-plugins", "-o", "a.h5")
        digest = hashlib.sha256((self.dir / "laws.so").read_bytes()).hexdigest()
        with h5py.File(self.dir / "a.h5") as file:
            text = file["model/resolved"][()].decode()
            self.assertEqual(file["joints/bearing"].attrs["contact_law"], "plugin")
        self.assertIn(f'"{digest}"', text)
        self.assertIn('"laws.so#power"', text)
        pinned = f'{{ law = "plugin", plugin = "laws.so#power", K = 1e8, digest = "{digest}" }}'
        self.freeplay("run", "drop.toml", "--allow-plugins", "-o", "b.h5", *self.contact(pinned))
        self.compile("laws.so", text=POWER + "\nint changed = 1;\n")
        self.refused("run", "drop.toml", "--allow-plugins", *self.contact(pinned), says=["the plug-in has changed", "contact.digest"])
        self.refused("get", "a.h5", "bodies/shaft/position.y", "--at", "0.0123", "--allow-plugins", says=["the plug-in has changed"])

    def test_studies_parts_rows_and_resumed_runs(self):
        self.write("sweep.toml", 'model = "drop.toml"\nkind = "sweep"\nvary = { "joints.bearing.clearance.contact.K" = [1e8, 2e8, 3e8] }\n'
                                 'observe = ["contacts", "peak_force"]\n')
        self.freeplay("study", "sweep.toml", "--allow-plugins", "-o", "whole.h5", "--quiet")
        for part in ("1/2", "2/2"):
            self.freeplay("study", "sweep.toml", "--allow-plugins", "-o", "parts.h5", "--part", part, "--quiet")
        self.freeplay("study", "sweep.toml", "--allow-plugins", "-o", "parts.h5", "--join", "--quiet")
        self.assertEqual(self.freeplay("get", "whole.h5", "rows"), self.freeplay("get", "parts.h5", "rows"))
        self.freeplay("study", "sweep.toml", "--allow-plugins", "-o", "whole.h5", "--row", "1")
        script = self.freeplay("study", "sweep.toml", "--submit", "slurm", "--part", "auto/2", "--allow-plugins")
        self.assertIn("--allow-plugins", script)
        self.freeplay("run", "drop.toml", "--allow-plugins", "-o", "whole_run.h5")
        self.freeplay("run", "drop.toml", "--allow-plugins", "-o", "cut.h5", "--time-limit", "1e-9", expect=130)
        self.freeplay("run", "drop.toml", "--allow-plugins", "-o", "cut.h5", "--resume")
        for path in ("impacts",):
            np.testing.assert_array_equal(self.datasets("cut.h5")[path], self.datasets("whole_run.h5")[path])

    def test_friction_and_wear(self):
        extra = ('bearing_length = "20 mm"\nmaterial = "steel"\nfriction = { law = "plugin", plugin = "laws.so", mu = 0.2 }\n'
                 'wear = { law = "plugin", plugin = "laws.so", outer = 1e-14, inner = 2e-14 }\n')
        twin = extra.replace('law = "plugin", plugin = "laws.so", mu = 0.2', 'law = "expression", coefficient = "0.2*tanh(v/v1)", v1 = "1 mm/s"') \
            .replace('law = "plugin", plugin = "laws.so"', 'law = "archard"')
        start = '[bodies.shaft]\nangular_velocity = 20\nvelocity = [0.1, 0]'
        for name, text in (("own", extra), ("twin", twin)):
            self.write(f"{name}.toml", DROP.replace("[simulation]", text + "[simulation]").replace("[bodies.shaft]", start)
                       .replace(BUILT_IN, OWN if name == "own" else BUILT_IN))
            self.freeplay("run", f"{name}.toml", "--allow-plugins")
        own, two = self.datasets("own.h5"), self.datasets("twin.h5")
        np.testing.assert_allclose(own["impacts"]["start"], two["impacts"]["start"], rtol=1e-7)
        for worn in ("joints/bearing/worn_volume_outer", "joints/bearing/worn_volume_inner"):
            self.assertGreater(two[worn][-1], 0)
            np.testing.assert_allclose(own[worn][-1], two[worn][-1], rtol=1e-5)

    # ---- what is refused

    def test_files_that_are_no_plugins(self):
        self.compile("old.so", abi="FREEPLAY_PLUGIN_ABI + 1")
        self.compile("other.so", symbol="somebody_else")
        self.write("text.so", "no library\n")
        shutil.copy(self.dir / "laws.so", self.dir.parent / "outside.so")
        self.addCleanup((self.dir.parent / "outside.so").unlink)
        for file, says in (("old.so", "it was made for interface 2, this program has 1"),
                           ("other.so", "it has no function freeplay_plugin_laws()"),
                           ("text.so", "it is no library that can be opened"),
                           ("missing.so", "there is no such file"),
                           ("../outside.so", "it lies outside the folder of the model"),
                           (str(self.dir / "laws.so"), "absolute paths are refused"),
                           ("", "the file name is empty")):
            self.refused("check", "drop.toml", "--allow-plugins", *self.contact(f'{{ law = "plugin", plugin = "{file}#power", K = 1e8 }}'),
                         says=[says, "contact.plugin"])

    def test_laws_that_cannot_serve(self):
        for law, says in (
                ("#none", ["the contact law 'none' returned no finite number at d ="]),
                ("#needs", ["no finite number", "not known there: modulus (give the joint a material)"]),
                ("#pushes", ["the force of 'pushes': it makes energy"]),
                ("#odd", ["gives its parameter 'x' the unit 'widgets', which is none"]),
                ("#nobody", ["it has no contact law 'nobody', only 'power', 'none'"]),
                ("", ["it has several contact laws: FILE#LAW chooses one of 'power'"])):
            self.refused("check", "drop.toml", "--allow-plugins", *self.contact(f'{{ law = "plugin", plugin = "laws.so{law}" }}'),
                         says=[*says, "joints.bearing.clearance.contact"])
        self.refused("check", "drop.toml", "--allow-plugins", *self.contact('{ law = "plugin", plugin = "@mine" }'),
                     says=["this program has no law '@mine'"])

    def test_parameters(self):
        for given, says in (("", "contact.K: 'K' is missing; expected a number in [1, 1e+15] in N/m^1.5: stiffness"),
                            ('K = "1e8 N/m"', "contact.K: found '1e8 N/m', in kg/s^2; expected a number in [1, 1e+15] in N/m^1.5"),
                            ("K = 0", "contact.K: found 0; expected a number"),
                            ("K = 1e8, k = 1", "contact.k: law 'power' of the plug-in has no parameter 'k'"),
                            ('K = 1e8, restitution = 0.9', "contact.restitution")):
            self.refused("check", "drop.toml", "--allow-plugins",
                         *self.contact(f'{{ law = "plugin", plugin = "laws.so#power"{", " if given else ""}{given} }}'), says=[says])
        self.freeplay("check", "drop.toml", "--allow-plugins", "--set", "joints.bearing.clearance.contact.K=2e8 N/m^1.5")

    def test_a_law_that_gives_up_during_a_run_is_named(self):
        self.refused("run", "drop.toml", "--allow-plugins", *self.contact('{ law = "plugin", plugin = "laws.so#late" }'), expect=4,
                     says=["joint bearing: the contact law 'late' gave up with 7 at d ="])

    def test_the_law_lists_and_the_reference_know_it(self):
        self.assertIn("--allow-plugins", self.freeplay("laws", "plugin"))
        self.assertIn("plugin", self.freeplay("laws"))


if __name__ == "__main__":
    unittest.main()
