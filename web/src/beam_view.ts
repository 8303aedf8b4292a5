// SPDX-License-Identifier: Apache-2.0
// What a body that bends carries: bending moment and stress over time, and along its axis at the
// instant, between the extremes of the run.
import { Beam } from "./beam";
import { el, select } from "./dom";
import type { Exportable } from "./export";
import { padded } from "./figure";
import { Lines, PlotGrid, section, type Redrawn } from "./sections";
import type { State } from "./state";
import { colour, css } from "./theme";
import { XYPlot } from "./xy_plot";

type Quantity = { title: string; unit: string; of: (beam: Beam, frame: number) => Float64Array | undefined };
const QUANTITIES: Quantity[] = [
  { title: "Bending moment along", unit: "N m", of: (beam, frame) => beam.moment(frame) },
  { title: "Largest stress along", unit: "Pa", of: (beam, frame) => beam.stress(frame) },
];

export function beamSection(state: State, lines: Lines): Redrawn | undefined {
  let beams = Beam.all(state.run);
  if (!beams.length) return undefined;
  let name = beams[0]!.name;
  const beam = () => beams.find((b) => b.name === name);
  const grid = new PlotGrid(state);
  const extremes = new Map<string, [Float64Array, Float64Array]>();

  /** Lowest and highest value at every place over the run. */
  const envelope = (b: Beam, q: Quantity): [Float64Array, Float64Array] | undefined => {
    const key = `${state.primary}/${b.name}/${q.title}`;
    const known = extremes.get(key);
    if (known || !q.of(b, 0)) return known;
    const out: [Float64Array, Float64Array] = [new Float64Array(b.places).fill(Infinity), new Float64Array(b.places).fill(-Infinity)];
    const stride = Math.max(1, Math.floor(state.run.frames / 1500));
    for (let i = 0; i < state.run.frames; i += stride)
      q.of(b, i)!.forEach((v, k) => {
        out[0][k] = Math.min(out[0][k]!, v);
        out[1][k] = Math.max(out[1][k]!, v);
      });
    extremes.set(key, out);
    return out;
  };
  const scales = (b: Beam, q: Quantity) => {
    const [low, high] = envelope(b, q)!;
    const most = Math.max(...high.map(Math.abs), ...low.map(Math.abs));
    const [length, unit] = [state.units.of("m", b.length), state.units.of(q.unit, most)];
    const x = Float64Array.from({ length: b.places }, (_, k) => ((k * b.length) / (b.places - 1)) * length.factor);
    return { low, high, length, unit, x };
  };
  const plots = QUANTITIES.map(
    (q) =>
      new XYPlot(
        q.title,
        (): Exportable | undefined => {
          const b = beam();
          if (!b || !envelope(b, q)) return undefined;
          const { low, high, length, unit, x } = scales(b, q);
          const [l, h] = [low.map((v) => v * unit.factor), high.map((v) => v * unit.factor)];
          const [min, max] = padded(Math.min(0, ...l), Math.max(0, ...h));
          const edge = { x, colour: css("ink-soft"), width: 1, dash: [4, 4] };
          return { title: `${q.title} ${b.name}`, x: { label: `along the axis, ${length.name}`, min: 0, max: x[x.length - 1]! }, y: { label: unit.name, min, max }, curves: [{ ...edge, y: l, label: "extremes of the run" }, { ...edge, y: h }] };
        },
        undefined,
        undefined,
        () => {
          const b = beam();
          const values = b && envelope(b, q) && q.of(b, state.frame);
          if (!b || !values) return [];
          const { unit, x } = scales(b, q);
          return [{ x, y: values.map((v) => v * unit.factor), colour: colour(lines.many ? state.primary : 0) }];
        },
      ),
  );
  const { root, tools } = section("beams", "Bending", grid.root, el("div", { class: "plots twins" }, ...plots.map((p) => p.root)));
  const show = () => {
    grid.show([lines.spec(`Largest bending moment in ${name}`, `bodies/${name}/largest_bending_moment`, "all"), lines.spec(`Largest stress in ${name}`, `bodies/${name}/stress`, "all")]);
    for (const p of plots) p.rebuild();
  };
  const rebuild = () => {
    beams = Beam.all(state.run);
    root.hidden = !beams.length;
    if (!beams.length) return;
    if (!beam()) name = beams[0]!.name;
    const list = beams.map((b) => [b.name, b.name] as [string, string]);
    tools.replaceChildren(...(list.length > 1 ? [select("body", list, name, (v) => ((name = v), show()))] : []));
    show();
  };
  rebuild();
  return { root, rebuild, update: () => plots.forEach((p) => p.update()), reveal: () => plots.forEach((p) => p.reveal()) };
}
