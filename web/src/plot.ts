// SPDX-License-Identifier: Apache-2.0
// One diagram over time (or frequency): uPlot draws, drag zooms all diagrams together, a click
// moves the shared instant, the legend shows the numbers there.
import uPlot from "uplot";
import { valueAt, type Channel, type Curve } from "./data";
import { el } from "./dom";
import { saveButtons, type Exportable } from "./export";
import { padded, tickLabels } from "./figure";
import type { State } from "./state";
import { colour, css, DASHES } from "./theme";
import { NumberFormat, type DisplayUnit } from "./units";
import { drawAhead } from "./ahead";
import { FONT } from "./painter";
import { nearer, onWheel } from "./wheel";

/** One line: a component of a channel of a result. */
export interface Line {
  run: number;
  channel: Channel;
  component: number;
  label: string;
  colour: number;
  dash: number;
}
export interface PlotSpec {
  title: string;
  hint?: string; // what the quantity is, as the result file says
  unit: string; // stored unit
  lines: Line[];
  log?: boolean;
  digits?: number; // of the largest value, in the legend
  words?: Map<number, string>; // what the numbers mean
}

/** All curves on one list of times; what lies between two points of a curve is on its line. */
function align(curves: Curve[]): { t: Float64Array; v: (Float64Array | (number | null)[])[] } {
  const first = curves[0];
  if (!first) return { t: new Float64Array(), v: [] };
  if (curves.every((c) => c.t === first.t)) return { t: first.t, v: curves.map((c) => c.v) };
  const distinct = [...new Set(curves.map((c) => c.t))];
  const all = new Float64Array(distinct.reduce((n, t) => n + t.length, 0));
  let at = 0;
  for (const t of distinct) {
    all.set(t, at);
    at += t.length;
  }
  all.sort();
  let count = 0;
  for (let i = 0; i < all.length; ++i) if (i === 0 || all[i] !== all[i - 1]) all[count++] = all[i]!;
  const t = all.slice(0, count);
  const v = curves.map((c) => {
    const out: (number | null)[] = new Array(count);
    for (let i = 0, k = 0; i < count; ++i) {
      const time = t[i]!;
      while (k < c.t.length && c.t[k]! < time) ++k;
      if (k === c.t.length) out[i] = null;
      else if (c.t[k] === time) out[i] = c.v[k]!;
      else if (k === 0) out[i] = null;
      else {
        const f = (time - c.t[k - 1]!) / (c.t[k]! - c.t[k - 1]!);
        out[i] = c.v[k - 1]! * (1 - f) + c.v[k]! * f;
      }
    }
    return out;
  });
  return { t, v };
}

export class TimePlot {
  readonly root: HTMLElement;
  private plot: uPlot | undefined;
  private box: HTMLElement;
  private marker = el("div", { class: "now" });
  private tip = el("div", { class: "tip", "aria-hidden": "true" });
  private dots: HTMLElement[] = [];
  private readouts: { node: HTMLElement; curve: Curve; frames: Float64Array | null; format: NumberFormat }[] = [];
  private legend: HTMLElement;
  private unitNode: HTMLElement;
  private hidden = new Set<string>();
  private visible = false; // otherwise moved only while nothing plays
  private stale = true;
  private syncing = false;
  private display: DisplayUnit = { name: "", factor: 1 };
  private timeUnit: DisplayUnit = { name: "s", factor: 1 };
  private data: { t: Float64Array; v: (Float64Array | (number | null)[])[] } = { t: new Float64Array(), v: [] };
  private lines: Line[] = [];

  constructor(private state: State, public spec: PlotSpec) {
    this.box = el("div", { class: "plot-box", tabindex: "-1" });
    this.legend = el("div", { class: "legend" });
    this.unitNode = el("span", { class: "unit" });
    this.root = el(
      "figure",
      { class: "plot", "data-plot": spec.title },
      el(
        "figcaption",
        {},
        el("span", { class: "plot-title", title: spec.hint }, spec.title, " ", this.unitNode),
        el(
          "span",
          { class: "plot-tools" },
          ...saveButtons(() => this.exported()),
        ),
      ),
      this.legend,
      this.box,
    );
    watcher.add(this);
    drawAhead(this.ahead);
  }

  setSpec(spec: PlotSpec): void {
    this.spec = spec;
    this.root.dataset.plot = spec.title;
    this.root.querySelector(".plot-title")!.firstChild!.textContent = spec.title;
    this.hidden.clear();
    this.rebuild();
  }

  /** Everything may have changed: lines, units, colours. Draws now only if it can be seen. */
  rebuild(): void {
    this.stale = true;
    if (this.visible) this.draw();
    else drawAhead(this.ahead);
  }
  private ahead = () => {
    if (this.stale && this.root.isConnected && this.box.clientWidth > 0) this.draw();
  };
  setVisible(visible: boolean): void {
    this.visible = visible;
    if (visible && this.stale) this.draw();
    else if (visible) this.update();
  }

  private draw(): void {
    this.stale = false;
    const { state } = this;
    const difference = state.reference >= 0;
    this.lines = this.spec.lines.filter((l) => state.shown[l.run] && !(difference && l.run === state.reference));
    let curves = this.lines.map((l) => l.channel.curve(l.component));
    if (difference)
      curves = this.lines.map((l, i) => {
        const path = l.channel.path;
        const reference = state.runs[state.reference]!.channel(path);
        return reference && reference.width === l.channel.width ? subtract(curves[i]!, reference.curve(l.component)) : { t: new Float64Array(), v: new Float64Array() };
      });
    const largest = (c: Curve) => c.v.reduce((m, x) => Math.max(m, Math.abs(x)), 0);
    const scale = difference ? Math.max(0, ...curves.map(largest)) : Math.max(0, ...this.lines.map((l) => l.channel.scale(l.component)));
    this.display = state.units.of(this.spec.unit, scale);
    this.timeUnit = state.units.of("s", Math.max(Math.abs(state.begin), Math.abs(state.end)));
    const aligned = align(curves);
    const factor = this.display.factor;
    this.data = {
      t: aligned.t.map((t) => t * this.timeUnit.factor),
      v: aligned.v.map((v) => {
        const out = new Array<number | null>(v.length);
        for (let i = 0; i < v.length; ++i) {
          const x = v[i];
          out[i] = x === null || x === undefined ? null : this.spec.log ? Math.max(Math.abs(x * factor), 1e-300) : x * factor;
        }
        return out;
      }),
    };
    this.unitNode.textContent = this.display.name ? `${difference ? "Δ, " : ""}${this.display.name}` : difference ? "Δ" : "";

    this.legend.replaceChildren();
    this.readouts = [];
    const format = new NumberFormat(scale * factor, this.spec.digits);
    this.lines.forEach((line, i) => {
      const key = `${line.run}/${line.channel.path}/${line.component}`;
      const value = el("output", { "data-series": line.channel.seriesName(line.component), "data-run": line.run });
      const swatch = el("span", { class: "swatch", style: `border-top-color:${colour(line.colour)};border-top-style:${line.dash === 0 ? "solid" : line.dash === 1 ? "dashed" : "dotted"}` });
      const chip = el("button", { type: "button", class: "chip", title: `${line.channel.seriesName(line.component)}: hide or show`, "aria-pressed": String(!this.hidden.has(key)) }, swatch, el("span", {}, line.label), value);
      chip.addEventListener("click", () => {
        const show = this.hidden.has(key);
        if (show) this.hidden.delete(key);
        else this.hidden.add(key);
        chip.setAttribute("aria-pressed", String(show));
        this.plot?.setSeries(i + 1, { show });
        this.update();
      });
      this.legend.append(chip);
      const frames = line.run === state.primary && !difference ? line.channel.at(line.component) : null;
      this.readouts.push({ node: value, curve: curves[i]!, frames, format });
    });
    this.makePlot();
    this.update();
  }

  private makePlot(): void {
    this.plot?.destroy();
    this.box.replaceChildren();
    const ink = css("ink-soft");
    const grid = { stroke: css("grid"), width: 1 };
    const font = `11px ${FONT}`;
    const width = Math.max(this.box.clientWidth, 120);
    const height = this.box.clientHeight || 190;
    const state = this.state;
    const spec = this.spec;
    const labels = (_: uPlot, splits: number[]) => (splits.length ? tickLabels(splits) : []);
    const logged = (_: uPlot, splits: number[]) => splits.map((v) => (Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-6 ? v.toExponential(0).replace("e+", "e").replace("-", "−") : ""));
    const axis = { stroke: ink, grid, ticks: { ...grid, size: 4 }, font, gap: 4 };
    const u = new uPlot(
      {
        width,
        height,
        padding: [8, 12, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: true, y: false, dist: 5 }, points: { show: false } },
        scales: {
          x: { time: false, range: (_u, min, max) => (min === max ? [min - 0.5, max + 0.5] : [min, max]) },
          y: spec.words ? { range: () => wordRange(spec.words!) } : spec.log ? { distr: 3 } : { range: (_u, min, max) => (min === null || max === null ? [0, 1] : padded(min, max)) },
        },
        axes: [
          { ...axis, values: labels, size: 22, space: 70, label: `time, ${this.timeUnit.name}`, labelSize: 15, labelGap: 0, labelFont: font },
          { ...axis, ...(spec.words ? { splits: () => [...spec.words!.keys()], values: (_: uPlot, at: number[]) => at.map((v) => spec.words!.get(v) ?? "") } : { values: spec.log ? logged : labels }), size: (_u, values) => 14 + Math.max(20, ...(values ?? []).map((s) => textWidth(s, font))), space: 34 },
        ],
        series: [
          {},
          ...this.lines.map((line) => ({
            stroke: colour(line.colour),
            width: 1.5,
            dash: DASHES[line.dash]?.map((d) => d * devicePixelRatio),
            points: { show: this.data.t.length < 3 },
            show: !this.hidden.has(`${line.run}/${line.channel.path}/${line.component}`),
          })),
        ],
        hooks: {
          setCursor: [(self) => this.hover(self)],
          setScale: [
            (self, key) => {
              if (key !== "x" || this.syncing) return this.update();
              const { min, max } = self.scales.x!;
              const f = this.timeUnit.factor;
              const all = [this.data.t[0] ?? 0, this.data.t[this.data.t.length - 1] ?? 1];
              const whole = min! <= all[0]! && max! >= all[1]!;
              if (self.status === 1) state.setZoom(whole ? null : [min! / f, max! / f]);
            },
          ],
        },
      },
      [this.data.t, ...this.data.v] as unknown as uPlot.AlignedData,
      this.box,
    );
    this.plot = u;
    u.over.append(this.marker, this.tip);
    this.dots = this.lines.map((line) => {
      const dot = el("div", { class: "dot", style: `background:${colour(line.colour)}` });
      u.over.append(dot);
      return dot;
    });
    onWheel(u.over, (factor, x) => {
      const f = this.timeUnit.factor;
      const t = this.data.t;
      if (t.length < 2) return false;
      const now: [number, number] = [u.scales.x!.min!, u.scales.x!.max!];
      const range = nearer(now, u.posToVal(x, "x"), factor, [t[0]!, t[t.length - 1]!]);
      if (!range && factor < 1 && !state.zoom) return false;
      state.setZoom(range && [range[0] / f, range[1] / f]);
      return true;
    });
    let down = 0;
    u.over.addEventListener("pointerdown", (e) => (down = e.clientX));
    u.over.addEventListener("click", (e) => {
      if (Math.abs(e.clientX - down) > 5) return;
      const x = e.clientX - u.over.getBoundingClientRect().left;
      state.seek(u.posToVal(x, "x") / this.timeUnit.factor);
    });
    this.applyZoom();
  }

  /** The drawn point nearest to the pointer. */
  private hover(u: uPlot): void {
    const { left, idx } = u.cursor;
    this.tip.hidden = left === undefined || left < 0 || idx === null || idx === undefined;
    if (this.tip.hidden) return;
    const time = this.data.t[idx!]!;
    const lines = this.lines.flatMap((line, i) => {
      const value = this.data.v[i]![idx!];
      if (value === null || value === undefined || !u.series[i + 1]!.show) return [];
      return [el("div", {}, el("span", { class: "swatch", style: `border-top-color:${colour(line.colour)}` }), `${this.lines.length > 1 ? `${line.label} ` : ""}${this.spec.words?.get(Math.round(value)) ?? this.readouts[i]!.format.text(value)}`)];
    });
    this.tip.replaceChildren(el("div", {}, `${Number(time.toPrecision(6))} ${this.timeUnit.name}`), ...lines);
    const width = u.over.clientWidth;
    const onRight = left! > width / 2;
    this.tip.style.left = onRight ? "auto" : `${left! + 12}px`;
    this.tip.style.right = onRight ? `${width - left! + 12}px` : "auto";
  }

  applyZoom(): void {
    const u = this.plot;
    if (!u) return;
    const f = this.timeUnit.factor;
    const t = this.data.t;
    if (!t.length) return;
    const [min, max] = this.state.zoom ? [this.state.zoom[0] * f, this.state.zoom[1] * f] : [t[0]!, t[t.length - 1]!];
    if (u.scales.x!.min === min && u.scales.x!.max === max) return;
    this.syncing = true;
    u.batch(() => u.setScale("x", { min, max }));
    this.syncing = false;
  }

  /** Numbers and markers at the shared instant. */
  update(): void {
    const u = this.plot;
    if (!u || (!this.visible && this.state.playing)) return;
    const state = this.state;
    const time = state.time;
    const x = u.valToPos(time * this.timeUnit.factor, "x");
    const inside = x >= -0.5 && x <= u.over.clientWidth + 0.5;
    this.marker.style.transform = `translateX(${x}px)`;
    this.marker.hidden = !inside;
    this.readouts.forEach((r, i) => {
      const exact = r.frames ? r.frames[state.frame]! : exactAt(r.curve, time);
      const value = exact ?? valueAt(r.curve, time);
      const dot = this.dots[i]!;
      r.node.textContent = value === null ? "–" : this.spec.words ? (this.spec.words.get(Math.round(value)) ?? String(value)) : (exact === null ? "≈ " : "") + r.format.text(value * this.display.factor);
      const y = value === null ? NaN : u.valToPos(this.spec.log ? Math.max(Math.abs(value * this.display.factor), 1e-300) : value * this.display.factor, "y");
      dot.hidden = !inside || !isFinite(y) || y < -1 || y > u.over.clientHeight + 1 || !u.series[i + 1]!.show;
      if (!dot.hidden) dot.style.transform = `translate(${x}px,${y}px)`;
    });
  }

  resize(): void {
    if (!this.plot) {
      this.stale = true;
      return;
    }
    this.plot.setSize({ width: Math.max(this.box.clientWidth, 120), height: this.box.clientHeight || 190 });
    this.update();
  }

  private exported(): Exportable {
    if (this.stale) this.draw();
    const u = this.plot!;
    const many = this.state.runs.length > 1;
    const difference = this.state.reference >= 0;
    return {
      title: this.spec.title,
      x: { label: `time, ${this.timeUnit.name}`, min: u.scales.x!.min!, max: u.scales.x!.max! },
      y: {
        label: `${difference ? "difference" : this.spec.title.toLowerCase()}${this.display.name ? `, ${this.display.name}` : ""}`,
        min: u.scales.y!.min!,
        max: u.scales.y!.max!,
        log: this.spec.log,
        words: this.spec.words,
      },
      curves: this.lines
        .map((line, i) => ({ line, i }))
        .filter(({ i }) => u.series[i + 1]!.show)
        .map(({ line, i }) => ({
          x: this.data.t,
          y: this.data.v[i]!,
          colour: colour(line.colour),
          dash: DASHES[line.dash],
          label: this.lines.length > 1 || many ? line.label : undefined,
        })),
    };
  }
}

function wordRange(words: Map<number, string>): [number, number] {
  const values = [...words.keys()];
  return [Math.min(...values) - 0.4, Math.max(...values) + 0.4];
}

/** A stored value of the curve at exactly this time. */
function exactAt(curve: Curve, time: number): number | null {
  let low = 0;
  let high = curve.t.length;
  while (low < high) {
    const m = (low + high) >> 1;
    if (curve.t[m]! < time) low = m + 1;
    else high = m;
  }
  return curve.t[low] === time ? curve.v[low]! : null;
}

function subtract(a: Curve, b: Curve): Curve {
  const { t, v } = align([a, b]);
  const times: number[] = [];
  const values: number[] = [];
  for (let i = 0; i < t.length; ++i) {
    const x = v[0]![i];
    const y = v[1]![i];
    if (x === null || y === null || x === undefined || y === undefined) continue;
    times.push(t[i]!);
    values.push(x - y);
  }
  return { t: Float64Array.from(times), v: Float64Array.from(values) };
}

let ruler: CanvasRenderingContext2D | undefined;
function textWidth(text: string, font: string): number {
  ruler ??= document.createElement("canvas").getContext("2d")!;
  ruler.font = font;
  return ruler.measureText(text).width;
}

/** Knows which diagrams can be seen; only those are drawn. */
class Watcher {
  private plots = new Map<Element, TimePlot>();
  private observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) this.plots.get(entry.target)?.setVisible(entry.isIntersecting);
    },
    { rootMargin: "200px" },
  );
  private sizes = new ResizeObserver((entries) => {
    for (const entry of entries) this.plots.get(entry.target)?.resize();
  });
  add(plot: TimePlot): void {
    this.plots.set(plot.root, plot);
    this.observer.observe(plot.root);
    this.sizes.observe(plot.root);
  }
  remove(plot: TimePlot): void {
    this.observer.unobserve(plot.root);
    this.sizes.unobserve(plot.root);
    this.plots.delete(plot.root);
  }
  all(): Iterable<TimePlot> {
    return this.plots.values();
  }
}
export const watcher = new Watcher();
