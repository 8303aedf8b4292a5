// SPDX-License-Identifier: Apache-2.0
// `freeplay view` in a real browser: the list, one result, two compared.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { freeplay, JOURNAL, launch, open, program, quit, scratch, simulate } from "./browser.mjs";

let server;
let address;
before(async () => {
  mkdirSync(join(scratch, "served"));
  simulate("served/ideal", "slider_crank");
  simulate("served/dry & <worn>", "slider_crank", { joint: "pin", clearance: JOURNAL("10 mm", "0.5 mm") });
  server = spawn(program, ["view", join(scratch, "served"), "--port", "0"]);
  address = await new Promise((resolve) => server.stdout.on("data", (d) => resolve(/http:\S+/.exec(String(d))[0])));
});
after(async () => {
  server.kill("SIGINT");
  await quit();
});

test("the list leads to reports", async () => {
  const context = await (await launch()).newContext();
  const page = await context.newPage();
  const problems = [];
  page.on("console", (m) => m.type() === "error" && problems.push(m.text()));
  page.on("request", (r) => !r.url().startsWith(address) && !/^(data|blob):/.test(r.url()) && problems.push(r.url()));
  await page.goto(address);
  assert.equal(await page.locator("tbody tr").count(), 2);
  await page.click('a:text-is("dry & <worn>.h5")');
  await page.waitForFunction(() => document.querySelector(".scene")?.dataset.drawn);
  assert.match(await page.textContent("h1"), /slider-crank/);
  await page.goBack();
  for (const box of await page.locator("input[type=checkbox]").all()) await box.check();
  await page.click("button");
  await page.waitForFunction(() => document.querySelector(".scene")?.dataset.drawn);
  assert.equal(await page.locator(".result").count(), 2);
  assert.deepEqual(problems, []);
  await context.close();
});

test("the page is the one that `report` writes", async () => {
  freeplay("report", "served/ideal.h5", "-o", "ideal.html");
  const { page, problems, close } = await open("", { url: `${address}report?r=ideal.h5` });
  const served = await page.evaluate(() => window.freeplay.runs[0].doubles.length);
  await close();
  const written = await open(join(scratch, "ideal.html"));
  assert.equal(await written.page.evaluate(() => window.freeplay.runs[0].doubles.length), served);
  assert.deepEqual(problems, []);
  await written.close();
});

test("a watched model that is saved again is run again, and its page shows it at the same instant", async () => {
  mkdirSync(join(scratch, "watched"));
  const model = (length) =>
    `[mechanism]\nname = "pendulum of ${length} m"\nplanar = true\ngravity = [0, -9.81]\n[bodies.rod]\nlink = [[0, 0], [${length}, 0]]\nmass = 1\n` +
    `[joints.pivot]\ntype = "revolute"\nbodies = ["ground", "rod"]\nat = [0, 0]\n[simulation]\nduration = 1\n`;
  writeFileSync(join(scratch, "live.toml"), model(1));
  const watching = spawn(program, ["view", "watched", "--port", "0", "--watch", "live.toml"], { cwd: scratch });
  const url = await new Promise((resolve) => watching.stdout.on("data", (d) => /http:\S+/.test(String(d)) && resolve(/http:\S+/.exec(String(d))[0])));
  for (let i = 0; i < 200 && !existsSync(join(scratch, "watched/live.h5")); ++i) await new Promise((r) => setTimeout(r, 100));
  const { page, problems, close } = await open("", { url });
  assert.equal(await page.textContent("h1"), "pendulum of 1 m");
  await page.evaluate(() => window.freeplay.state.seek(0.5));
  writeFileSync(join(scratch, "live.toml"), model(2));
  await page.waitForFunction(() => document.querySelector("h1")?.textContent === "pendulum of 2 m", undefined, { timeout: 30_000 });
  await page.waitForFunction(() => Math.abs((window.freeplay?.state.time ?? 0) - 0.5) < 0.01);
  assert.deepEqual(problems, []);
  await close();
  watching.kill("SIGINT");
  await new Promise((resolve) => watching.on("exit", resolve));
});
