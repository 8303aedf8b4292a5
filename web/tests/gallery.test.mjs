// SPDX-License-Identifier: Apache-2.0
// The report of every shipped model at the size of a desk and of a phone: opens without a complaint,
// fits the window, and shows something. FREEPLAY_PICTURES=DIR keeps the pictures, to be looked at: the window at
// either size, and mechanism and joint alone, as the pages of the examples show them.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { freeplay, open, pictureFolder, quit, root, scratch } from "./browser.mjs";

after(quit);

const SIZES = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const only = process.env.FREEPLAY_GALLERY; // part of a name

/** Model files: those with bodies, or that include such, and are meant to work. */
function models() {
  const isModel = (text) => /^(\[+bodies|include)/m.test(text) && !/^(kind|model)\b/m.test(text);
  const out = [];
  const folders = ["mechanisms", ...readdirSync(join(root, "examples")).filter((d) => /^\d/.test(d)).map((d) => join("examples", d))];
  for (const folder of folders)
    for (const file of readdirSync(join(root, folder)))
      if (file.endsWith(".toml") && file !== "mistakes.toml" && isModel(readFileSync(join(root, folder, file), "utf8"))) out.push(join(folder, file));
  return out.filter((f) => !only || f.includes(only));
}

for (const file of models())
  test(file, async () => {
    const name = `${file.startsWith("mechanisms") ? "" : `${basename(join(file, "..")).slice(0, 2)}_`}${basename(file, ".toml")}`;
    freeplay("run", join(root, file), "-o", `${name}.h5`, "--quiet");
    freeplay("report", `${name}.h5`, "-o", `${name}.html`);
    for (const [size, window] of Object.entries(SIZES)) {
      const { page, problems, close } = await open(join(scratch, `${name}.html`), window);
      await page.evaluate(() => {
        const { state } = globalThis.freeplay;
        state.setFrame(Math.floor(0.37 * state.run.frames));
      });
      await page.waitForTimeout(300);
      const seen = await page.evaluate(() => {
        const canvas = document.querySelector(".scene canvas");
        const copy = new OffscreenCanvas(canvas.width, canvas.height);
        const context = copy.getContext("2d");
        context.drawImage(canvas, 0, 0);
        const colours = new Set(new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer)).size;
        return { colours, wide: document.documentElement.scrollWidth, inner: innerWidth };
      });
      await page.screenshot({ path: join(pictureFolder(), `${name}_${size}.jpg`), type: "jpeg", quality: 80 });
      if (size === "desk") await page.locator(".stage").screenshot({ path: join(pictureFolder(), `${name}.jpg`), type: "jpeg", quality: 72 });
      assert.equal(seen.wide, seen.inner, `${name}, ${size}: nothing sticks out to the right`);
      assert.ok(seen.colours > 50, `${name}, ${size}: ${seen.colours} colours`);
      assert.deepEqual(problems, [], `${name}, ${size}`);
      await close();
    }
  });
