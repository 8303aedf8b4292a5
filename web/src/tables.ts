// SPDX-License-Identifier: Apache-2.0
// What is read rather than looked at: contacts, how far to trust the numbers, the model itself.
import type { ImpactRow, Run } from "./data";
import { el } from "./dom";
import type { State } from "./state";
import { brief, type DisplayUnit } from "./units";

type Cell = string | Node;

export function table(head: Cell[], rows: Cell[][], cls = ""): HTMLElement {
  return el(
    "div",
    { class: "table-box", tabindex: "0" },
    el(
      "table",
      { class: cls },
      el("thead", {}, el("tr", {}, ...head.map((h) => el("th", { scope: "col" }, h)))),
      el("tbody", {}, ...rows.map((r) => el("tr", {}, ...r.map((c, i) => (i === 0 ? el("th", { scope: "row" }, c) : el("td", {}, c)))))),
    ),
  );
}

/** The contacts of the moving result: one row from touch to separation, or to the end of the run. */
/** Units of the contacts of an end stop of an angle. */
const ANGULAR: Record<string, string> = { approach_speed: "rad/s", separation_speed: "rad/s", peak_force: "N m", peak_depth: "rad", impulse: "N m s" };

export class ImpactTable {
  readonly root = el("div");
  private rows: { row: HTMLTableRowElement; impact: ImpactRow }[] = [];
  private key: keyof ImpactRow = "start";
  private down = false;
  private all = false;

  constructor(private state: State) {}

  rebuild(): void {
    const { state } = this;
    const { impacts } = state.run;
    this.rows = [];
    this.root.replaceChildren();
    if (!impacts.length) {
      this.root.append(el("p", { class: "caption" }, state.run.ideal ? "All joints of this result are ideal: there are no contacts." : "No contact happened during this run."));
      if (state.run.events.length) this.root.append(this.eventList());
      return;
    }
    const turns = new Set(impacts.map((i) => i.joint).filter((j) => state.run.turns(j)));
    const largest = (key: keyof ImpactRow) => impacts.reduce((m, i) => (turns.has(i.joint) ? m : Math.max(m, Math.abs(i[key] as number))), 0);
    const lasts = impacts.reduce((m, i) => Math.max(m, i.end - i.start), 0);
    const u = state.units;
    const units = {
      time: u.of("s", Math.max(Math.abs(state.begin), Math.abs(state.end))),
      lasting: u.of("s", lasts),
      speed: u.of("m/s", largest("approach_speed")),
      force: u.of("N", largest("peak_force")),
      depth: u.of("m", largest("peak_depth")),
      energy: u.of("J", largest("energy_lost")),
      impulse: u.of("N s", largest("impulse")),
    };
    const columns: { key: keyof ImpactRow; title: string; unit?: DisplayUnit; value: (i: ImpactRow) => number }[] = [
      { key: "start", title: "start", unit: units.time, value: (i) => i.start },
      { key: "end", title: "lasting", unit: units.lasting, value: (i) => i.end - i.start },
      { key: "approach_speed", title: "approach", unit: units.speed, value: (i) => i.approach_speed },
      { key: "separation_speed", title: "separation", unit: units.speed, value: (i) => i.separation_speed },
      { key: "peak_force", title: "peak force", unit: units.force, value: (i) => i.peak_force },
      { key: "peak_depth", title: "peak depth", unit: units.depth, value: (i) => i.peak_depth },
      { key: "energy_lost", title: "energy lost", unit: units.energy, value: (i) => i.energy_lost },
    ];
    // Newton's law has an impulse where the others have a force and a depth.
    if (impacts.some((i) => i.impulse !== 0)) columns.splice(6, 0, { key: "impulse", title: "impulse", unit: units.impulse, value: (i) => i.impulse });
    const manyJoints = new Set(impacts.map((i) => i.joint)).size > 1;
    const by = columns.find((c) => c.key === this.key) ?? columns[0]!;
    const order = [...impacts].sort((a, b) => (this.down ? -1 : 1) * (by.value(a) - by.value(b)));
    const shown = this.all ? order : order.slice(0, 12);
    const head: Cell[] = columns.map((c) =>
      el(
        "button",
        {
          type: "button",
          class: "sort",
          "aria-label": `sort by ${c.title}`,
          onclick: () => {
            this.down = this.key === c.key ? !this.down : c.key !== "start";
            this.key = c.key;
            this.rebuild();
          },
        },
        `${c.title}${c.unit?.name ? `, ${c.unit.name}` : ""}${this.key === c.key ? (this.down ? " ↓" : " ↑") : ""}`,
      ),
    );
    head.push("restitution");
    if (manyJoints) head.push("joint");
    const box = table(
      head,
      shown.map((i) => {
        const go = el("button", { type: "button", class: "link", title: "Go to this contact", onclick: () => state.seek(i.start) }, brief(i.start * units.time.factor));
        const cells: Cell[] = [
          go,
          ...columns.slice(1).map((c) => {
            if (i.open && c.key === "separation_speed") return "still open";
            // The columns are in m and N; what is in rad and N m says so.
            if (turns.has(i.joint) && ANGULAR[c.key]) return `${brief(c.value(i))} ${ANGULAR[c.key]}`;
            return `${i.open && c.key === "end" ? "> " : ""}${brief(c.value(i) * (c.unit?.factor ?? 1))}`;
          }),
        ];
        cells.push(i.approach_speed > 0 && !i.open ? (i.separation_speed / i.approach_speed).toFixed(3) : "–");
        if (manyJoints) cells.push(i.joint);
        return cells;
      }),
      "numbers",
    );
    box.querySelectorAll("tbody tr").forEach((row, k) => this.rows.push({ row: row as HTMLTableRowElement, impact: shown[k]! }));
    const open = impacts.filter((i) => i.open).length;
    this.root.append(
      el(
        "p",
        { class: "caption" },
        `${impacts.length} contacts, from touch to separation${open ? ` (${open} still open at the end of the run)` : ""}, at full resolution. Click a start to go there; restitution is separation over approach speed.`,
      ),
      box,
    );
    if (impacts.length > 12)
      this.root.append(
        el(
          "button",
          {
            type: "button",
            onclick: () => {
              this.all = !this.all;
              this.rebuild();
            },
          },
          this.all ? "Show fewer" : `Show all ${impacts.length}`,
        ),
      );
    this.root.append(this.eventList());
    this.update();
  }

  /** Every located event, folded; its rows are made when it is opened. */
  private eventList(): HTMLElement {
    const { events } = this.state.run;
    const list = el("details", {}, el("summary", {}, `All ${events.length} located events`));
    list.addEventListener(
      "toggle",
      () => {
        const most = 5000;
        const many = new Set(events.map((e) => e.contact)).size > 1;
        list.append(
          table(
            ["time, s", "joint", ...(many ? ["contact"] : []), "what", "speed, m/s"],
            events.slice(0, most).map((e) => [
              el("button", { type: "button", class: "link", title: "Go to this event", onclick: () => this.state.seek(e.time) }, String(Number(e.time.toPrecision(9)))),
              e.joint,
              ...(many ? [String(e.contact)] : []),
              e.kind,
              this.state.run.turns(e.joint) ? `${brief(e.speed)} rad/s` : brief(e.speed),
            ]),
          ),
        );
        if (events.length > most) list.append(el("p", { class: "caption" }, `The first ${most}; freeplay export lists all.`));
      },
      { once: true },
    );
    return list;
  }

  /** Marks the contact of the present instant. */
  update(): void {
    const t = this.state.time;
    for (const { row, impact } of this.rows) row.classList.toggle("current", impact.start <= t && t <= impact.end);
  }
}

/** How far the numbers can be trusted, one column per result. */
export function trustBox(runs: Run[]): HTMLElement {
  const line = (name: string, get: (r: Run) => Cell): Cell[] => [name, ...runs.map(get)];
  const status = (r: Run) => {
    const good = r.run.status === "done" && r.complete;
    return el("span", { class: good ? "good" : "bad" }, good ? "✓ done, complete" : `✗ ${r.run.status}${r.complete ? "" : ", incomplete"}${r.run.reason ? `: ${r.run.reason}` : ""}`);
  };
  const residual = (r: Run) => {
    const relative = r.run.energy_scale > 0 ? r.run.energy_residual / r.run.energy_scale : 0;
    return `${brief(r.run.energy_residual)} J${r.run.energy_scale > 0 ? `, ${relative.toExponential(1).replace("-", "−")} of the energy in motion` : ""}`;
  };
  const deepest = (r: Run) => {
    let most = 0;
    let any = false;
    for (const c of r.channels)
      if (c.path.endsWith("/penetration")) {
        any = true;
        most = Math.max(most, c.scale());
      }
    for (const i of r.impacts) if (!r.turns(i.joint)) most = Math.max(most, i.peak_depth); // between the samples
    return any ? `${brief(most * 1e6)} µm` : "no contact";
  };
  return table(
    ["", ...runs.map((r) => r.label)],
    [
      line("status", status),
      line("convergence", convergence),
      ...(runs.some((r) => r.run.warnings.length) ? [line("warnings", (r) => el("span", { class: r.run.warnings.length ? "bad" : "" }, r.run.warnings.join("; ") || "none"))] : []),
      line("tolerance", (r) => `${r.model.tolerance.toExponential(0).replace("-", "−")}, relative to the mechanism's own scales`),
      line("steps", (r) => `${r.run.steps} accepted, ${r.run.rejected} rejected, ${r.run.evaluations} evaluations`),
      line("energy audit", residual),
      line("events", (r) => `${r.run.events} located, ${r.run.contacts} touches`),
      line("deepest penetration", deepest),
      line("CPU time", (r) => `${brief(r.run.cpu_seconds)} s`),
      line("shown here", (r) => `${r.frames} instants of ${r.rows.steps} steps and ${r.rows.uniform} uniform samples (every ${brief(r.uniformStep)} s); peaks in between are kept${r.leftOut ? `; ${r.leftOut} series of this large mechanism are left out` : ""}`),
      line("made by", (r) => `freeplay ${r.run.program_version}, seed ${r.run.seed}, ${r.run.created}`),
      line("command", (r) => el("code", {}, r.run.command)),
      line("model SHA-256", (r) => el("code", { class: "hash" }, r.run.model_sha256)),
    ],
    "trust",
  );
}

/** "converged" is said only where a finer run was compared, and until when; otherwise how to find out. */
function convergence(run: Run): HTMLElement {
  const t = run.run.trust;
  const again = (words: string) => el("span", {}, words, el("code", {}, `freeplay converge ${modelArguments(run)}`));
  if (!t) return again("not checked; find out with ");
  const small = (x: number) => x.toExponential(1).replace("-", "−");
  const differs = `${small(t.difference)} m and ${small(t.rotation)} rad from a run at ${t.knob} ${small(t.value)}`;
  if (t.until >= t.end) return el("span", { class: "good" }, `✓ converged to the end: at most ${differs}`);
  return el("span", { class: "bad" }, `✗ converged until ${brief(t.until)} s only, then up to ${differs}`);
}

/** Options of `run` that change the model; each is followed by its value. */
const changes = ["--set", "--tolerance", "--formulation", "--integrator", "--duration"];

/** The model file of a run and what its command changed in it, as it could be typed again. */
export function modelArguments(run: Run): string {
  const words = run.run.command.match(/(?:'[^']*'|\\'|[^\s'\\])+/g) ?? [];
  const out: string[] = [];
  let file = "MODEL.toml";
  const bare = (word: string) => word.replace(/^'/, "");
  for (let i = 2; i < words.length; ++i) {
    const word = words[i]!;
    if (changes.includes(word)) out.push(word, words[++i] ?? "");
    else if (changes.some((c) => bare(word).startsWith(`${c}=`))) out.push(word);
    else if (["-o", "--output", "--time-limit"].includes(word)) ++i;
    else if (!bare(word).startsWith("-")) file = word;
  }
  return [file, ...out].join(" ");
}

/** The text that made the result; lines about play stand out. */
export function modelText(run: Run): HTMLElement {
  const text = run.source || run.resolved;
  const code = el("pre", { class: "model", tabindex: "0" });
  let within = false;
  for (const raw of text.split("\n")) {
    if (/^\s*\[/.test(raw)) within = /\.(clearance|bushing|friction)/.test(raw);
    const mark = (within && raw.trim() !== "" && !/^\s*#/.test(raw)) || /^\s*clearance\s*=/.test(raw);
    const comment = /^([^"#]*(?:"[^"]*"[^"#]*)*)(#.*)$/.exec(raw);
    const line = el("span", { class: mark ? "line mark" : "line" });
    if (comment) line.append(comment[1]!, el("i", {}, comment[2]!));
    else line.append(raw);
    line.append("\n");
    code.append(line);
  }
  const worn = run.model.joints.find((j) => j.clearance);
  const file = modelArguments(run);
  const set = worn ? ` --set joints.${worn.name}.clearance.radial=0.1mm` : "";
  const parts = run.source ? [el("details", {}, el("summary", {}, "The same model resolved: parameters, units and overrides applied"), el("pre", { class: "model", tabindex: "0" }, run.resolved))] : [];
  return el("div", {}, el("p", { class: "caption" }, "Make it yours: save this text as a file, change a number, and run ", el("code", {}, `freeplay run ${file}${set}`)), code, ...parts);
}
