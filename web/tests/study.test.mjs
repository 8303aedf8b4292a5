// SPDX-License-Identifier: Apache-2.0
// The page of a study in a real browser: points, the row behind one, what belongs to each kind.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { freeplay, open, quit, scratch } from "./browser.mjs";

after(quit);

const PENDULUM = `
[mechanism]
planar = true
gravity = [0, -9.81]
[bodies.rod]
mass = 1
inertia = "1/48"
position = [0.25, 0]
[joints.pivot]
type = "revolute"
bodies = ["ground", "rod"]
at = [0, 0]
[simulation]
duration = 0.2
`;
writeFileSync(join(scratch, "pendulum.toml"), PENDULUM);

/** Runs a study and opens its page. */
async function study(name, text) {
  writeFileSync(join(scratch, `${name}.toml`), `model = "pendulum.toml"\n${text}`);
  freeplay("study", `${name}.toml`, "-o", `${name}.h5`, "--quiet");
  freeplay("report", `${name}.h5`);
  return open(join(scratch, `${name}.html`), { ready: "#points canvas" });
}

test("a click on a point shows its row, and the command that runs it works", async () => {
  const { page, problems, close } = await study(
    "sweep",
    `kind = "sweep"\nvary."bodies.rod.mass" = { from = 1, to = 5, count = 5 }\nobserve = ["max joints/pivot/reaction_force.y", "bodies/rod/angle"]\n`,
  );
  assert.match(await page.textContent("h1"), /sweep\.h5: sweep, 5 rows/);
  const canvas = page.locator("#points canvas");
  const box = await canvas.boundingBox();
  // The force grows with the mass on a straight line: somewhere on the way a point is hit.
  for (let i = 1; i < 20 && !(await page.locator(".row-box dl").count()); ++i) await canvas.click({ position: { x: (box.width * i) / 20, y: box.height * (1 - i / 20) } });
  const row = Number(/Row (\d)/.exec(await page.textContent(".row-box"))[1]);
  const shown = await page.locator(".row-box dd").first().textContent();
  assert.equal(shown, `${row + 1} kg`);
  const command = (await page.textContent(".row-box code")).split(" && ")[0].split(" ").slice(1);
  freeplay(...command, "--quiet");
  const ran = freeplay("get", `sweep_row_${row}.h5`, "bodies/rod/angle", "--at", "0.2");
  const dd = await page.locator(".row-box dd").allTextContents();
  assert.ok(Math.abs(Number(ran) - Number(dd[2].replace("−", "-").split(" ")[0])) < 1e-3, `${ran} ${dd}`);
  assert.deepEqual(problems, []);
  await close();
});

test("each kind has its diagram", async () => {
  const kinds = {
    montecarlo: [`kind = "monte-carlo"\nsamples = 20\nvary."bodies.rod.mass" = { distribution = "normal", mean = 1, standard_deviation = 0.1 }\nobserve = ["bodies/rod/angle"]\n`, "Distribution"],
    sensitivity: [`kind = "sensitivity"\nsamples = 8\nvary."bodies.rod.mass" = { from = 1, to = 2 }\nvary."bodies.rod.inertia" = { from = 0.01, to = 0.03 }\nobserve = ["bodies/rod/angle"]\n`, "Sensitivity"],
    optimise: [`kind = "optimise"\nvary."bodies.rod.mass" = { from = 1, to = 2 }\nminimise = "bodies/rod/angle"\nevaluations = 10\n`, "Convergence"],
  };
  for (const [name, [text, title]] of Object.entries(kinds)) {
    const { page, problems, close } = await study(name, text);
    assert.equal(await page.textContent("#kind h2"), title);
    assert.ok(await page.locator("#results tbody tr").count());
    assert.deepEqual(problems, [], name);
    await close();
  }
});
