// SPDX-License-Identifier: Apache-2.0
// What readers take along from a report: films, models for other programs, figures; and the views of
// joints that are neither round nor straight.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { freeplay, JOURNAL, open, pictureFolder, quit, scratch, simulate } from "./browser.mjs";

before(() => {
  simulate("dry", "slider_crank", { joint: "pin", clearance: JOURNAL("10 mm", "0.5 mm"), set: ["simulation.duration=0.012"] });
  freeplay("report", "dry.h5", "-o", "dry.html");
});
after(quit);

async function take(page, selector, name) {
  const [download] = await Promise.all([page.waitForEvent("download", { timeout: 120_000 }), page.locator(selector).first().click()]);
  assert.equal(download.suggestedFilename(), name);
  const file = join(scratch, name);
  await download.saveAs(file);
  return readFileSync(file);
}

test("a GIF shows the instants it says, in colours close to those on the screen", async () => {
  const { page, problems, close } = await open(join(scratch, "dry.html"), { width: 900, height: 700 });
  await page.evaluate(() => (window.freeplay.state.speed = window.freeplay.state.duration / 0.6)); // twelve pictures
  const bytes = await take(page, '.scene button:text-is("GIF")', "mechanism.gif");
  assert.equal(bytes.subarray(0, 6).toString(), "GIF89a");
  assert.equal(bytes.at(-1), 0x3b);
  // Decoded by the browser; beside it what the button draws for the same instants.
  const seen = await page.evaluate(async (text) => {
    const decoder = new ImageDecoder({ data: Uint8Array.from(atob(text), (c) => c.charCodeAt(0)), type: "image/gif" });
    await decoder.tracks.ready;
    const count = decoder.tracks.selectedTrack.frameCount;
    const { state, scene } = window.freeplay;
    const frames = [];
    for (let i = 0; i < count; ++i) {
      const { image } = await decoder.decode({ frameIndex: i });
      const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
      const context = canvas.getContext("2d", { willReadFrequently: true });
      context.drawImage(image, 0, 0);
      const shown = context.getImageData(0, 0, canvas.width, canvas.height).data;
      state.seek(state.begin + (state.duration * i) / count);
      const source = scene.filmed.mechanism();
      const joint = scene.filmed.joint();
      const scale = Math.min(1, 800 / (source.width + joint.height * (source.height / joint.height)));
      context.drawImage(source, 0, 0, source.width * scale, source.height * scale);
      const wanted = context.getImageData(0, 0, canvas.width, canvas.height).data;
      // Of the mechanism, without the line of words below.
      let [sum, n] = [0, 0];
      for (let y = 0; y < canvas.height * 0.9; ++y)
        for (let x = 0; x < source.width * scale - 2; ++x, ++n) for (let k = 0; k < 3; ++k) sum += Math.abs(shown[4 * (y * canvas.width + x) + k] - wanted[4 * (y * canvas.width + x) + k]);
      frames.push({ duration: image.duration, error: sum / n / 3 });
    }
    return { count, frames };
  }, bytes.toString("base64"));
  assert.equal(seen.count, 12);
  for (const { duration, error } of seen.frames) {
    assert.equal(duration, 50_000); // microseconds
    assert.ok(error < 3, `mean error ${error} of 255`);
  }
  assert.deepEqual(problems, []);
  await close();
});

/** The file as another program reads it. */
const loaded = (bytes) => new Promise((done, failed) => new GLTFLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "", done, failed));

test("a glTF moves as the mechanism does, upright, and bends", async () => {
  writeFileSync(
    join(scratch, "bent.toml"),
    `[mechanism]\nplanar = true\ngravity = [0, -9.81]\n[points]\nO = [0, 0]\nA = ["50 mm", 0]\nB = ["350 mm", 0]\n[bodies]\ncrank = { link = ["O", "A"], mass = 0.4 }\nslider = { position = "B", mass = 0.5, inertia = 2e-4 }\n` +
      `[bodies.rod.flexible]\nfrom = "A"\nto = "B"\nsection = { width = "15 mm", height = "15 mm" }\nmaterial = "steel"\n[joints]\nbearing = { type = "revolute", bodies = ["ground", "crank"], at = "O", drive = { speed = "1500 rpm" } }\n` +
      `crank_pin = { type = "revolute", bodies = ["crank", "rod"], at = "A" }\npin = { type = "revolute", bodies = ["slider", "rod"], at = "B" }\nguide = { type = "prismatic", bodies = ["ground", "slider"], at = "B", axis = [1, 0] }\n[simulation]\nduration = "40 ms"\n`,
  );
  freeplay("run", "bent.toml", "-o", "bent.h5", "--quiet");
  freeplay("report", "bent.h5", "-o", "bent.html");
  for (const name of ["dry", "bent"]) {
    const { page, problems, close } = await open(join(scratch, `${name}.html`));
    const seconds = await page.evaluate(() => ((window.freeplay.state.speed = window.freeplay.state.duration / 4), window.freeplay.state.duration));
    const bytes = await take(page, '.scene button:text-is("glTF")', "mechanism.glb");
    const { scene, animations } = await loaded(bytes);
    assert.equal(animations.length, 1);
    assert.ok(Math.abs(animations[0].duration - 4) < 1e-3, "at the chosen speed");
    const mixer = new THREE.AnimationMixer(scene);
    mixer.clipAction(animations[0]).play();
    for (const key of [0, 10, 31, 77]) {
      const time = animations[0].tracks[0].times[key];
      mixer.setTime(time);
      scene.updateMatrixWorld(true);
      const wanted = await page.evaluate(
        ({ simulated, body }) => {
          const { state } = window.freeplay;
          const run = state.run;
          const frame = run.frameAt(state.begin + simulated);
          const r = run.channel(`bodies/${body}/position`);
          return [r.at(0)[frame], r.at(1)[frame]];
        },
        { simulated: (time / 4) * seconds, body: "slider" },
      );
      const at = new THREE.Vector3().setFromMatrixPosition(scene.getObjectByName("slider").matrixWorld);
      // Planar mechanisms stand upright already.
      assert.ok(Math.hypot(at.x - wanted[0], at.y - wanted[1]) < 1e-6, `${name}: slider at ${at.toArray()}, recorded at ${wanted}`);
    }
    const morphs = [];
    scene.traverse((o) => o.morphTargetInfluences && morphs.push(o));
    assert.equal(morphs.length, name === "bent" ? 1 : 0);
    if (morphs.length) {
      // At a key, the shape of that key alone.
      mixer.setTime(animations[0].tracks[0].times[20]);
      const weights = morphs[0].morphTargetInfluences;
      assert.ok(Math.abs(weights[20] - 1) < 1e-5 && Math.abs(weights.reduce((a, b) => a + b, 0) - 1) < 1e-5);
    }
    assert.deepEqual(problems, []);
    await close();
  }
});

test("what has z upwards stands upright in glTF", async () => {
  simulate("space", "spatial_slider_crank", { set: ["simulation.duration=0.05"] });
  freeplay("report", "space.h5", "-o", "space.html");
  const { page, problems, close } = await open(join(scratch, "space.html"));
  const gravity = await page.evaluate(() => window.freeplay.state.run.model.gravity);
  const { scene } = await loaded(await take(page, '.scene button:text-is("glTF")', "mechanism.glb"));
  const root = scene.getObjectByName("mechanism");
  const down = new THREE.Vector3(...gravity).normalize().applyQuaternion(root.quaternion);
  assert.ok(down.distanceTo(new THREE.Vector3(0, -1, 0)) < 1e-6, `${down.toArray()}`);
  assert.deepEqual(problems, []);
  await close();
});

test("figures as PDF: what a reader of PDF looks for, and the words of the diagram", async () => {
  const { page, problems, close } = await open(join(scratch, "dry.html"));
  const bytes = await take(page, '#motion .plot button:text-is("PDF")', "Position_of_slider.pdf");
  const text = bytes.toString("latin1");
  assert.ok(text.startsWith("%PDF-1.4\n") && text.endsWith("%%EOF\n"));
  const table = Number(/startxref\n(\d+)/.exec(text)[1]);
  assert.equal(text.slice(table, table + 4), "xref");
  const places = [...text.slice(table).matchAll(/(\d{10}) 00000 n/g)].map((m) => Number(m[1]));
  assert.ok(places.length >= 6);
  places.forEach((at, i) => assert.ok(text.startsWith(`${i + 1} 0 obj\n`, at), `object ${i + 1}`));
  const [, length] = /\/Length (\d+) >>\nstream\n/.exec(text);
  assert.equal(text.slice(text.indexOf("stream\n") + 7 + Number(length), text.indexOf("stream\n") + 7 + Number(length) + 10), "\nendstream");
  const words = [...text.matchAll(/\(((?:\\\d{3})*)\) Tj/g)].map((m) => m[1].replace(/\\(\d{3})/g, (_, c) => String.fromCharCode(parseInt(c, 8))));
  for (const word of ["time, ms", "Position of slider", "x"]) assert.ok(words.includes(word), `${word} in ${words}`);
  assert.equal((text.match(/ q /g) ?? []).length, (text.match(/ Q /g) ?? []).length);
  // A log axis has raised digits, which the letters of PDF lack: pictures of them.
  await page.waitForFunction(() => document.querySelector('[data-plot="Spectrum"] .plot-title')?.textContent);
  const spectrum = await take(page, '[data-plot="Spectrum"] button:text-is("PDF")', await page.evaluate(() => `${document.querySelector('[data-plot="Spectrum"] .plot-title').textContent.replace(/[^\p{L}\p{N}]+/gu, "_")}.pdf`));
  assert.ok(["/ImageMask true", "/I0 Do Q"].every((part) => spectrum.toString("latin1").includes(part)));
  assert.deepEqual(problems, []);
  await close();
});

const LAWS = `material = "steel"\ncontact = { law = "lankarani-nikravesh", restitution = 0.5 }`;
const ENLARGED = {
  tube: `[mechanism]\ngravity = [0, 0, -9.81]\n[bodies.box]\nmass = 1\ninertia = [1e-3, 2e-3, 2e-3]\nposition = [0, 0, 0]\n[joints.guide]\ntype = "prismatic"\nbodies = ["ground", "box"]\nat = [0, 0, 0]\naxis = [1, 0, 0]\n` +
    `[joints.guide.clearance]\nguide_width = "40.4 mm"\nslider_width = "40 mm"\nguide_height = "30.2 mm"\nslider_height = "30 mm"\nslider_length = "60 mm"\nmaterial = "steel"\ncontact = { law = "plane-face" }\n[simulation]\nduration = "20 ms"\n`,
  arc: `[mechanism]\nplanar = true\ngravity = [0, -9.81]\n[bodies.pin]\nmass = 0.1\ninertia = 1e-5\nposition = [0.1, 0]\n[joints.slot]\ntype = "distance"\nbodies = ["ground", "pin"]\nat = [[0, 0], [0.1, 0]]\n` +
    `[joints.slot.clearance]\nslot_radius = "5.1 mm"\npin_radius = "5 mm"\narc = { from = "-80 deg", to = "40 deg" }\n${LAWS}\n[simulation]\nduration = "0.3 s"\n`,
  ball_in_tube: `[mechanism]\ngravity = [0, 0, -9.81]\n[bodies.ball]\nmass = 0.1\ninertia = [1e-5, 1e-5, 1e-5]\nposition = [0, 0, 0]\n[joints.tube]\ntype = "point-on-line"\nbodies = ["ground", "ball"]\nat = [0, 0, 0]\naxis = [1, 0, 0]\n` +
    `[joints.tube.clearance]\nslot_radius = "5.2 mm"\npin_radius = "5 mm"\n${LAWS}\n[simulation]\nduration = "30 ms"\n`,
};
for (const [name, text] of Object.entries(ENLARGED))
  test(`${name} is enlarged, and the inner part stays within what is drawn`, async () => {
    writeFileSync(join(scratch, `${name}.toml`), text);
    freeplay("run", `${name}.toml`, "-o", `${name}.h5`, "--quiet");
    freeplay("report", `${name}.h5`, "-o", `${name}.html`);
    const { page, problems, close } = await open(join(scratch, `${name}.html`), { height: 1100 });
    assert.equal(await page.locator(".joint-view").isVisible(), true);
    const seen = await page.evaluate(() => {
      const { state, joint } = window.freeplay;
      const joint_name = joint.name;
      state.setFrame(Math.floor(state.run.frames * 0.7));
      const ratio = state.run.channel(`joints/${joint_name}/ratio`).at(0);
      const c = document.querySelector(".joint-canvas canvas");
      const most = (list) => Array.from(list).reduce((m, v) => Math.max(m, Math.abs(v)), 0);
      const { outer, inner, width, height } = joint.joint.clearance;
      // How far the drawn path goes, in units of the play.
      const far = joint.tube ? Math.max(most(joint.tube.centre[0]) / ((width[0] - width[1]) / 2), most(joint.tube.centre[1]) / ((height[0] - height[1]) / 2))
        : joint.sliding ? most(joint.sliding.across) / (outer - inner)
        : Array.from(joint.x, (x, i) => Math.hypot(x, joint.y[i])).reduce((m, v) => Math.max(m, v), 0) / (outer - inner);
      return { colours: new Set(new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer)).size, far, ratio: most(ratio), text: document.querySelector(".joint-view .caption").textContent };
    });
    assert.ok(seen.colours > 5);
    assert.ok(Math.abs(seen.far / seen.ratio - 1) < 1e-3, `drawn ${seen.far}, recorded ${seen.ratio}`);
    assert.match(seen.text, { tube: /box 40 mm × 30 mm in its tube/, arc: /arc of radius 100 mm is drawn straight/, ball_in_tube: /ball 5 mm in tube 5.2 mm/ }[name]);
    await page.locator(".joint-view").screenshot({ path: join(pictureFolder(), `${name}.png`) });
    assert.deepEqual(problems, []);
    await close();
  });

test("the pressure in a film over the unrolled bearing, where it was recorded", async () => {
  simulate("pressed", "slider_crank", {
    joint: "pin",
    clearance: `${JOURNAL("10 mm", "0.5 mm")}\nbearing_length = "40 mm"\nfilm = { law = "reynolds", viscosity = "400 cP", record_pressure = true, cells_around = 32, cells_along = 8 }`,
    set: ["simulation.duration=0.004"],
  });
  freeplay("report", "pressed.h5", "-o", "pressed.html");
  const { page, problems, close } = await open(join(scratch, "pressed.html"), { height: 1200 });
  const map = page.locator(".pressure-map");
  assert.ok(await map.isVisible());
  const spec = await page.evaluate(() => {
    const [p] = window.freeplay.state.run.pressure;
    window.freeplay.state.seek(p.time[Math.floor(p.time.length / 2)]);
    const k = Math.floor(p.time.length / 2);
    const nodes = p.around * p.along;
    return { around: p.around, along: p.along, time: p.time[k], values: [...window.freeplay.state.run.floats.subarray(p.values + k * nodes, p.values + (k + 1) * nodes)] };
  });
  assert.deepEqual([spec.around, spec.along], [32, 9]);
  // The very numbers of the result.
  const line = freeplay("get", "pressed.h5", "uniform/joints/pin/pressure").split("\n").find((l) => Math.abs(Number(l.split("\t")[0]) - spec.time) < 1e-12);
  const stored = line.split("\t").slice(1).map(Number);
  const most = Math.max(...stored);
  assert.ok(most > 0);
  stored.forEach((v, i) => assert.ok(Math.abs(v - spec.values[i]) <= 1e-6 * most));
  await map.screenshot({ path: join(pictureFolder(), "pressure.png") });
  assert.deepEqual(problems, []);
  await close();
  // Nothing of it where none was recorded.
  const other = await open(join(scratch, "dry.html"));
  assert.equal(await other.page.locator(".pressure-map").isVisible(), false);
  await other.close();
});
