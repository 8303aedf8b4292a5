// SPDX-License-Identifier: Apache-2.0
// What the browser tests share: results made by the program itself, and a browser that may not use
// the network.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

export const root = resolve(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../..");
export const program = process.env.FREEPLAY ?? join(root, "build/release/bin/freeplay");
export const browserPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

export const scratch = mkdtempSync(join(tmpdir(), "freeplay-web-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

export function freeplay(...args) {
  return execFileSync(program, args, { cwd: scratch, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 28 });
}

/** A shipped model with ideal joints, or with play in one of them if a table is given, and changes as --set takes them; its result. */
export function simulate(name, model, { joint, clearance, set = [] } = {}) {
  let text = readFileSync(join(root, "mechanisms", `${model}.toml`), "utf8");
  text = text.replace(/\n\[joints\.\w+\.clearance\][^[]*(?=\n\[)/g, "\n");
  if (clearance) text += `\n[joints.${joint}.clearance]\n${clearance}\n`;
  writeFileSync(join(scratch, `${name}.toml`), text);
  freeplay("run", `./${name}.toml`, "-o", `${name}.h5`, "--quiet", ...set.flatMap((s) => ["--set", s]));
  return join(scratch, `${name}.h5`);
}

export const BALL = `socket_radius = "10 mm"
ball_radius = "9.8 mm"
material = { young = "207 GPa", poisson = 0.3 }
contact = { law = "lankarani-nikravesh", restitution = 0.9 }
friction = { law = "tanh", kinetic = 0.1, v1 = "1 mm/s" }`;
export const JOURNAL = (radius, radial) => `bearing_radius = "${radius}"
radial = "${radial}"
material = "steel"
contact = { law = "lankarani-nikravesh", restitution = 0.9 }`;

let browser;
export async function launch() {
  // Software rendering: the tests look the same with and without a graphics card.
  browser ??= await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
  return browser;
}
export async function quit() {
  await browser?.close();
}

/** Opens a page offline, until the mechanism (or the element `ready`) is there; collects whatever goes wrong in it. */
export async function open(file, { width = 1440, height = 900, colorScheme = "light", reducedMotion = "reduce", url, ready } = {}) {
  const context = await (await launch()).newContext({ viewport: { width, height }, colorScheme, reducedMotion, offline: !url });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (m) => {
    // Chromium tells about its own software rendering.
    if (m.type() === "error" || (m.type() === "warning" && !m.text().includes("GL Driver Message"))) problems.push(`${m.type()}: ${m.text()}`);
  });
  page.on("pageerror", (e) => problems.push(`exception: ${e.stack ?? e.message}`));
  page.on("request", (r) => {
    const wanted = url ? r.url().startsWith(new URL(url).origin) : r.url().startsWith("file:");
    if (!wanted && !/^(blob|data):/.test(r.url())) problems.push(`request: ${r.url()}`);
  });
  page.on("dialog", (d) => {
    problems.push(`dialog: ${d.message()}`);
    void d.dismiss();
  });
  await page.goto(url ?? `file://${file}`);
  await page.waitForFunction((drawn) => (drawn ? document.querySelector(drawn) : document.querySelector(".scene")?.dataset.drawn), ready, { timeout: 60_000 });
  return { page, problems, close: () => context.close() };
}

/** Where screenshots go, for people to look at. */
export function pictureFolder() {
  const folder = process.env.FREEPLAY_PICTURES ?? join(scratch, "pictures");
  mkdirSync(folder, { recursive: true });
  return folder;
}
