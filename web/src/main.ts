// SPDX-License-Identifier: Apache-2.0
// The page: the mechanism and its worn joint on top, one bar to move through time, diagrams below,
// and at the foot what tells how far to trust them.
import { readPage, type Channel, type Run } from "./data";
import { el, segments, select } from "./dom";
import type { Exportable } from "./export";
import { padded } from "./figure";
import { JointView } from "./joint_view";
import { TimePlot, watcher, type Line, type PlotSpec } from "./plot";
import { outputBody, Scene } from "./scene";
import { State } from "./state";
import { ImpactTable, modelText, trustBox } from "./tables";
import { colour, isDark } from "./theme";
import { Transport } from "./transport";
import { prettyUnit, Units } from "./units";
import { XYPlot } from "./xy_plot";

const { generator, runs } = readPage();
const state = new State(runs);
const many = runs.length > 1;

// --- lines of a diagram -------------------------------------------------------------------------

/** A channel in every result that has it. One result: a colour per component; several: per result. */
function linesOf(path: string, component: string, tag = ""): Line[] {
  const lines: Line[] = [];
  runs.forEach((run, r) => {
    const channel = run.channel(path);
    channel?.components.forEach((name, c) => {
      if (component !== "all" && name !== component && channel.width > 1) return;
      const what = [tag, name].filter(Boolean).join(" ") || (many ? "" : leafOf(path));
      lines.push({ run: r, channel, component: c, label: many ? [run.label, what].filter(Boolean).join(" · ") : what, colour: many ? r : c, dash: many && component === "all" ? c % 4 : 0 });
    });
  });
  return lines;
}
function leafOf(path: string): string {
  return path.split("/").pop()!.replace(/_/g, " ");
}
function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
function anyChannel(path: string): Channel | undefined {
  return state.run.channel(path) ?? runs.map((r) => r.channel(path)).find(Boolean);
}
function specOf(title: string, path: string, component: string, log = false): PlotSpec | undefined {
  const channel = anyChannel(path);
  if (!channel) return undefined;
  return { title, hint: `${path}: ${channel.name}${channel.frame ? `, ${channel.frame} axes` : ""}`, unit: channel.unit, lines: linesOf(path, component), log };
}

/** Diagrams in a grid, as many as there are specifications. */
class PlotGrid {
  readonly root = el("div", { class: "plots" });
  private plots: TimePlot[] = [];
  show(specs: (PlotSpec | undefined)[]): void {
    const wanted = specs.filter((s): s is PlotSpec => s !== undefined && s.lines.length > 0);
    for (const old of this.plots.splice(wanted.length)) {
      watcher.remove(old);
      old.root.remove();
    }
    wanted.forEach((spec, i) => {
      const plot = this.plots[i];
      if (plot) plot.setSpec(spec);
      else {
        this.plots.push(new TimePlot(state, spec));
        this.root.append(this.plots[i]!.root);
      }
    });
  }
}

function section(id: string, title: string, ...content: (Node | undefined)[]): { root: HTMLElement; tools: HTMLElement } {
  const tools = el("div", { class: "panel-tools" });
  return { root: el("section", { class: "panel", id, "aria-label": title }, el("header", {}, el("h2", {}, title), tools), ...content), tools };
}

/** The component that moves most; with several results only this one is shown at first. */
function livelyComponent(path: string): string {
  const channel = anyChannel(path);
  if (!many || !channel || channel.width === 1) return "all";
  let best = 0;
  for (let c = 1; c < channel.width; ++c) if (channel.range(c) > channel.range(best)) best = c;
  return channel.components[best]!;
}
function componentChoice(path: string, value: string, change: (v: string) => void): HTMLElement | undefined {
  const channel = anyChannel(path);
  if (!channel || channel.width === 1) return undefined;
  return segments("component", [...channel.components.map((c) => [c, c] as [string, string]), ["all", "all"]], value, change);
}

// --- motion of a body ---------------------------------------------------------------------------

function motionSection(): { root: HTMLElement; rebuild(): void } {
  const grid = new PlotGrid();
  const { root, tools } = section("motion", "Motion", grid.root);
  const names = state.run.model.bodies.slice(1).map((b) => b.name);
  const markers = state.run.model.markers.map((m) => m.name);
  let body = `bodies/${outputBody(state.run)}`;
  let kind = "translation";
  let component = livelyComponent(`${body}/position`);
  const show = () => {
    const name = body.slice(body.indexOf("/") + 1);
    if (kind === "translation") grid.show(["position", "velocity", "acceleration"].map((q) => specOf(`${capital(q)} of ${name}`, `${body}/${q}`, component)));
    else {
      const planar = state.run.model.planar;
      grid.show([
        specOf(planar ? `Angle of ${name}` : `Orientation of ${name}`, `${body}/${planar ? "angle" : "quaternion"}`, planar ? "all" : component),
        specOf(`Angular velocity of ${name}`, `${body}/angular_velocity`, component),
        specOf(`Angular acceleration of ${name}`, `${body}/angular_acceleration`, component),
      ]);
    }
  };
  const buildTools = () =>
    tools.replaceChildren(
      ...[
        select("body", [...names.map((n) => [`bodies/${n}`, n] as [string, string]), ...markers.map((n) => [`markers/${n}`, `${n} (marker)`] as [string, string])], body, (v) => {
          body = v;
          component = livelyComponent(`${body}/position`);
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
        many ? componentChoice(`${body}/position`, component, (v) => ((component = v), show())) : undefined,
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
  const grid = new PlotGrid();
  const { root, tools } = section("joint", "Joint", grid.root);
  const joints = state.run.model.joints.map((j) => j.name);
  let joint = state.run.imperfect[0]?.name ?? state.run.model.joints.find((j) => j.clearance)?.name ?? joints.find((j) => anyChannel(`joints/${j}/drive_effort`)) ?? joints[0] ?? "";
  let component = "all";
  const show = () => {
    const specs = JOINT_LEAVES.map(([leaf, title]) => {
      const spec = specOf(`${title} in ${joint}`, `joints/${joint}/${leaf}`, component);
      // Nothing to see in what is always zero, or nothing but rounding: a moment of 1e-12 of the forces.
      const force = state.run.channel(`joints/${joint}/reaction_force`)?.scale() ?? 0;
      const least = leaf === "reaction_moment" ? 1e-9 * force : 0;
      return spec?.lines.some((l) => l.channel.scale(l.component) > least) ? spec : undefined;
    });
    // Coordinates of joints that have several: coordinate_angle, rate_displacement.
    for (const channel of state.run.channels) {
      const rest = channel.path.startsWith(`joints/${joint}/`) ? channel.path.slice(`joints/${joint}/`.length) : "";
      if (/^(coordinate|rate|drive_effort)_/.test(rest)) specs.push(specOf(`${capital(rest.replace(/_/g, " "))} of ${joint}`, channel.path, component));
    }
    grid.show(specs);
  };
  const buildTools = () => {
    component = livelyComponent(`joints/${joint}/reaction_force`);
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
        many ? componentChoice(`joints/${joint}/reaction_force`, component, (v) => ((component = v), show())) : undefined,
      ].filter((n): n is HTMLElement => n !== undefined),
    );
  };
  buildTools();
  show();
  root.hidden = !joints.length;
  return { root, rebuild: show };
}

// --- phase portrait and spectrum ----------------------------------------------------------------

interface Redrawn {
  root: HTMLElement;
  rebuild(): void;
  update(): void;
  reveal(): void;
}

/** Series of the moving result, grouped for a list. */
function seriesOptions(filter: (c: Channel) => boolean): [string, string][] {
  const out: [string, string][] = [];
  for (const channel of state.run.channels) if (filter(channel)) channel.components.forEach((_, c) => out.push([`${channel.path}|${c}`, channel.seriesName(c)]));
  return out;
}
function seriesOf(run: Run, key: string): { channel: Channel; component: number } | undefined {
  const bar = key.lastIndexOf("|");
  const channel = run.channel(key.slice(0, bar));
  return channel && { channel, component: Number(key.slice(bar + 1)) };
}

function phaseSection(): Redrawn {
  const body = `bodies/${outputBody(state.run)}`;
  const best = ((): number => {
    const channel = state.run.channel(`${body}/position`);
    let b = 0;
    if (channel) for (let c = 1; c < channel.width; ++c) if (channel.range(c) > channel.range(b)) b = c;
    return b;
  })();
  let kx = `${body}/position|${best}`;
  let ky = `${body}/velocity|${best}`;
  const pick = (run: Run) => {
    const x = seriesOf(run, kx);
    const y = seriesOf(run, ky);
    return x && y && { x, y };
  };
  const units = () => {
    const p = pick(state.run)!;
    return { x: state.units.of(p.x.channel.unit, p.x.channel.scale(p.x.component)), y: state.units.of(p.y.channel.unit, p.y.channel.scale(p.y.component)), p };
  };
  const figure = (): Exportable | undefined => {
    if (!pick(state.run)) return undefined;
    const { x: ux, y: uy, p } = units();
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    const curves = runs.flatMap((run, r) => {
      const s = pick(run);
      if (!s || !state.shown[r]) return [];
      const x = s.x.channel.at(s.x.component).map((v) => v * ux.factor);
      const y = s.y.channel.at(s.y.component).map((v) => v * uy.factor);
      for (const v of x) [x0, x1] = [Math.min(x0, v), Math.max(x1, v)];
      for (const v of y) [y0, y1] = [Math.min(y0, v), Math.max(y1, v)];
      return [{ x, y, colour: colour(many ? r : 0), label: many ? run.label : undefined, width: 1.2, dash: [] as number[] }];
    });
    const [xa, xb] = padded(x0, x1);
    const [ya, yb] = padded(y0, y1);
    const name = (s: { channel: Channel; component: number }, unit: string) => `${s.channel.seriesName(s.component)}${unit ? `, ${unit}` : ""}`;
    return { title: "Phase portrait", x: { label: name(p.x, ux.name), min: xa, max: xb }, y: { label: name(p.y, uy.name), min: ya, max: yb }, curves };
  };
  const plot = new XYPlot("Phase portrait", figure, () => {
    const s = pick(state.run);
    if (!s) return [];
    const { x: ux, y: uy } = units();
    return [{ x: s.x.channel.at(s.x.component)[state.frame]! * ux.factor, y: s.y.channel.at(s.y.component)[state.frame]! * uy.factor, colour: colour(many ? state.primary : 0) }];
  });
  const options = seriesOptions(() => true);
  plot.tools.append(
    select("x", options, kx, (v) => ((kx = v), plot.rebuild())),
    select("y", options, ky, (v) => ((ky = v), plot.rebuild())),
  );
  return { root: plot.root, rebuild: () => plot.rebuild(), update: () => plot.update(), reveal: () => plot.reveal() };
}

function spectrumSection(): Redrawn | undefined {
  const available = new Set(state.run.spectra.map((s) => s.channel.path));
  if (!available.size) return undefined;
  const joint = state.run.imperfect[0]?.name;
  const acceleration = `bodies/${outputBody(state.run)}/acceleration`;
  const lively = ((): number => {
    const channel = state.run.channel(acceleration);
    let b = 0;
    if (channel) for (let c = 1; c < channel.width; ++c) if (channel.range(c) > channel.range(b)) b = c;
    return b;
  })();
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
  plot.tools.append(select("of", seriesOptions((c) => available.has(c.path)), key, (v) => ((key = v), plot.rebuild())));
  const samples = state.run.spectra[0]!.samples;
  plot.root.append(el("p", { class: "caption" }, `From ${samples} uniform samples, Hann window, mean removed; a sine of amplitude A is a line of height A.`));
  return { root: plot.root, rebuild: () => plot.rebuild(), update: () => plot.update(), reveal: () => plot.reveal() };
}

// --- energy -------------------------------------------------------------------------------------

function energySection(): { root: HTMLElement; rebuild(): void } {
  const grid = new PlotGrid();
  const { root } = section("energy", "Energy and its audit", grid.root);
  const show = () => {
    const stored = ["kinetic", "potential", "elastic"].filter((e) => (anyChannel(`energy/${e}`)?.scale() ?? 0) > 0);
    const works = state.run.channels.filter((c) => c.path.startsWith("energy/work/") && c.scale() > 0);
    const together = (title: string, list: { path: string; name: string }[]): PlotSpec | undefined => {
      const lines = list.flatMap(({ path, name }, i) => linesOf(path, "all", name).map((l) => ({ ...l, colour: many ? l.run : i, dash: many ? i % 4 : 0 })));
      return lines.length ? { title, unit: "J", lines } : undefined;
    };
    const residual = anyChannel("energy/residual");
    grid.show([
      together("Energy", stored.map((e) => ({ path: `energy/${e}`, name: e }))),
      together("Work since the start", works.map((c) => ({ path: c.path, name: c.path.replace("energy/work/", "").replace(/^(joints|forces)\//, "").replace(/\//g, " ") }))),
      residual && { ...specOf("Audit: energy − work", "energy/residual", "all")!, digits: 2, hint: "E − E(0) − work in + heat out, which physics wants to be zero" },
    ]);
  };
  show();
  return { root, rebuild: show };
}

// --- any other series ---------------------------------------------------------------------------

function ownSection(): { root: HTMLElement; rebuild(): void } {
  const grid = new PlotGrid();
  const chosen: string[] = [];
  const { root, tools } = section("own", "Any series", grid.root);
  const show = () =>
    grid.show(
      chosen.map((key) => {
        const s = seriesOf(state.run, key);
        const whole = key.endsWith("|all") ? key.slice(0, -4) : "";
        if (whole) return specOf(whole, whole, "all");
        return s && specOf(s.channel.seriesName(s.component), s.channel.path, s.channel.components[s.component]!);
      }),
    );
  const options: [string, string][] = [["", "choose …"]];
  for (const channel of state.run.channels) {
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
    el("p", {}, "3D: drag turns, wheel zooms, right drag moves. Diagrams: click goes to an instant, drag zooms all of them, double click zooms out."),
    el("form", { method: "dialog" }, el("button", {}, "Close")),
  );
  return dialog;
}

function main(): void {
  const name = state.run.model.name || state.run.label;
  const scene = new Scene(state);
  const joint = new JointView(state);
  const transport = new Transport(state);
  const motion = motionSection();
  const forces = jointSection();
  const phase = phaseSection();
  const spectrum = spectrumSection();
  const energy = energySection();
  const own = ownSection();
  const impacts = new ImpactTable(state);
  const dialog = help();

  const rebuildAll = () => {
    for (const part of [motion, forces, energy, own]) part.rebuild();
    for (const part of [phase, spectrum]) part?.rebuild();
    impacts.rebuild();
    joint.follow();
    transport.follow();
  };
  const redraw = () => {
    for (const plot of watcher.all()) plot.rebuild();
    phase.rebuild();
    spectrum?.rebuild();
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
    phase.reveal();
    spectrum?.reveal();
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
  Object.assign(window, { freeplay: { state, scene, runs, setTheme } });
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) state.setPlaying(true);
  document.documentElement.dataset.ready = String(performance.now());
}

if (runs.length) main();
