// SPDX-License-Identifier: Apache-2.0
// One series against another: the phase portrait of the body one looks at, the orbit in a joint with
// its clearance circle, or whatever is chosen. Lengths against lengths are drawn in one scale.
import type { Channel, JointSpec, Run } from "./data";
import { select } from "./dom";
import type { Exportable } from "./export";
import { padded } from "./figure";
import { outputBody } from "./scene";
import { liveliest, seriesOf, seriesOptions, type Redrawn } from "./sections";
import type { State } from "./state";
import { colour, css } from "./theme";
import { XYPlot } from "./xy_plot";

interface Picked {
  channel: Channel;
  component: number;
}

/** The joint whose orbit these two series are. */
function orbitOf(run: Run, x: Picked, y: Picked): JointSpec | undefined {
  if (x.channel !== y.channel) return undefined;
  const joint = /^joints\/(.*)\/eccentricity$/.exec(x.channel.path)?.[1];
  return run.imperfect.find((j) => j.name === joint && j.kind.play === "round");
}

export function phaseSection(state: State): Redrawn {
  const { runs } = state;
  const many = runs.length > 1;
  const body = `bodies/${outputBody(state.run)}`;
  const position = state.run.channel(`${body}/position`);
  const best = position ? liveliest(position) : 0;
  let kx = `${body}/position|${best}`;
  let ky = `${body}/velocity|${best}`;
  const pick = (run: Run) => {
    const x = seriesOf(run, kx);
    const y = seriesOf(run, ky);
    return x && y && { x, y };
  };
  const units = () => {
    const p = pick(state.run)!;
    const [sx, sy] = [p.x.channel.scale(p.x.component), p.y.channel.scale(p.y.component)];
    const equal = p.x.channel.unit === p.y.channel.unit;
    const of = (c: Channel, scale: number) => state.units.of(c.unit, equal ? Math.max(sx, sy) : scale);
    return { x: of(p.x.channel, sx), y: of(p.y.channel, sy), p, equal };
  };
  const figure = (): Exportable | undefined => {
    if (!pick(state.run)) return undefined;
    const { x: ux, y: uy, p, equal } = units();
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    const curves: Exportable["curves"] = runs.flatMap((run, r) => {
      const s = pick(run);
      if (!s || !state.shown[r]) return [];
      const x = s.x.channel.at(s.x.component).map((v) => v * ux.factor);
      const y = s.y.channel.at(s.y.component).map((v) => v * uy.factor);
      for (const v of x) [x0, x1] = [Math.min(x0, v), Math.max(x1, v)];
      for (const v of y) [y0, y1] = [Math.min(y0, v), Math.max(y1, v)];
      return [{ x, y, colour: colour(many ? r : 0), label: many ? run.label : undefined, width: 1.2, dash: [] as number[] }];
    });
    const orbit = orbitOf(state.run, p.x, p.y);
    if (orbit) {
      const radius = (orbit.clearance!.outer - orbit.clearance!.inner) * ux.factor;
      const circle = Array.from({ length: 181 }, (_, k) => (k * Math.PI) / 90);
      curves.unshift({ x: circle.map((a) => radius * Math.cos(a)), y: circle.map((a) => radius * Math.sin(a)), colour: css("ink-soft"), width: 1, dash: [4, 4], label: "clearance" });
      [x0, x1, y0, y1] = [Math.min(x0, -radius), Math.max(x1, radius), Math.min(y0, -radius), Math.max(y1, radius)];
    }
    const [xa, xb] = padded(x0, x1);
    const [ya, yb] = padded(y0, y1);
    const name = (s: Picked, unit: string) => `${s.channel.seriesName(s.component)}${unit ? `, ${unit}` : ""}`;
    return { title: orbit ? `Orbit in ${orbit.name}` : equal ? "Path" : "Phase portrait", x: { label: name(p.x, ux.name), min: xa, max: xb }, y: { label: name(p.y, uy.name), min: ya, max: yb }, curves, equal };
  };
  const plot = new XYPlot("Phase portrait", figure, () => {
    const s = pick(state.run);
    if (!s) return [];
    const { x: ux, y: uy } = units();
    return [{ x: s.x.channel.at(s.x.component)[state.frame]! * ux.factor, y: s.y.channel.at(s.y.component)[state.frame]! * uy.factor, colour: colour(many ? state.primary : 0) }];
  });
  const tools = () => {
    const options = seriesOptions(state.run, () => true);
    const orbits = state.run.imperfect.filter((j) => j.kind.play === "round").map((j) => {
      const channel = state.run.channel(`joints/${j.name}/eccentricity`)!;
      const order = channel.components.map((_, c) => c).sort((a, b) => channel.range(b) - channel.range(a));
      const [a, b] = order.slice(0, 2).sort((p, q) => p - q);
      return [`${channel.path}|${a} ${channel.path}|${b}`, `orbit in ${j.name}`] as [string, string];
    });
    const usual = `${body}/position|${best} ${body}/velocity|${best}`;
    const show = (x: string, y: string) => {
      [kx, ky] = [x, y];
      tools();
      plot.reset();
    };
    plot.tools.replaceChildren(
      ...(orbits.length ? [select("show", [[usual, `phase portrait of ${outputBody(state.run)}`], ...orbits, ["", "as chosen"]], [usual, ...orbits.map((o) => o[0])].includes(`${kx} ${ky}`) ? `${kx} ${ky}` : "", (v) => v && show(...(v.split(" ") as [string, string])))] : []),
      select("x", options, kx, (v) => show(v, ky)),
      select("y", options, ky, (v) => show(kx, v)),
    );
  };
  tools();
  return { root: plot.root, rebuild: () => plot.rebuild(), update: () => plot.update(), reveal: () => plot.reveal() };
}
