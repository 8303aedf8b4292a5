// SPDX-License-Identifier: Apache-2.0
// The page of a study: any column against any other, the row behind each point, and what was
// concluded. src/report/study_page.cpp is the other end of this contract.
import { decode } from "./data";
import { el, select } from "./dom";
import type { Exportable } from "./export";
import { padded } from "./figure";
import { table } from "./tables";
import { colour, css, isDark } from "./theme";
import { brief as fourDigits, prettyUnit, Units } from "./units";
import { drawWorn } from "./wear";
import { XYPlot } from "./xy_plot";

interface ColumnSpec {
  group: "inputs" | "outputs" | "section" | "rows";
  name: string;
  unit: string;
  count: number;
  float: boolean;
  at: number;
  words?: string;
}
interface StudySpec {
  file: string;
  kind: string;
  rows: number;
  failed: number;
  seed: string;
  version: string;
  created: string;
  command: string;
  sha256: string;
  columns: ColumnSpec[];
  status: number;
  failures: { row: number; error: string }[];
  left_out: number;
  results: { name: string; unit: string; values: number[] }[];
  text: string;
  model: string;
  doubles: number;
}

const { study, generator } = JSON.parse(document.getElementById("data")!.textContent!) as { study: StudySpec; generator: string };
const block = document.getElementById("block-0")!;
const buffer = decode(block.textContent!);
block.remove();
const doubles = new Float64Array(buffer, 0, study.doubles);
const floats = new Float32Array(buffer, study.doubles * 8);
const status = doubles.subarray(study.status, study.status + study.rows);
const units = new Units();

/** Counts are whole. */
function brief(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e6 ? String(value).replace("-", "−") : fourDigits(value);
}

type Values = Float64Array | Float32Array;
class Column {
  readonly values: Values;
  readonly words: string[];
  constructor(readonly spec: ColumnSpec) {
    this.values = (spec.float ? floats : doubles).subarray(spec.at, spec.at + spec.count);
    this.words = spec.words?.split(", ") ?? [];
  }
  get name(): string {
    return this.spec.name;
  }
  get sampled(): boolean {
    return this.spec.group === "section";
  }
  /** As a person reads it: the word, or a number with its unit. */
  text(value: number): string {
    return this.words[value] ?? [brief(value), prettyUnit(this.spec.unit)].filter(Boolean).join(" ");
  }
}
const all = study.columns.map((spec) => new Column(spec));
const inputs = all.filter((c) => c.spec.group === "inputs");
const outputs = all.filter((c) => c.spec.group === "outputs");
const samples = all.filter((c) => c.sampled && c.name !== "turn");
const sampleRow = all.find((c) => c.spec.group === "rows")?.values;
const number = new Column({ group: "outputs", name: "row", unit: "1", count: 0, float: false, at: 0 });
(number as { values: Values }).values = Float64Array.from({ length: study.rows }, (_, i) => i);

// --- any column against any other -----------------------------------------------------------------

let chosen = -1; // row

/** Points of two columns; where one is sampled each turn, the other is repeated for every sample. */
function points(x: Column, y: Column): { x: number[]; y: number[]; row: number[] } {
  const out = { x: [] as number[], y: [] as number[], row: [] as number[] };
  const sampled = x.sampled || y.sampled;
  const count = sampled ? sampleRow!.length : study.rows;
  for (let i = 0; i < count; ++i) {
    const row = sampled ? sampleRow![i]! : i;
    if (status[row] !== 0) continue;
    out.x.push(x.values[x.sampled ? i : row]!);
    out.y.push(y.values[y.sampled ? i : row]!);
    out.row.push(row);
  }
  return out;
}
function limits(values: number[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return padded(low, high);
}
function scaled(column: Column, values: number[]): { values: number[]; label: string; factor: number } {
  const largest = values.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
  const unit = units.of(column.spec.unit, largest);
  const label = [column.name, column.words.length ? "(number of the word)" : unit.name && `[${unit.name}]`].filter(Boolean).join(" ");
  return { values: unit.factor === 1 ? values : values.map((v) => v * unit.factor), label, factor: unit.factor };
}

class Scatter {
  readonly root: HTMLElement;
  private plot: XYPlot;
  private drawn = { x: [] as number[], y: [] as number[], row: [] as number[] };

  constructor(private x: Column, private y: Column, title: string, private onRow: (row: number) => void) {
    this.plot = new XYPlot(
      title,
      () => this.figure(),
      () => this.marks(),
      (at, m) => {
        let best = -1;
        let least = 20 ** 2; // pixels
        this.drawn.row.forEach((row, i) => {
          const d = (m.x(this.drawn.x[i]!) - at.x) ** 2 + (m.y(this.drawn.y[i]!) - at.y) ** 2;
          if (d < least) [least, best] = [d, row];
        });
        if (best >= 0) this.onRow(best);
      },
    );
    const columns = [...inputs, ...samples, ...outputs, number];
    const options = columns.map((c, i): [string, string] => [String(i), c.name]);
    const pick = (label: string, now: Column, change: (c: Column) => void) =>
      select(label, options, String(columns.indexOf(now)), (v) => {
        change(columns[Number(v)]!);
        this.plot.rebuild();
      });
    this.plot.tools.append(pick("up", y, (c) => (this.y = c)), pick("across", x, (c) => (this.x = c)));
    this.root = this.plot.root;
    this.root.classList.add("wide");
  }
  private figure(): Exportable {
    const found = points(this.x, this.y);
    const [x, y] = [scaled(this.x, found.x), scaled(this.y, found.y)];
    this.drawn = { x: x.values, y: y.values, row: found.row };
    const [x0, x1] = limits(x.values);
    const [y0, y1] = limits(y.values);
    return {
      title: `${this.y.name} over ${this.x.name}`,
      x: { label: x.label, min: x0, max: x1 },
      y: { label: y.label, min: y0, max: y1 },
      curves: [{ x: x.values, y: y.values, colour: colour(0), points: found.row.length > 20000 ? 0.5 : found.row.length > 2000 ? 0.9 : 2 }],
    };
  }
  private marks(): { x: number; y: number; colour: string }[] {
    const out: { x: number; y: number; colour: string }[] = [];
    this.drawn.row.forEach((row, i) => row === chosen && out.length < 400 && out.push({ x: this.drawn.x[i]!, y: this.drawn.y[i]!, colour: colour(1) }));
    return out;
  }
  update(): void {
    this.plot.update();
  }
  rebuild(): void {
    this.plot.rebuild();
  }
}

// --- what belongs to the kind -----------------------------------------------------------------------

/** How often which value: of a Monte Carlo study. */
function histogram(): HTMLElement[] {
  let shown = outputs[0]!;
  const plot = new XYPlot("histogram", () => {
    const found = points(shown, shown);
    const { values, label } = scaled(shown, found.x);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const bins = Math.max(5, Math.min(60, Math.round(Math.sqrt(values.length))));
    const counts = new Array<number>(bins).fill(0);
    for (const v of values) counts[Math.min(bins - 1, Math.floor(((v - low) / (high - low || 1)) * bins))]!++;
    const x: number[] = [];
    const y: number[] = [];
    counts.forEach((c, i) => {
      const [a, b] = [low + ((high - low) * i) / bins, low + ((high - low) * (i + 1)) / bins];
      x.push(a, a, b, b);
      y.push(0, c, c, 0);
    });
    const [x0, x1] = padded(low, high);
    return { title: `distribution of ${shown.name}`, x: { label, min: x0, max: x1 }, y: { label: "rows", min: 0, max: 1.08 * Math.max(1, ...counts) }, curves: [{ x, y, colour: colour(0) }] };
  });
  plot.tools.append(select("of", outputs.map((c, i): [string, string] => [String(i), c.name]), "0", (v) => ((shown = outputs[Number(v)]!), plot.rebuild())));
  return [plot.root];
}

/** The goal, and the best of it so far, in the order in which rows were tried. */
function convergence(): HTMLElement[] {
  const down = !/^\s*maximise\s*=/m.test(study.text);
  let goal = outputs.find((c) => c.name === "misfit") ?? outputs[0]!;
  const plot = new XYPlot("convergence", () => {
    const found = points(number, goal);
    const { values, label } = scaled(goal, found.y);
    let best = down ? Infinity : -Infinity;
    const bests = values.map((v) => (best = down ? Math.min(best, v) : Math.max(best, v)));
    const [y0, y1] = limits(values);
    const [x0, x1] = limits(found.x);
    return {
      title: `${goal.name}, row by row`,
      x: { label: "row", min: x0, max: x1 },
      y: { label, min: y0, max: y1 },
      curves: [
        { x: found.x, y: values, colour: colour(0), points: 2, label: "tried" },
        { x: found.x, y: bests, colour: colour(1), label: down ? "least so far" : "greatest so far" },
      ],
    };
  });
  if (outputs.length > 1)
    plot.tools.append(select("of", outputs.map((c, i): [string, string] => [String(i), c.name]), String(outputs.indexOf(goal)), (v) => ((goal = outputs[Number(v)]!), plot.rebuild())));
  return [plot.root];
}

/** Sobol's indices as bars, with their errors. */
function sensitivityBars(): HTMLElement[] {
  const of = (name: string) => study.results.find((r) => r.name === name)?.values ?? [];
  const names = study.results.filter((r) => r.name.endsWith("/first")).map((r) => r.name.slice(0, -"/first".length));
  return names.map((name) => {
    const kinds = ["total", "first"] as const;
    const largest = Math.max(1, ...kinds.flatMap((k) => of(`${name}/${k}`)));
    const rows = inputs.map((input, v) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, input.name),
        el(
          "td",
          { class: "bars" },
          ...kinds.map((kind, k) => {
            const value = of(`${name}/${kind}`)[v] ?? 0;
            const error = of(`${name}/${kind}_error`)[v] ?? 0;
            const bar = el("div", { class: "bar" });
            bar.style.width = `${(100 * Math.max(0, value)) / largest}%`;
            bar.style.background = colour(k);
            return el("div", { class: "bar-row" }, el("span", { class: "bar-box" }, bar), el("span", {}, `${kind} ${brief(value)} ± ${brief(error)}`));
          }),
        ),
      ),
    );
    return el("div", { class: "table-box" }, el("p", { class: "caption" }, `Share of the variance of ${name}: alone (first), and together with others (total).`), el("table", {}, el("tbody", {}, ...rows)));
  });
}

/** Clearance, peak force and depth against cycles, and the contours at any of them: of a life. */
function life(): HTMLElement[] {
  const of = (name: string) => study.results.find((r) => r.name === `life/${name}`)?.values ?? [];
  const cycles = of("cycles");
  const joints = study.results.filter((r) => /^life\/.*\/clearance$/.test(r.name)).map((r) => r.name.slice("life/".length, -"/clearance".length));
  const against = (what: string, label: string, unit: string) =>
    new XYPlot(label, () => {
      const largest = Math.max(1e-300, ...joints.flatMap((j) => of(`${j}/${what}`)));
      const shown = units.of(unit, largest);
      const curves = joints.map((j, k) => ({ x: cycles, y: of(`${j}/${what}`).map((v) => v * shown.factor), colour: colour(k), label: j }));
      const [y0, y1] = limits(curves.flatMap((c) => c.y));
      const [x0, x1] = limits(cycles);
      return { title: `${label} over life`, x: { label: "cycles", min: x0, max: x1 }, y: { label: `${label} [${shown.name}]`, min: y0, max: y1 }, curves };
    }).root;
  return [
    el("p", { class: "caption" }, `The life ends at ${brief(of("end")[0] ?? 0)} cycles; ${brief(of("simulated_cycles")[0] ?? 0)} were simulated.`),
    against("clearance", "clearance", "m"),
    against("peak_force", "peak force", "N"),
    ...joints.map((joint) => contours(joint, cycles, of(`${joint}/outer_profile`), of(`${joint}/inner_profile`))),
  ];
}

/** Both parts of a joint side by side, at the cycles of a slider. */
function contours(joint: string, cycles: number[], outer: number[], inner: number[]): HTMLElement {
  const sectors = outer.length / cycles.length;
  const deepest = Math.max(1e-300, ...outer, ...inner);
  const size = 300;
  const canvas = el("canvas", { role: "img", "aria-label": `worn contours of ${joint}` });
  const caption = el("p", { class: "caption" });
  const slider = el("input", { type: "range", min: "0", max: String(cycles.length - 1), value: String(cycles.length - 1), "aria-label": "cycles" });
  const draw = () => {
    const at = Number(slider.value);
    canvas.width = 2 * size * devicePixelRatio;
    canvas.height = size * devicePixelRatio;
    canvas.style.width = `${2 * size}px`;
    canvas.style.maxWidth = "100%";
    const c = canvas.getContext("2d")!;
    c.scale(devicePixelRatio, devicePixelRatio);
    const scale = (0.25 * 0.36 * size) / deepest;
    [outer, inner].forEach((all, k) => {
      const ring = { x: size * (k + 0.5), y: size / 2, radius: 0.36 * size, turn: 0, outward: k === 0 };
      c.strokeStyle = css("ink");
      c.lineWidth = 1.5;
      c.beginPath();
      c.arc(ring.x, ring.y, ring.radius, 0, 7);
      c.stroke();
      const depth = all.slice(at * sectors, (at + 1) * sectors);
      drawWorn(c, ring, depth, deepest, scale);
      c.fillStyle = css("ink");
      c.textAlign = "center";
      c.font = "13px sans-serif";
      const most = units.of("m", deepest);
      c.fillText(k === 0 ? "outer part" : "inner part", ring.x, ring.y - 4);
      c.fillText(`${brief(Math.max(...depth) * most.factor)} ${most.name}`, ring.x, ring.y + 14);
    });
    const most = units.of("m", deepest);
    caption.textContent = `${joint} after ${brief(cycles[at]!)} cycles. Depths are drawn so that ${brief(deepest * most.factor)} ${most.name} are a quarter of the radius, and coloured by their size.`;
  };
  slider.addEventListener("input", draw);
  draw();
  return el("div", { class: "contours" }, el("h3", {}, joint), canvas, slider, caption);
}

// --- the page -------------------------------------------------------------------------------------

function panel(id: string, title: string, ...content: (Node | undefined)[]): HTMLElement {
  return el("section", { class: "panel", id, "aria-label": title }, el("header", {}, el("h2", {}, title)), ...content);
}

const rowBox = el("div", { class: "row-box" });
function showRow(row: number): void {
  chosen = row;
  const stem = study.file.replace(/\.h5$/, "");
  const command = `freeplay study ${quoted(studyFile())} --output ${quoted(study.file)} --row ${row} && freeplay report ${quoted(`${stem}_row_${row}.h5`)}`;
  const copy = el("button", { type: "button", onclick: () => void navigator.clipboard?.writeText(command).then(() => (copy.textContent = "Copied")) }, "Copy");
  rowBox.replaceChildren(
    el("h3", {}, `Row ${row}`),
    el("dl", { class: "readout" }, ...[...inputs, ...outputs].flatMap((c) => [el("dt", {}, c.name), el("dd", {}, c.text(c.values[row]!))])),
    el("p", { class: "caption" }, "To see this run move:"),
    el("p", {}, el("code", {}, command), " ", copy),
  );
  scatter.update();
}
/** The study file, from the command that made the table. */
function studyFile(): string {
  return /\bstudy\s+("[^"]+"|'[^']+'|\S+\.toml)/.exec(study.command)?.[1]?.replace(/^["']|["']$/g, "") ?? "STUDY.toml";
}
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;
}

const scatter = new Scatter(inputs[0] ?? outputs.find((c) => study.kind === "wear" && c.name === "cycles") ?? number, samples[0] ?? outputs.find((c) => c.name.endsWith("/clearance")) ?? outputs[0] ?? number, "study", showRow);
const special: Record<string, () => HTMLElement[]> = { "monte-carlo": histogram, sensitivity: sensitivityBars, optimise: convergence, fit: convergence, wear: life };

document.title = `${study.file} – Freeplay`;
document.body.append(
  el(
    "header",
    { class: "top" },
    el("div", { class: "title" }, el("span", { class: "brand" }, "Freeplay"), el("h1", {}, `${study.file}: ${study.kind}, ${study.rows} rows`)),
    el(
      "div",
      { class: "top-tools" },
      el(
        "button",
        {
          type: "button",
          onclick: () => {
            document.documentElement.dataset.theme = isDark() ? "light" : "dark";
            scatter.rebuild();
          },
        },
        "Dark / light",
      ),
    ),
  ),
  el(
    "main",
    {},
    study.failed ? el("p", { class: "notice bad" }, `${study.failed} of ${study.rows} rows failed; they are left out of the diagrams. `, study.failures[0] ? `Row ${study.failures[0].row}: ${study.failures[0].error}` : "") : null,
    study.left_out ? el("p", { class: "notice" }, `${study.left_out} samples are not drawn, evenly left out; the file has them all.`) : null,
    panel(
      "points",
      "Rows",
      el("p", { class: "caption" }, samples.length ? "Each point is one turn of one run. Click one to see the row behind it." : "Each point is one run. Click one to see it."),
      el("div", { class: "stage" }, scatter.root, rowBox),
    ),
    special[study.kind] && outputs.length ? panel("kind", { "monte-carlo": "Distribution", sensitivity: "Sensitivity", optimise: "Convergence", fit: "Convergence", wear: "Life" }[study.kind]!, ...special[study.kind]!()) : null,
    study.results.length
      ? panel(
          "results",
          "Results",
          table(
            ["number", "value", "unit"],
            study.results.filter((r) => !r.name.endsWith("_profile")).map((r) => [r.name, r.values.map(brief).join(", "), prettyUnit(r.unit)]),
          ),
        )
      : null,
    study.failures.length ? panel("failures", "Rows that failed", table(["row", "error"], study.failures.map((f) => [String(f.row), f.error]))) : null,
    panel(
      "trust",
      "Where it comes from",
      table(
        ["", ""],
        [
          ["command", el("code", {}, study.command)],
          ["made", `${study.created} by freeplay ${study.version}`],
          ["seed", study.seed],
          ["study and model", el("code", { class: "hash" }, study.sha256)],
        ],
        "trust",
      ),
      el("details", {}, el("summary", {}, "Study file"), el("pre", { class: "model" }, study.text)),
      el("details", {}, el("summary", {}, "Model file"), el("pre", { class: "model" }, study.model)),
    ),
    el("footer", {}, generator),
  ),
);
rowBox.append(el("p", { class: "caption" }, "No point chosen yet."));
(window as unknown as { freeplay: unknown }).freeplay = { study, showRow };
