// SPDX-License-Identifier: Apache-2.0
// The page: the mechanism and its worn joint on top, one bar to move through time, diagrams below,
// and at the foot what tells how far to trust them.
import { beamSection } from "./beam_view";
import { readPage } from "./data";
import { el, segments, select } from "./dom";
import type { Exportable } from "./export";
import { JointView } from "./joint_view";
import { phaseSection } from "./phase";
import { watcher, type PlotSpec } from "./plot";
import { outputBody, Scene } from "./scene";
import { capital, liveliest, Lines, PlotGrid, section, seriesOf, seriesOptions, type Redrawn } from "./sections";
import { State } from "./state";
import { ImpactTable, modelText, trustBox } from "./tables";
import { colour, isDark, PALETTES } from "./theme";
import { Transport } from "./transport";
import { prettyUnit, Units } from "./units";
import { XYPlot } from "./xy_plot";

const { generator, runs } = readPage();
const state = new State(runs);
const lines = new Lines(state);
const { many } = lines;

// --- motion of a body ---------------------------------------------------------------------------

function motionSection(): { root: HTMLElement; rebuild(): void } {
  const grid = new PlotGrid(state);
  const { root, tools } = section("motion", "Motion", grid.root);
  const names = state.run.model.bodies.slice(1).map((b) => b.name);
  const markers = state.run.model.markers.map((m) => m.name);
  let body = `bodies/${outputBody(state.run)}`;
  let kind = "translation";
  let component = lines.lively(`${body}/position`);
  const show = () => {
    const name = body.slice(body.indexOf("/") + 1);
    if (kind === "translation") grid.show(["position", "velocity", "acceleration"].map((q) => lines.spec(`${capital(q)} of ${name}`, `${body}/${q}`, component)));
    else {
      const planar = state.run.model.planar;
      grid.show([
        lines.spec(planar ? `Angle of ${name}` : `Orientation of ${name}`, `${body}/${planar ? "angle" : "quaternion"}`, planar ? "all" : component),
        lines.spec(`Angular velocity of ${name}`, `${body}/angular_velocity`, component),
        lines.spec(`Angular acceleration of ${name}`, `${body}/angular_acceleration`, component),
      ]);
    }
  };
  const buildTools = () =>
    tools.replaceChildren(
      ...[
        select("body", [...names.map((n) => [`bodies/${n}`, n] as [string, string]), ...markers.map((n) => [`markers/${n}`, `${n} (marker)`] as [string, string])], body, (v) => {
          body = v;
          component = lines.lively(`${body}/position`);
          buildTools();
          show();
        }),
        segments(
          "kind",
          [
            ["translation", "translation"],
            ["rotation", "rotation"],
          ],
          kind,
          (v) => {
            kind = v;
            show();
          },
        ),
        many ? lines.components(`${body}/position`, component, (v) => ((component = v), show())) : undefined,
      ].filter((n): n is HTMLElement => n !== undefined),
    );
  buildTools();
  show();
  return { root, rebuild: show };
}

// --- forces and play of a joint -----------------------------------------------------------------

const JOINT_LEAVES: [leaf: string, title: string][] = [
  ["ratio", "Eccentricity ratio"],
  ["normal_force", "Normal force"],
  ["reaction_force", "Reaction force"],
  ["friction_force", "Friction force"],
  ["penetration", "Penetration"],
  ["gap", "Gap"],
  ["slip_speed", "Slip speed"],
  ["mode", "Mode"],
  ["film_thickness", "Film thickness"],
  ["wear_depth", "Wear depth"],
  ["reaction_moment", "Reaction moment"],
  ["drive_effort", "Drive effort"],
  ["coordinate", "Joint coordinate"],
  ["rate", "Joint rate"],
];

function jointSection(): { root: HTMLElement; rebuild(): void } {
  const grid = new PlotGrid(state);
  const { root, tools } = section("joint", "Joint", grid.root);
  const joints = state.run.model.joints.map((j) => j.name);
  let joint = state.run.imperfect[0]?.name ?? state.run.model.joints.find((j) => j.clearance)?.name ?? joints.find((j) => lines.any(`joints/${j}/drive_effort`)) ?? joints[0] ?? "";
  let component = "all";
  const show = () => {
    const specs = JOINT_LEAVES.map(([leaf, title]) => {
      const spec = lines.spec(`${title} in ${joint}`, `joints/${joint}/${leaf}`, component);
      // Nothing to see in what is always zero, or nothing but rounding: a moment of 1e-12 of the forces.
      const force = state.run.channel(`joints/${joint}/reaction_force`)?.scale() ?? 0;
      const least = leaf === "reaction_moment" ? 1e-9 * force : 0;
      return spec?.lines.some((l) => l.channel.scale(l.component) > least) ? spec : undefined;
    });
    // Coordinates of joints that have several: coordinate_angle, rate_displacement.
    for (const channel of state.run.channels) {
      const rest = channel.path.startsWith(`joints/${joint}/`) ? channel.path.slice(`joints/${joint}/`.length) : "";
      if (/^(coordinate|rate|drive_effort)_/.test(rest)) specs.push(lines.spec(`${capital(rest.replace(/_/g, " "))} of ${joint}`, channel.path, component));
    }
    // What every result has comes first: a joint that is ideal in one has no contact there.
    const shared = (spec: PlotSpec | undefined) => (spec && new Set(spec.lines.map((l) => l.run)).size === runs.length ? 0 : 1);
    grid.show(specs.sort((a, b) => shared(a) - shared(b)));
  };
  const buildTools = () => {
    component = lines.lively(`joints/${joint}/reaction_force`);
    tools.replaceChildren(
      ...[
        select(
          "joint",
          joints.map((n) => [n, n]),
          joint,
          (v) => {
            joint = v;
            buildTools();
            show();
          },
        ),
        many ? lines.components(`joints/${joint}/reaction_force`, component, (v) => ((component = v), show())) : undefined,
      ].filter((n): n is HTMLElement => n !== undefined),
    );
  };
  buildTools();
  show();
  root.hidden = !joints.length;
  return { root, rebuild: show };
}

// --- spectrum ----------------------------------------------------------------

function spectrumSection(): Redrawn | undefined {
  const available = new Set(state.run.spectra.map((s) => s.channel.path));
  if (!available.size) return undefined;
  const joint = state.run.imperfect[0]?.name;
  const acceleration = `bodies/${outputBody(state.run)}/acceleration`;
  const shaken = state.run.channel(acceleration);
  const lively = shaken ? liveliest(shaken) : 0;
  let key = available.has(acceleration) ? `${acceleration}|${lively}` : `${joint ? `joints/${joint}/normal_force` : [...available][0]}|0`;
  const figure = (): Exportable | undefined => {
    const first = seriesOf(state.run, key);
    if (!first) return undefined;
    let top = 0;
    let high = 0;
    for (const run of runs)
      for (const s of run.spectra)
        if (`${s.channel.path}|${s.component}` === key) {
          for (const a of s.amplitude) top = Math.max(top, a);
          high = Math.max(high, s.frequency[s.frequency.length - 1]!);
        }
    if (!(top > 0)) top = 1;
    const unit = state.units.of(first.channel.unit, top);
    const hertz = state.units.of("Hz", high);
    const curves = runs.flatMap((run, r) => {
      const s = run.spectra.find((q) => `${q.channel.path}|${q.component}` === key);
      if (!s || !state.shown[r]) return [];
      return [{ x: Float64Array.from(s.frequency, (f) => f * hertz.factor), y: Float64Array.from(s.amplitude, (a) => a * unit.factor), colour: colour(many ? r : 0), label: many ? run.label : undefined, dash: [] as number[], width: 1.2 }];
    });
    return {
      title: `Spectrum of ${first.channel.seriesName(first.component)}`,
      x: { label: `frequency, ${hertz.name}`, min: 0, max: high * hertz.factor },
      y: { label: `peak amplitude, ${unit.name}`, min: top * unit.factor * 1e-6, max: top * unit.factor * 2, log: true },
      curves,
    };
  };
  const plot = new XYPlot("Spectrum", figure);
  plot.tools.append(select("of", seriesOptions(state.run, (c) => available.has(c.path)), key, (v) => ((key = v), plot.rebuild())));
  const samples = state.run.spectra[0]!.samples;
  plot.root.append(el("p", { class: "caption" }, `From ${samples} uniform samples, Hann window, mean removed; a sine of amplitude A is a line of height A.`));
  return { root: plot.root, rebuild: () => plot.rebuild(), update: () => plot.update(), reveal: () => plot.reveal() };
}

// --- energy -------------------------------------------------------------------------------------

function energySection(): { root: HTMLElement; rebuild(): void } {
  const grid = new PlotGrid(state);
  const { root } = section("energy", "Energy and its audit", grid.root);
  const show = () => {
    const stored = ["kinetic", "potential", "elastic"].filter((e) => (lines.any(`energy/${e}`)?.scale() ?? 0) > 0);
    const works = state.run.channels.filter((c) => c.path.startsWith("energy/work/") && c.scale() > 0);
    const together = (title: string, list: { path: string; name: string }[]): PlotSpec | undefined => {
      const together = list.flatMap(({ path, name }, i) => lines.of(path, "all", name).map((l) => ({ ...l, colour: many ? l.run : i, dash: many ? i % 4 : 0 })));
      return together.length ? { title, unit: "J", lines: together } : undefined;
    };
    const residual = lines.any("energy/residual");
    grid.show([
      together("Energy", stored.map((e) => ({ path: `energy/${e}`, name: e }))),
      together("Work since the start", works.map((c) => ({ path: c.path, name: c.path.replace("energy/work/", "").replace(/^(joints|forces)\//, "").replace(/\//g, " ") }))),
      residual && { ...lines.spec("Audit: energy − work", "energy/residual", "all")!, digits: 2, hint: "E − E(0) − work in + heat out, which physics wants to be zero" },
    ]);
  };
  show();
  return { root, rebuild: show };
}

// --- any other series ---------------------------------------------------------------------------

function ownSection(): { root: HTMLElement; rebuild(): void } {
  const grid = new PlotGrid(state);
  const chosen: string[] = [];
  const { root, tools } = section("own", "Any series", grid.root);
  const show = () =>
    grid.show(
      chosen.map((key) => {
        const s = seriesOf(state.run, key);
        const whole = key.endsWith("|all") ? key.slice(0, -4) : "";
        if (whole) return lines.spec(whole, whole, "all");
        return s && lines.spec(s.channel.seriesName(s.component), s.channel.path, s.channel.components[s.component]!);
      }),
    );
  const options: [string, string][] = [["", "choose …"]];
  for (const channel of state.run.channels) {
    if (channel.width > 4) continue; // along a beam
    if (channel.width > 1) options.push([`${channel.path}|all`, `${channel.path} (all, ${prettyUnit(channel.unit)})`]);
    channel.components.forEach((_, c) => options.push([`${channel.path}|${c}`, channel.seriesName(c)]));
  }
  const list = select("add a diagram of", options, "", (v) => {
    if (v && !chosen.includes(v)) chosen.push(v);
    list.querySelector("select")!.value = "";
    show();
  });
  tools.append(list, el("button", { type: "button", onclick: () => (chosen.splice(0), show()) }, "Clear"));
  return { root, rebuild: show };
}

// --- the page -----------------------------------------------------------------------------------

function unitsMenu(change: () => void): HTMLElement {
  const used = new Set<string>(["s"]);
  for (const run of runs) for (const c of run.channels) if (Units.known(c.unit)) used.add(c.unit);
  const body = el("div", { class: "menu-body" });
  const fill = () => {
    body.replaceChildren(
      segments(
        "preset",
        [
          ["auto", "auto"],
          ["si", "SI"],
          ["engineer", "mm · deg · rpm"],
        ],
        preset,
        (v) => {
          preset = v;
          state.units.preset(v);
          fill();
          change();
        },
      ),
      ...[...used].map((unit) => {
        const entry = Units.known(unit)!;
        return select(entry.title, [["auto", "auto"], ...entry.units.map((u) => [u.name, u.name] as [string, string])], state.units.choice(unit), (v) => {
          preset = "";
          state.units.choose(unit, v);
          change();
        });
      }),
    );
  };
  let preset = "auto";
  fill();
  return el("details", { class: "menu" }, el("summary", { title: "Units on the screen; files stay SI" }, "Units"), body);
}

function help(): HTMLDialogElement {
  const keys: [string, string][] = [
    ["space", "play or pause"],
    ["← →", "one frame; with shift ten"],
    ["Home End", "start, end"],
    ["E, shift E", "next, previous event"],
    ["+ −", "faster, slower"],
    ["R", "reset the 3D view"],
    ["0", "reset the zoom of the diagrams"],
    ["D", "dark or light"],
    ["?", "this list"],
  ];
  const dialog = el(
    "dialog",
    { class: "help", "aria-label": "Keys" },
    el("h2", {}, "Keys"),
    el("dl", {}, ...keys.flatMap(([k, text]) => [el("dt", {}, k), el("dd", {}, text)])),
    el("p", {}, "3D: drag turns, wheel zooms, right drag moves. Diagrams over time: click goes to an instant; drag or wheel zooms all of them, double click zooms out. Other diagrams and the enlarged joint: wheel zooms, drag moves, double click zooms out."),
    el("form", { method: "dialog" }, el("button", {}, "Close")),
  );
  return dialog;
}

function main(): void {
  const name = state.run.model.name || state.run.label;
  const scene = new Scene(state);
  const joint = new JointView(state);
  scene.beside = () => joint.picture;
  const transport = new Transport(state);
  const motion = motionSection();
  const forces = jointSection();
  const phase = phaseSection(state);
  const beams = beamSection(state, lines);
  const spectrum = spectrumSection();
  const energy = energySection();
  const own = ownSection();
  const impacts = new ImpactTable(state);
  const dialog = help();

  const rebuildAll = () => {
    for (const part of [motion, forces, energy, own]) part.rebuild();
    for (const part of [phase, spectrum, beams]) part?.rebuild();
    impacts.rebuild();
    joint.follow();
    transport.follow();
  };
  const redraw = () => {
    for (const plot of watcher.all()) plot.rebuild();
    for (const part of [phase, spectrum, beams]) part?.rebuild();
    impacts.rebuild();
    joint.follow();
    transport.follow();
  };
  const setTheme = (theme: string) => {
    document.documentElement.dataset.theme = theme;
    scene.rebuild();
    redraw();
    paintResults();
  };
  const resetZoom = el("button", { type: "button", class: "zoom-out", title: "Show the whole time again (0)", onclick: () => state.setZoom(null) }, "Whole time");
  resetZoom.hidden = true;

  const results = el("div", { class: "results", role: "group", "aria-label": "Results" });
  const paintResults = () => {
    results.replaceChildren(
      ...runs.map((run, i) => {
        const swatch = el("span", { class: "swatch", style: `border-top-color:${colour(i)}` });
        const box = el("input", { type: "checkbox", "aria-label": `show ${run.label} in the diagrams` });
        box.checked = state.shown[i]!;
        box.addEventListener("change", () => {
          state.shown[i] = box.checked;
          redraw();
        });
        const button = el("button", { type: "button", class: "chip", "aria-pressed": String(i === state.primary), title: `Move this one: ${run.file}`, onclick: () => state.setPrimary(i) }, swatch, run.label, run.complete ? "" : " (incomplete)");
        return el("span", { class: "result" }, box, button);
      }),
      select("diagrams show", [["-1", "values"], ...runs.map((r, i) => [String(i), `difference from ${r.label}`] as [string, string])], String(state.reference), (v) => {
        state.reference = Number(v);
        redraw();
      }),
    );
  };
  if (many) paintResults();

  const incomplete = runs.filter((r) => !r.complete || r.run.status !== "done");
  const trust = section("trust", "How far to trust this", trustBox(runs));
  const text = section("model", "The model", modelText(state.run));
  const contacts = section("contacts", "Contacts", impacts.root);
  const twins = el("div", { class: "plots twins" }, phase.root, spectrum?.root ?? "");
  const shapes = section("shapes", "Phase portrait and spectrum", twins);

  document.body.append(
    el(
      "header",
      { class: "top" },
      el("div", { class: "title" }, el("span", { class: "brand" }, "Freeplay"), el("h1", {}, name)),
      el(
        "div",
        { class: "top-tools" },
        resetZoom,
        unitsMenu(redraw),
        el("button", { type: "button", title: "Dark or light (D)", onclick: () => setTheme(isDark() ? "light" : "dark") }, "Dark / light"),
        el("button", { type: "button", title: "Keys (?)", onclick: () => dialog.showModal() }, "Keys"),
      ),
    ),
    el(
      "main",
      {},
      incomplete.length ? el("p", { class: "notice bad", role: "alert" }, incomplete.map((r) => `${r.label} ${r.complete ? "" : "is incomplete: its run "}ended as “${r.run.status}” at t = ${r.run.end} s. ${r.run.reason} ${r.run.remedy}`).join(" ")) : null,
      many ? results : null,
      el("div", { class: "stage" }, scene.root, joint.root),
      motion.root,
      beams?.root ?? null,
      forces.root,
      shapes.root,
      energy.root,
      contacts.root,
      own.root,
      trust.root,
      text.root,
      el("footer", {}, `Made by ${generator}. This file holds its data and needs nothing else.`),
    ),
    transport.root,
    dialog,
  );
  document.documentElement.classList.toggle("single-stage", joint.root.hidden === true);

  state.on("time", () => {
    transport.update();
    scene.update();
    joint.update();
    phase.update();
    beams?.update();
    impacts.update();
    for (const plot of watcher.all()) plot.update();
  });
  state.on("view", () => {
    scene.rebuild();
    rebuildAll();
    paintResults();
    text.root.replaceChildren(text.root.firstChild!, modelText(state.run));
    document.documentElement.classList.toggle("single-stage", joint.root.hidden === true);
  });
  state.on("zoom", () => {
    resetZoom.hidden = state.zoom === null;
    for (const plot of watcher.all()) plot.applyZoom();
  });
  impacts.rebuild();
  transport.follow();

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    if (!document.documentElement.dataset.theme) setTheme(isDark() ? "dark" : "light");
  });
  addEventListener("beforeprint", () => {
    state.setPlaying(false);
    if (isDark()) setTheme("light");
    for (const plot of watcher.all()) plot.setVisible(true);
    for (const part of [phase, spectrum, beams]) part?.reveal();
  });
  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (/^(SELECT|TEXTAREA)$/.test(target.tagName)) return;
    if (target.tagName === "INPUT" && (target as HTMLInputElement).type !== "range") return;
    // Space presses a button that has the focus.
    if (event.key === " " && /^(BUTTON|SUMMARY|A)$/.test(target.tagName)) return;
    let used = transport.key(event);
    if (!used) {
      used = true;
      if (event.key === "r") scene.look("default");
      else if (event.key === "0") state.setZoom(null);
      else if (event.key === "d") setTheme(isDark() ? "light" : "dark");
      else if (event.key === "?") dialog.showModal();
      else used = false;
    }
    if (used) event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    // What was clicked may have been replaced since: the path remembers where it was.
    for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]")) if (!event.composedPath().includes(menu)) menu.open = false;
  });

  // For tests: what is drawn where.
  Object.assign(window, { freeplay: { state, scene, runs, setTheme, joint, palettes: PALETTES } });
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) state.setPlaying(true);
  document.documentElement.dataset.ready = String(performance.now());
}

if (runs.length) main();
