// SPDX-License-Identifier: Apache-2.0
// The report inline in an executed notebook: the first page of the Python tutorial, as readers of its HTML see it.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { open, program, quit, root, scratch } from "./browser.mjs";

after(quit);

const python = "/usr/bin/python3";
const missing = spawnSync(python, ["-c", "import nbconvert, ipykernel, matplotlib"]).status !== 0;

test("shows the moving mechanism where the result was", { skip: missing && "nbconvert, ipykernel or matplotlib is missing" }, async () => {
  execFileSync(python, ["-m", "nbconvert", "--to", "html", "--execute", "--output-dir", scratch, join(root, "docs/python/notebooks/1_first_run.ipynb")], {
    env: { ...process.env, PYTHONPATH: join(dirname(program), "../python") },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const { page, close } = await open(join(scratch, "1_first_run.html"), { ready: "iframe[srcdoc]" });
  const frame = await (await page.$("iframe[srcdoc]")).contentFrame();
  await frame.waitForFunction(() => document.querySelector(".scene")?.dataset.drawn, undefined, { timeout: 60_000 });
  assert.ok(Number(await frame.evaluate(() => document.querySelector(".scene").dataset.drawn)) > 0);
  assert.match(await frame.evaluate(() => document.body.innerText), /slider-crank with play in the pin/);
  await close();
});
