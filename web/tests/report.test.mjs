// SPDX-License-Identifier: Apache-2.0
// The report in a real browser: the page that `freeplay report` writes, opened offline.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { BALL, freeplay, JOURNAL, open, pictureFolder, quit, root, scratch, simulate } from "./browser.mjs";

let dry;
let press;
before(() => {
  simulate("ideal", "spatial_four_bar");
  dry = simulate("dry", "spatial_four_bar", { joint: "ball", clearance: BALL });
  freeplay("report", "ideal.h5", "dry.h5", "-o", "four_bar.html");
  simulate("press_ideal", "press");
  press = simulate("press_dry", "press", { joint: "pin", clearance: JOURNAL("70 mm", "0.1 mm") });
  freeplay("report", "press_dry.h5", "press_ideal.h5", "-o", "press.html");
});
after(quit);

const seek = (page, time) => page.evaluate((t) => window.freeplay.state.seek(t), time);
const clock = (page) => page.evaluate(() => Number(document.querySelector(".clock").dataset.time));

/** A number as the page prints it: decimals and exponent of the shown text, value of `get`. */
function inTheSameDigits(shown, value) {
  const text = shown.replace(/−/g, "-");
  const [mantissa, exponent = "0"] = text.split("e");
  const decimals = (mantissa.split(".")[1] ?? "").length;
  const digits = (value / 10 ** Number(exponent)).toFixed(decimals);
  const plain = /^-0\.?0*$/.test(digits) ? digits.slice(1) : digits;
  return [text, exponent === "0" ? plain : `${plain}e${exponent}`];
}

/** The stored value. The audit is what rounding leaves of large numbers: `--at` integrates anew and leaves another rest. */
function storedAt(result, series, time) {
  for (const path of [series, `uniform/${series}`])
    for (const line of freeplay("get", result, path).split("\n")) {
      const [t, value] = line.split("\t").map(Number);
      if (Math.abs(t - time) <= 1e-14 * Math.abs(time)) return value;
    }
  assert.fail(`${series} is not stored at ${time}`);
}

test("opens quickly, in little space, without errors or network", async () => {
  assert.ok(statSync(join(root, "web/dist/report.html")).size < 1_000_000, "the page without data is under 1 MB");
  const times = [];
  for (let i = 0; i < 3; ++i) {
    const { page, problems, close } = await open(join(scratch, "four_bar.html"));
    times.push(await page.evaluate(() => Number(document.querySelector(".scene").dataset.drawn)));
    assert.deepEqual(problems, []);
    await close();
  }
  console.log(`time to first frame: ${times.map((t) => Math.round(t)).join(", ")} ms; page ${statSync(join(scratch, "four_bar.html")).size} bytes`);
  assert.ok(Math.min(...times) < 2000, `first frame after ${times} ms`);
});

for (const [name, body] of [
  ["four_bar", "rocker"],
  ["press", "main_slider"],
]) {
  test(`${name}: plays, and scrubbing moves body and cursor together`, async () => {
    const { page, problems, close } = await open(join(scratch, `${name}.html`));
    assert.equal(await clock(page), 0);
    await page.click("[aria-label=Play]");
    await page.waitForFunction(() => window.freeplay.state.frame > 5);
    await page.click("[aria-label=Pause]");
    const stopped = await clock(page);
    await page.waitForTimeout(150);
    assert.equal(await clock(page), stopped);

    let last;
    for (const share of [0.05, 0.3, 0.62]) {
      const slider = page.locator(".scrub");
      await slider.fill(String(Math.round(share * 1e6)));
      const seen = await page.evaluate((body) => {
        const { state, scene } = window.freeplay;
        const run = state.run;
        const position = run.channel(`bodies/${body}/position`);
        // Where the cursor of each drawn diagram stands, as a share of its time axis.
        const cursors = [...document.querySelectorAll(".plot .u-over")]
          .filter((over) => over.querySelector(".now"))
          .map((over) => new DOMMatrix(getComputedStyle(over.querySelector(".now")).transform).e / over.clientWidth);
        const shown = scene.main.bodies[run.model.bodies.findIndex((b) => b.name === body)].position;
        return { time: state.time, end: state.end, cursors, stored: [0, 1, 2].map((c) => (c < position.width ? position.at(c)[state.frame] : 0)), drawn: shown.toArray(), pixel: scene.bodyOnScreen(body) };
      }, body);
      assert.ok(Math.abs(seen.time / seen.end - share) < 0.01, `asked for ${share}, stands at ${seen.time / seen.end}`);
      assert.ok(seen.cursors.length >= 3);
      for (const c of seen.cursors) assert.ok(Math.abs(c - seen.time / seen.end) < 0.005, `cursor at ${c}, instant at ${seen.time / seen.end}`);
      assert.deepEqual(seen.drawn, seen.stored);
      if (last) assert.ok(Math.hypot(seen.pixel[0] - last[0], seen.pixel[1] - last[1]) > 1, "the body moved on the screen");
      last = seen.pixel;
    }
    assert.deepEqual(problems, []);
    await close();
  });
}

test("the numbers under the cursor are those of `freeplay get`", async () => {
  for (const [page_, result, instants] of [
    ["four_bar.html", dry, [0.01123, 0.0159, 0.5, 1.2345, 1.99]],
    ["press.html", press, [0.004, 0.1129, 0.25]],
  ]) {
    const { page, close } = await open(join(scratch, page_), { height: 3000 });
    await page.click(".menu summary");
    await page.click('.menu-body button:text-is("SI")');
    let compared = 0;
    for (const instant of instants) {
      await seek(page, instant);
      const time = await clock(page);
      const shown = await page.evaluate(() =>
        [...document.querySelectorAll("output[data-series]")].filter((o) => Number(o.dataset.run) === window.freeplay.state.primary && o.textContent).map((o) => [o.dataset.series, o.textContent]),
      );
      assert.ok(shown.length >= 8, `${shown.length} numbers are shown`);
      for (const [series, text] of shown) {
        assert.ok(!text.startsWith("≈"), `${series} is stored at this instant, not interpolated`);
        if (series.endsWith("/mode")) {
          const mode = Number(freeplay("get", result, series, "--at", String(time)));
          assert.equal(text, ["free flight", "impact", "following", "stick"][mode], `${series} at ${time}`);
          ++compared;
          continue;
        }
        const [is, wanted] = inTheSameDigits(text, series === "energy/residual" ? storedAt(result, series, time) : Number(freeplay("get", result, series, "--at", String(time))));
        assert.equal(is, wanted, `${series} at ${time}`);
        ++compared;
      }
    }
    console.log(`${page_}: ${compared} numbers equal`);
    await close();
  }
});

test("slot, guide and film are enlarged too, with the numbers of `freeplay get`", async () => {
  const PIN = `slot_radius = "10 mm"\nradial = "0.1 mm"\nmaterial = "steel"`;
  const GUIDE = `guide_width = "40 mm"\nslider_width = "39.6 mm"\nslider_length = "60 mm"\nmaterial = "steel"\ncorner_radius = "1 mm"\nform = "corner"`;
  const OIL = `${JOURNAL("10 mm", "0.5 mm")}\nbearing_length = "40 mm"\nfilm = { law = "reynolds", viscosity = "400 cP" }`;
  for (const [name, model, joint, clearance, set, instant, readouts] of [
    ["slot", "scotch_yoke", "slot", PIN, [], 0.0105, { normal_force: "normal_force", ratio: "ratio" }],
    ["guide", "engine", "cylinder", GUIDE, ["bodies.piston.inertia=2e-4", "simulation.duration=0.02"], 0.0101, { ratio: "ratio" }],
    ["oil", "slider_crank", "pin", OIL, ["simulation.duration=0.006"], 0.005, { film_thickness: "film_thickness", film_pressure: "film_pressure", ratio: "ratio" }],
  ]) {
    const result = simulate(name, model, { joint, clearance, set });
    freeplay("report", `${name}.h5`, "-o", `${name}.html`);
    const { page, problems, close } = await open(join(scratch, `${name}.html`));
    assert.match(await page.getAttribute(".joint-canvas canvas", "aria-label"), name === "oil" ? /inside the clearance/ : /between the walls/);
    await page.click(".menu summary");
    await page.click('.menu-body button:text-is("SI")');
    await seek(page, instant);
    const time = await clock(page);
    for (const [readout, leaf] of Object.entries(readouts)) {
      const text = (await page.textContent(`[data-readout=${readout}]`)).split(" ")[0];
      const [is, wanted] = inTheSameDigits(text, Number(freeplay("get", result, `joints/${joint}/${leaf}`, "--at", String(time))));
      assert.equal(is, wanted, `${name}: ${readout} at ${time}`);
    }
    // Something is drawn: not one colour only.
    const colours = await page.evaluate(() => {
      const c = document.querySelector(".joint-canvas canvas");
      return new Set(new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer)).size;
    });
    assert.ok(colours > 5, `${name}: ${colours} colours`);
    assert.deepEqual(problems, []);
    await close();
  }
});

test("keyboard", async () => {
  const { page, problems, close } = await open(join(scratch, "four_bar.html"));
  const frame = () => page.evaluate(() => window.freeplay.state.frame);
  await page.keyboard.press("ArrowRight");
  assert.equal(await frame(), 1);
  await page.keyboard.press("Shift+ArrowRight");
  assert.equal(await frame(), 11);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await frame(), 10);
  await page.keyboard.press("Home");
  assert.equal(await frame(), 0);
  await page.keyboard.press("e");
  const first = Number(freeplay("get", dry, "joints/ball/mode", "--at", String(await clock(page))));
  assert.ok(Number.isFinite(first));
  const touch = await page.evaluate(() => window.freeplay.state.run.events[0].time);
  assert.equal(await clock(page), touch, "the first event is a frame");
  await page.keyboard.press("End");
  assert.equal(await clock(page), 2);
  const speed = await page.evaluate(() => window.freeplay.state.speed);
  await page.keyboard.press("+");
  assert.ok((await page.evaluate(() => window.freeplay.state.speed)) > speed);
  await page.keyboard.press(" ");
  await page.waitForFunction(() => window.freeplay.state.playing);
  await page.keyboard.press(" ");
  await page.keyboard.press("d");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.keyboard.press("?");
  assert.ok(await page.isVisible("dialog.help"));
  await page.keyboard.press("Escape");
  // Everything can be reached by the tab key, and shows that it was.
  const reached = new Set();
  for (let i = 0; i < 60; ++i) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? ""));
  }
  assert.ok(reached.size > 20, `${reached.size} places in the tab order`);
  assert.deepEqual(problems, []);
  await close();
});

test("zoom, units, difference, export", async () => {
  const { page, problems, close } = await open(join(scratch, "four_bar.html"), { height: 1400 });
  // Dragging over one diagram zooms all of them; 0 and the button show everything again.
  const over = page.locator(".plot .u-over").first();
  const box = await over.boundingBox();
  await page.mouse.move(box.x + box.width * 0.25, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 60, { steps: 5 });
  await page.mouse.up();
  const zoom = await page.evaluate(() => window.freeplay.state.zoom);
  assert.ok(Math.abs(zoom[0] - 0.5) < 0.02 && Math.abs(zoom[1] - 1) < 0.02, `zoomed to ${zoom}`);
  assert.ok(await page.isVisible(".zoom-out"));
  await page.keyboard.press("0");
  assert.equal(await page.evaluate(() => window.freeplay.state.zoom), null);
  // A click goes there.
  await page.mouse.click(box.x + box.width * 0.75, box.y + 40);
  assert.ok(Math.abs((await clock(page)) - 1.5) < 0.02);

  const reading = () => page.locator('output[data-series="bodies/rocker/position.x"][data-run="1"]').first().textContent();
  const number = (text) => Number(text.replace("−", "-"));
  await page.click(".menu summary");
  await page.click('.menu-body button:text-is("SI")');
  const metres = number(await reading());
  await page.click('.menu-body button:text-is("mm · deg · rpm")');
  assert.ok(Math.abs(number(await reading()) / 1000 - metres) < 1e-6);

  // The difference from the ideal mechanism is what the values differ by.
  const value = await page.evaluate(() => {
    const { state, runs } = window.freeplay;
    const at = (r) => runs[r].channel("bodies/rocker/position").at(0)[runs[r].frameAt(state.time)];
    return (at(1) - at(0)) * 1000;
  });
  await page.keyboard.press("Escape");
  await page.locator(".results select").selectOption("0");
  const shown = number((await reading()).replace("≈ ", ""));
  assert.ok(Math.abs(shown - value) < 1e-3, `shown ${shown}, should be ${value}`);
  await page.locator(".results select").selectOption("-1");

  for (const [label, check] of [
    ["SVG", (bytes) => bytes.toString().startsWith("<?xml") && bytes.toString().includes("time, ms")],
    ["PNG", (bytes) => bytes.subarray(1, 4).toString() === "PNG"],
  ]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`.plot button:text-is("${label}")`).first().click()]);
    const file = join(scratch, download.suggestedFilename());
    await download.saveAs(file);
    assert.ok(check(readFileSync(file)), `${label} export`);
    assert.match(download.suggestedFilename(), /^Position_of_rocker\.(svg|png)$/);
  }
  assert.deepEqual(problems, []);
  await close();
});

test("dark and light are readable", async () => {
  const luminance = ([r, g, b]) => {
    const f = (x) => (x / 255 <= 0.03928 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
  };
  const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  for (const colorScheme of ["light", "dark"]) {
    const { page, problems, close } = await open(join(scratch, "press.html"), { colorScheme });
    const rgb = (name) =>
      page.evaluate((n) => {
        const probe = document.createElement("i");
        probe.style.color = `var(--${n})`;
        document.body.append(probe);
        const c = getComputedStyle(probe).color.match(/\d+/g).slice(0, 3).map(Number);
        probe.remove();
        return c;
      }, name);
    const paper = await rgb("paper");
    assert.ok(contrast(await rgb("ink"), paper) >= 7);
    for (const soft of ["ink-soft", "good", "bad", "accent"]) assert.ok(contrast(await rgb(soft), paper) >= 4.5, `${soft} on paper, ${colorScheme}`);
    assert.ok(contrast(await rgb("ink-soft"), await rgb("page")) >= 4.5);
    await seek(page, 0.1129);
    await page.waitForTimeout(200);
    await page.screenshot({ path: join(pictureFolder(), `press_${colorScheme}.png`) });
    assert.deepEqual(problems, []);
    await close();
  }
});

test("fits a phone, and paper", async () => {
  const { page, problems, close } = await open(join(scratch, "four_bar.html"), { width: 360, height: 740 });
  const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.equal(wide[0], wide[1], "nothing sticks out to the right");
  const bar = await page.locator(".transport").boundingBox();
  assert.ok(bar.y + bar.height <= 741 && bar.height < 120);
  for (const button of await page.locator(".transport button:visible").all()) {
    const b = await button.boundingBox();
    assert.ok(b.width >= 36 && b.height >= 36, "fingers hit the buttons");
  }
  await page.screenshot({ path: join(pictureFolder(), "four_bar_phone.png") });
  const pdf = await page.pdf({ format: "A4" });
  assert.ok(pdf.length > 50_000);
  writeFileSync(join(pictureFolder(), "four_bar.pdf"), pdf);
  assert.deepEqual(problems, []);
  await close();
});

test("names are text, never markup", async () => {
  const name = "<script>window.hacked=1</script><img src=x onerror=window.hacked=2>";
  const body = "<b onclick=x>&amp;'body";
  writeFileSync(
    join(scratch, "evil.toml"),
    `[mechanism]\nname = ${JSON.stringify(name)}\nplanar = true\ngravity = [0, -9.81]\n# </script><script>window.hacked=3</script>\n` +
      `[bodies."${body}"]\nmass = 1\ninertia = "1/48"\nposition = [0.25, 0]\n` +
      `[joints."<img src=x onerror=alert(4)>"]\ntype = "revolute"\nbodies = ["ground", "${body}"]\nat = [0, 0]\n` +
      `[simulation]\nduration = 1\noutput = "10 ms"\n`,
  );
  freeplay("run", "evil.toml", "-o", "evil<i>.h5", "--quiet");
  freeplay("report", "evil<i>.h5", "-o", "evil.html");
  const { page, problems, close } = await open(join(scratch, "evil.html"), { height: 3000 });
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.textContent("h1"), name);
  assert.equal(await page.evaluate(() => document.querySelectorAll("main img, main b").length), 0);
  assert.deepEqual(problems, []);
  await close();
});

test("an incomplete result says so", async () => {
  // A crank longer than its rod locks: the run ends early and keeps what it has.
  const model = readFileSync(join(root, "mechanisms/slider_crank.toml"), "utf8").replace('rod_length   = "120 mm"', 'rod_length   = "40 mm"').replace('"5000 rpm"', '"60 rpm"').replace('"24 ms"', '"1 s"').replace('"20 us"', '"1 ms"');
  writeFileSync(join(scratch, "locks.toml"), model);
  assert.throws(() => freeplay("run", "locks.toml", "-o", "locks.h5", "--set", "joints.pin.clearance=false", "--quiet"));
  freeplay("report", "locks.partial.h5", "-o", "locks.html");
  const { page, problems, close } = await open(join(scratch, "locks.html"));
  assert.match(await page.textContent("[role=alert]"), /incomplete/);
  assert.match(await page.textContent("#trust"), /✗/);
  assert.deepEqual(problems, []);
  await close();
});

test("converged is said only of what a finer run agrees with, and commands carry what was set", async () => {
  // A journal that falls through its clearance: in contact at 12 ms. The name has every kind of quote.
  writeFileSync(
    join(scratch, "drop.toml"),
    `[mechanism]\nplanar = true\ngravity = [0, -9.81]\n[bodies.shaft]\nmass = 1\ninertia = 1e-3\n` +
      `[joints.bearing]\ntype = "revolute"\nbodies = ["ground", "shaft"]\nat = [0, 0]\n` +
      `[joints.bearing.clearance]\nbearing_radius = "10 mm"\nradial = "0.5 mm"\ncontact = { law = "hertz", stiffness = "1e8 N/m^1.5" }\n` +
      `[simulation]\nduration = "12 ms"\n`,
  );
  const name = `mechanism.name="it's \\"so\\""`;
  freeplay("run", "drop.toml", "-o", "plain.h5", "--set", name, "--tolerance", "1e-8", "--quiet");
  freeplay("run", "drop.toml", "-o", "sure.h5", "--trust", "--quiet");
  freeplay("run", "drop.toml", "-o", "loose.h5", "--tolerance", "1e-4", "--duration", "2", "--trust", "--quiet");
  freeplay("report", "plain.h5", "sure.h5", "loose.h5", "-o", "trust.html");
  const { page, problems, close } = await open(join(scratch, "trust.html"));
  const row = await page.$$eval("#trust tbody tr", (rows) => rows.map((r) => [...r.children].map((c) => c.textContent)).find((r) => r[0] === "convergence"));
  assert.match(row[1], /^not checked; find out with freeplay converge drop\.toml --set '/);
  assert.ok(row[1].endsWith(`--set '${name.replace("'", "'\\''")}' --tolerance 1e-8`), row[1]);
  assert.match(row[2], /^✓ converged to the end: at most \S+ m and \S+ rad from a run at tolerance 1\.0e−10$/);
  assert.match(row[3], /^✗ converged until \S+ s only/);
  assert.doesNotMatch(await page.textContent("#trust tbody tr"), /converged/); // the status
  assert.match(await page.textContent("#contacts"), /1 contacts?, from touch to separation \(1 still open at the end of the run\)/);
  assert.deepEqual(problems, []);
  await close();
});

/** A model as text, run and shown; its page. */
async function shown(name, text, options = {}) {
  writeFileSync(join(scratch, `${name}.toml`), text);
  freeplay("run", `${name}.toml`, "-o", `${name}.h5`, "--quiet");
  freeplay("report", `${name}.h5`, "-o", `${name}.html`);
  return open(join(scratch, `${name}.html`), options);
}

/** Corners of a cube as text STL, each side of it as n x n squares. */
function cube(edge, n) {
  const out = ["solid cube"];
  const put = (...corners) => out.push("facet normal 0 0 0", "outer loop", ...corners.map((c) => `vertex ${c.join(" ")}`), "endloop", "endfacet");
  for (let axis = 0; axis < 3; ++axis)
    for (const side of [0, 1])
      for (let i = 0; i < n; ++i)
        for (let j = 0; j < n; ++j) {
          const at = (u, v) => {
            const p = [0, 0, 0];
            p[axis] = side * edge;
            p[(axis + 1) % 3] = (edge * (i + u)) / n;
            p[(axis + 2) % 3] = (edge * (j + v)) / n;
            return p;
          };
          const square = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
          if (!side) square.reverse();
          put(square[0], square[1], square[2]);
          put(square[0], square[2], square[3]);
        }
  return [...out, "endsolid"].join("\n");
}

test("shapes are drawn where the model puts them, in their colours, and large surfaces say that they are coarser", async () => {
  writeFileSync(join(scratch, "cube.stl"), cube(0.1, 100));
  const { page, problems, close } = await shown(
    "shaped",
    `[mechanism]\ngravity = [0, 0, -9.81]\n[bodies.arm]\ndensity = 7850\nshape = [{ box = [0.3, 0.04, 0.02], at = [0.15, 0, 0], colour = "#ff0000" }, ` +
      `{ cylinder = { diameter = 0.06, bore = 0.03, length = 0.08 }, colour = "brass" }, { capsule = { diameter = 0.02, length = 0.1 }, at = [0.3, 0, 0], axis = [0, 1, 0] }, ` +
      `{ plate = { corners = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]], thickness = 0.01 } }, { sphere = 0.05, at = [0.3, 0, 0] }]\n` +
      `[bodies.block]\nmass = 1\ninertia = [1e-3, 1e-3, 1e-3]\nposition = [0.3, 0, 0.5]\nshape = { file = "cube.stl", unit = "m", at = [0.25, -0.05, 0.45] }\n` +
      `[joints.pin]\ntype = "revolute"\nbodies = ["ground", "arm"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\nspeed = 1\n[simulation]\nduration = 0.1\n`,
  );
  const seen = await page.evaluate(() => {
    const { scene, state } = window.freeplay;
    state.setFrame(0);
    const boxes = scene.main.bodies.map((group) =>
      group.children.map((mesh) => {
        mesh.geometry.computeBoundingBox();
        const { min, max } = mesh.geometry.boundingBox;
        return { colour: mesh.material.color.getHexString(), low: min.toArray().map((x, i) => x + group.position.toArray()[i]), high: max.toArray().map((x, i) => x + group.position.toArray()[i]) };
      }),
    );
    return { boxes, notes: document.querySelector(".scene .caption").textContent, size: document.getElementById("data").textContent.length };
  });
  const near = (a, b) => a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) < 2e-3, `${a} against ${b}`));
  const [, arm, block] = seen.boxes;
  near(arm[0].low, [0, -0.02, -0.01]);
  near(arm[0].high, [0.3, 0.02, 0.01]);
  assert.equal(arm[0].colour, "ff0000");
  near(arm[1].low, [-0.03, -0.03, -0.04]);
  near(arm[1].high, [0.03, 0.03, 0.04]);
  near(arm[2].low, [0.29, -0.06, -0.01]);
  near(arm[3].high, [0.1, 0.1, 0.005]);
  near(arm[4].low, [0.275, -0.025, -0.025]);
  near(block[0].low, [0.25, -0.05, 0.45]);
  near(block[0].high, [0.35, 0.05, 0.55]);
  const [, drawn, whole] = /The surface of block is drawn with (\d+) of its (\d+) triangles/.exec(seen.notes);
  assert.equal(Number(whole), 120000);
  assert.ok(drawn <= 40000 && drawn > 20000, `${drawn} triangles`);
  assert.ok(statSync(join(scratch, "shaped.html")).size < 4_000_000);
  assert.deepEqual(problems, []);
  await close();
});

const BENT = `[mechanism]
planar = true
gravity = [0, -9.81]
[points]
O = [0, 0]
A = ["50 mm", 0]
B = ["350 mm", 0]
[bodies]
crank  = { link = ["O", "A"], mass = 0.4 }
slider = { position = "B", mass = 0.5, inertia = 2e-4 }
[bodies.rod.flexible]
from = "A"
to = "B"
section = { width = "15 mm", height = "15 mm" }
material = "steel"
[joints]
bearing = { type = "revolute", bodies = ["ground", "crank"], at = "O", drive = { speed = "1500 rpm" } }
crank_pin = { type = "revolute", bodies = ["crank", "rod"], at = "A" }
pin = { type = "revolute", bodies = ["slider", "rod"], at = "B" }
guide = { type = "prismatic", bodies = ["ground", "slider"], at = "B", axis = [1, 0] }
[simulation]
duration = "40 ms"
`;

test("a body that bends is drawn bent by the stated factor, its joints where they are, and its moment along the axis", async () => {
  const { page, problems, close } = await shown("bent", BENT);
  assert.match(await page.textContent(".scene .caption"), /^Bending of rod is drawn ×\d+\.$/);
  await seek(page, 0.0123);
  // The farthest point of the axis from the straight line, drawn at two factors; the ends.
  const drawn = (factor) =>
    page.evaluate((m) => {
      const { scene, state } = window.freeplay;
      const beam = scene.main.beams[0].beam;
      const points = beam.axis(state.frame, m).map((p) => p.toArray());
      return { ends: [points[0], points.at(-1)], off: points.map((p) => p[1]), places: beam.places, moment: [...beam.moment(state.frame)], stress: Math.max(...beam.stress(state.frame)) };
    }, factor);
  const [one, hundred] = [await drawn(1), await drawn(100)];
  assert.deepEqual(one.ends[0], hundred.ends[0]);
  for (let i = 0; i < 2; ++i) assert.ok(Math.abs(one.ends[1][i] - hundred.ends[1][i]) < 1e-12);
  const sag = (d) => d.off[Math.floor(d.places / 2)] - (d.off[0] + d.off.at(-1)) / 2;
  assert.ok(Math.abs(sag(one)) > 1e-7);
  assert.ok(Math.abs(sag(hundred) / sag(one) - 100) < 1e-6);
  // What the page says is what the program says.
  const time = await clock(page);
  const told = freeplay("get", "bent.h5", "bodies/rod/stress", "--at", String(time));
  assert.ok(Math.abs(one.stress / Number(told) - 1) < 1e-6, `${one.stress} and ${told}`);
  assert.equal(await page.locator("#beams .plot").count(), 4);
  // Another factor is chosen and said.
  await page.locator(".scene select").nth(1).selectOption("5");
  assert.match(await page.textContent(".scene .caption"), /×5\.$/);
  await page.screenshot({ path: join(pictureFolder(), "bent.png") });
  assert.deepEqual(problems, []);
  await close();
});

test("the toggle press opens on its ram, and what is drawn hides nothing", async () => {
  freeplay("run", join(root, "examples/12_machines/toggle_press.toml"), "-o", "toggle.h5", "--quiet", "--duration", "0.2");
  freeplay("report", "toggle.h5", "-o", "toggle.html");
  const { page, problems, close } = await open(join(scratch, "toggle.html"));
  assert.equal(await page.locator("#motion select").first().inputValue(), "bodies/ram");
  assert.equal(await page.locator(".scene select").first().inputValue(), "bodies/ram");
  // Bodies that a pin joins lie in different layers.
  const layers = await page.evaluate(() => {
    const { scene, state } = window.freeplay;
    return state.run.model.joints.map((j) => [j.first.body, j.second.body].map((b) => scene.sizes.height(b)));
  });
  for (const [a, b] of layers) assert.notEqual(a, b);
  assert.deepEqual(problems, []);
  await close();
});

test("markers are traced, modes have words and colours of their own", async () => {
  freeplay("run", join(root, "examples/12_machines/jansen_leg.toml"), "-o", "leg.h5", "--quiet", "--duration", "0.1");
  freeplay("report", "leg.h5", "-o", "leg.html");
  const { page, problems, close } = await open(join(scratch, "leg.html"), { height: 2600 });
  const marker = await page.evaluate(() => window.freeplay.state.run.model.markers[0].name);
  await page.locator(".scene select").first().selectOption(`markers/${marker}`);
  const [first, stored] = await page.evaluate((name) => {
    const { scene, state } = window.freeplay;
    const at = scene.trace.children[0].geometry.getAttribute("position");
    const channel = state.run.channel(`markers/${name}/position`);
    return [[at.getX(0), at.getY(0)], [channel.at(0)[0], channel.at(1)[0]]];
  }, marker);
  for (let i = 0; i < 2; ++i) assert.ok(Math.abs(first[i] - stored[i]) < 1e-6);
  const words = ["free flight", "impact", "following", "stick"];
  const mode = await page.locator('#joint output[data-series$="/mode"]').first().textContent();
  assert.ok(words.includes(mode), mode);
  // No two colours of results and modes look alike.
  const palettes = await page.evaluate(() => window.freeplay.palettes);
  const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
  for (const [results, modes] of [[palettes.light, palettes.modesLight], [palettes.dark, palettes.modesDark]])
    for (const a of results) for (const b of modes) assert.ok(Math.hypot(...rgb(a).map((x, i) => x - rgb(b)[i])) > 40, `${a} and ${b}`);
  assert.deepEqual(problems, []);
  await close();
});

test("the wheel zooms every diagram, but not for those who only scroll past", async () => {
  const { page, problems, close } = await open(join(scratch, "press.html"));
  const over = page.locator("#motion .u-over").first();
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2);
  await page.mouse.wheel(0, -300);
  await page.waitForFunction(() => window.freeplay.state.zoom);
  const [from, to] = await page.evaluate(() => window.freeplay.state.zoom);
  const { begin, end } = await page.evaluate(() => ({ begin: window.freeplay.state.begin, end: window.freeplay.state.end }));
  assert.ok(Math.abs((from + to) / 2 - (begin + end) / 2) < 0.05 * (end - begin), "about the pointer");
  for (let i = 0; i < 4; ++i) await page.mouse.wheel(0, 300);
  await page.waitForFunction(() => window.freeplay.state.zoom === null);
  // The page is scrolled with the pointer at rest: it goes on scrolling.
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForTimeout(100);
  await page.mouse.wheel(0, 200);
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => window.freeplay.state.zoom), null);

  // The enlarged joint, and a diagram of one series against another.
  await page.evaluate(() => scrollTo(0, 0));
  const joint = await page.locator(".joint-canvas canvas").boundingBox();
  await page.mouse.move(joint.x + joint.width * 0.3, joint.y + joint.height * 0.3);
  await page.mouse.move(joint.x + joint.width * 0.4, joint.y + joint.height * 0.4);
  await page.mouse.wheel(0, -250);
  await page.waitForFunction(() => window.freeplay.joint.zoom > 1.5);
  await page.mouse.dblclick(joint.x + joint.width * 0.4, joint.y + joint.height * 0.4);
  assert.equal(await page.evaluate(() => window.freeplay.joint.zoom), 1);
  const phase = page.locator('[data-plot="Phase portrait"] canvas');
  await phase.scrollIntoViewIfNeeded();
  const before = await phase.evaluate((c) => c.toDataURL());
  const at = await phase.boundingBox();
  await page.mouse.move(at.x + at.width * 0.5, at.y + at.height * 0.5);
  await page.mouse.move(at.x + at.width * 0.55, at.y + at.height * 0.5);
  await page.mouse.wheel(0, -300);
  await page.waitForTimeout(200);
  assert.notEqual(await phase.evaluate((c) => c.toDataURL()), before);
  await page.mouse.dblclick(at.x + at.width * 0.55, at.y + at.height * 0.5);
  assert.equal(await phase.evaluate((c) => c.toDataURL()), before);
  assert.deepEqual(problems, []);
  await close();
});

test("an orbit has its clearance circle and equal axes", async () => {
  const { page, problems, close } = await open(join(scratch, "press.html"));
  await page.locator('[data-plot="Phase portrait"] select').first().selectOption({ label: "orbit in pin" });
  const plot = page.locator('[data-plot="Phase portrait"]');
  await plot.scrollIntoViewIfNeeded();
  await plot.locator(".plot-title", { hasText: /^Orbit in pin$/ }).waitFor({ timeout: 10_000 }); // drawn when it is seen
  const [download] = await Promise.all([page.waitForEvent("download"), plot.locator('button:text-is("SVG")').click()]);
  await download.saveAs(join(scratch, "orbit.svg"));
  const svg = readFileSync(join(scratch, "orbit.svg"), "utf8");
  assert.match(svg, />clearance</);
  // The dashed circle is as high as it is wide.
  const circle = [...svg.matchAll(/<path d="([^"]*)"[^>]*stroke-dasharray="4 4"/g)].map((m) => m[1]).sort((a, b) => b.length - a.length)[0];
  const points = [...circle.matchAll(/[ML]([-\d.]+) ([-\d.]+)/g)].map((m) => [Number(m[1]), Number(m[2])]);
  const extent = (k) => Math.max(...points.map((p) => p[k])) - Math.min(...points.map((p) => p[k]));
  assert.ok(points.length > 100 && Math.abs(extent(0) / extent(1) - 1) < 0.002, `${extent(0)} by ${extent(1)}`);
  assert.deepEqual(problems, []);
  await close();
});

test("nothing is blank in a picture of the whole page, on paper or as a film", async () => {
  const { page, problems, close } = await open(join(scratch, "press.html"));
  await page.waitForFunction(() => document.documentElement.hasAttribute("data-drawn"), undefined, { timeout: 30_000 });
  const blank = () =>
    page.evaluate(() =>
      [...document.querySelectorAll(".plot")].filter((plot) => {
        const canvas = plot.querySelector("canvas");
        if (!canvas || !canvas.width) return true;
        const copy = document.createElement("canvas");
        [copy.width, copy.height] = [canvas.width, canvas.height];
        const context = copy.getContext("2d", { willReadFrequently: true });
        context.drawImage(canvas, 0, 0);
        return new Set(new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer)).size < 4;
      }).map((plot) => plot.dataset.plot),
    );
  assert.ok((await page.locator(".plot").count()) > 12);
  assert.deepEqual(await blank(), []);
  await page.screenshot({ path: join(pictureFolder(), "press_whole.png"), fullPage: true });
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  assert.deepEqual(await blank(), []);
  assert.equal(await page.locator(".transport").isVisible(), false);
  await page.emulateMedia({ media: "screen" });

  // Faster than life, so that the test is short.
  await page.evaluate(() => (window.freeplay.state.speed = window.freeplay.state.duration));
  const [download] = await Promise.all([page.waitForEvent("download", { timeout: 30_000 }), page.locator('.scene button:text-is("Film")').click()]);
  assert.equal(download.suggestedFilename(), "mechanism.webm");
  await download.saveAs(join(scratch, "mechanism.webm"));
  const film = readFileSync(join(scratch, "mechanism.webm"));
  assert.ok(film.length > 5000 && film.readUInt32BE(0) === 0x1a45dfa3, "EBML");
  assert.deepEqual(problems, []);
  await close();
});

test("a joint that is ideal in one result shows first what both have; strangers are refused", async () => {
  const { page, problems, close } = await open(join(scratch, "press.html"));
  await page.waitForFunction(() => {  // drawn a frame after the page is there
    const first = document.querySelector("#joint .plot");
    return first?.dataset.plot === "Reaction force in pin" && first.querySelectorAll("output").length === 2;
  }, undefined, { timeout: 10_000 });
  assert.throws(() => freeplay("report", "press_dry.h5", "dry.h5", "-o", "strangers.html"), (e) => e.status === 2);
  assert.deepEqual(problems, []);
  await close();
});
