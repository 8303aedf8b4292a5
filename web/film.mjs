// SPDX-License-Identifier: Apache-2.0
// The moving picture of README.md: presses the button GIF of a report, as a reader of it would.
//
//   node web/film.mjs REPORT.html OUT.gif [SECONDS]     SECONDS: how long one pass lasts, default 6
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { chromium } from "playwright-core";

const [report, out, seconds = "6"] = process.argv.slice(2);
if (!report || !out) {
  console.error("usage: node web/film.mjs REPORT.html OUT.gif [SECONDS]");
  process.exit(2);
}
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
const context = await browser.newContext({ viewport: { width: 1300, height: 760 }, reducedMotion: "reduce", colorScheme: "light", offline: true });
const page = await context.newPage();
await page.goto(`file://${resolve(report)}`);
await page.waitForFunction(() => document.querySelector(".scene")?.dataset.drawn);
await page.evaluate((s) => (window.freeplay.state.speed = window.freeplay.state.duration / s), Number(seconds));
const [film] = await Promise.all([page.waitForEvent("download", { timeout: 600_000 }), page.locator('.scene button:text-is("GIF")').click()]);
await film.saveAs(out);
await browser.close();
const bytes = readFileSync(out);
console.log(`${out}: ${bytes.length} bytes, sha256 ${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}`);
