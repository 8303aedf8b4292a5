// SPDX-License-Identifier: Apache-2.0
// A diagram with axes on a Painter: what is exported, and what needs no zoom on the screen.
import type { Painter } from "./painter";

export interface Axis {
  label: string;
  min: number;
  max: number;
  log?: boolean;
  words?: Map<number, string>; // in place of numbers
}
export interface FigureCurve {
  x: ArrayLike<number>;
  y: ArrayLike<number | null>;
  colour: string;
  dash?: number[];
  label?: string;
  width?: number;
  points?: number; // half the side of a square on every value, instead of a line
}
export interface Figure {
  width: number;
  height: number;
  title?: string;
  x: Axis;
  y: Axis;
  curves: FigureCurve[];
  ink: string;
  grid: string;
  paper: string;
  equal?: boolean; // both axes in one scale
}
/** Where values are on the paper. */
export interface Mapping {
  left: number;
  top: number;
  width: number;
  height: number;
  x(value: number): number;
  y(value: number): number;
  /** The axes as drawn. */
  axes: [Axis, Axis];
}

/** Round numbers that divide a range into about `count` pieces. */
export function ticks(min: number, max: number, count: number): number[] {
  if (!(max > min)) return [min];
  const raw = max / count - min / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 2.5, 5, 10].find((m) => m * power >= raw * 0.999) ?? 10);
  const first = Math.ceil(min / step - 1e-9);
  const last = Math.floor(max / step + 1e-9);
  const out: number[] = [];
  for (let k = first; k <= last && out.length < 100; ++k) out.push(k * step);
  return out;
}
export function logTicks(min: number, max: number): number[] {
  const low = Math.ceil(Math.log10(min) - 1e-9);
  const high = Math.floor(Math.log10(max) + 1e-9);
  const stride = Math.max(1, Math.ceil((high - low) / 7));
  const out: number[] = [];
  for (let k = low; k <= high; k += stride) out.push(10 ** k);
  return out;
}

/** Labels of ticks: as many decimals as tell them apart. */
export function tickLabels(values: number[]): string[] {
  let largest = 0;
  for (const v of values) largest = Math.max(largest, Math.abs(v));
  const step = values.length > 1 ? Math.abs(values[1]! - values[0]!) : largest;
  if (largest === 0) return values.map(() => "0");
  if (largest >= 1e5 || largest < 1e-3)
    return values.map((v) => {
      if (v === 0 || Math.abs(v) < step * 1e-6) return "0";
      const digits = Math.min(Math.max(0, Math.floor(Math.log10(Math.abs(v))) - Math.floor(Math.log10(step) + 1e-9)), 6);
      let text = v.toExponential(digits);
      if (digits < 6 && Math.abs(Number(text) - v) > step * 1e-3) text = v.toExponential(digits + 1);
      return text.replace("e+", "e").replace(/-/g, "−");
    });
  let decimals = Math.max(0, Math.min(12, -Math.floor(Math.log10(step || 1) + 1e-9)));
  if (decimals < 12 && values.some((v) => Math.abs(Number(v.toFixed(decimals)) - v) > step * 1e-3)) ++decimals;
  return values.map((v) => {
    const text = v.toFixed(decimals);
    return (/^-0\.?0*$/.test(text) ? text.slice(1) : text).replace("-", "−");
  });
}
function logLabels(values: number[]): string[] {
  const raised = (n: number) => String(n).replace(/[-0-9]/g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)]!));
  return values.map((v) => `10${raised(Math.round(Math.log10(v)))}`);
}

/** Limits with a little air, also for constant data. */
export function padded(min: number, max: number, air = 0.06): [number, number] {
  if (!(max >= min)) return [0, 1];
  if (max === min) {
    const half = max === 0 ? 1 : Math.abs(max) * 0.1;
    return [min - half, max + half];
  }
  const pad = (max / 2 - min / 2) * 2 * air;
  return [Math.max(min - pad, -Number.MAX_VALUE), Math.min(max + pad, Number.MAX_VALUE)];
}

/** The axis whose unit is shorter on the paper gets more of it. */
function inOneScale(x: Axis, y: Axis, width: number, height: number): [Axis, Axis] {
  const per = Math.max((x.max - x.min) / width, (y.max - y.min) / height);
  const widened = (a: Axis, length: number): Axis => ({ ...a, min: (a.min + a.max) / 2 - (per * length) / 2, max: (a.min + a.max) / 2 + (per * length) / 2 });
  return [widened(x, width), widened(y, height)];
}

export function drawFigure(p: Painter, given: Figure): Mapping {
  let f = given;
  const small = 11;
  p.rect(0, 0, f.width, f.height, f.paper);
  const labelled = f.curves.filter((c) => c.label);

  // Rows of the legend above the plot, broken where the width ends.
  const rows: (typeof labelled)[] = [];
  let used = Infinity;
  for (const curve of labelled) {
    const w = 34 + p.textWidth(curve.label!, small) + 10;
    if (used + w > f.width - 20) {
      rows.push([]);
      used = 0;
    }
    rows[rows.length - 1]!.push(curve);
    used += w;
  }
  const top = 12 + (f.title ? 22 : 0) + rows.length * 17;

  const height = f.height - top - 44;
  const ticksOf = (axis: Axis, count: number) => (axis.words ? [...axis.words.keys()] : axis.log ? logTicks(axis.min, axis.max) : ticks(axis.min, axis.max, Math.max(2, count)));
  const labelsOf = (axis: Axis, at: number[]) => (axis.words ? at.map((v) => axis.words!.get(v)!) : axis.log ? logLabels(at) : tickLabels(at));
  const room = (axis: Axis) => 30 + Math.max(0, ...labelsOf(axis, ticksOf(axis, height / 45)).map((t) => p.textWidth(t, small)));
  if (f.equal) {
    const [x, y] = inOneScale(f.x, f.y, f.width - room(f.y) - 16, height);
    f = { ...f, x, y };
  }
  const xt = ticksOf(f.x, f.width / 90);
  const yt = ticksOf(f.y, height / 45);
  const xl = labelsOf(f.x, xt);
  const yl = labelsOf(f.y, yt);
  const left = room(f.y);
  const width = f.width - left - 16;

  const place = (axis: Axis, from: number, length: number) => {
    if (axis.log) {
      const a = Math.log10(axis.min);
      const b = Math.log10(axis.max);
      return (v: number) => from + ((Math.log10(v) - a) / (b - a)) * length;
    }
    // In halves: the difference of two huge limits may overflow.
    const half = axis.max / 2 - axis.min / 2;
    return (v: number) => from + ((v / 2 - axis.min / 2) / half) * length;
  };
  const X = place(f.x, left, width);
  const Y = place(f.y, top + height, -height);

  xt.forEach((v, i) => {
    p.line([X(v), X(v)], [top, top + height], { colour: f.grid });
    p.text(xl[i]!, X(v), top + height + 12, { size: small, colour: f.ink, align: "center" });
  });
  yt.forEach((v, i) => {
    p.line([left, left + width], [Y(v), Y(v)], { colour: f.grid });
    p.text(yl[i]!, left - 6, Y(v), { size: small, colour: f.ink, align: "right" });
  });
  p.clip(left, top, width, height);
  for (const c of f.curves) {
    const n = c.x.length;
    const xs = new Float64Array(n);
    const ys = new Float64Array(n);
    for (let i = 0; i < n; ++i) {
      const v = c.y[i];
      xs[i] = X(c.x[i]!);
      ys[i] = v === null || v === undefined ? NaN : Y(f.y.log ? Math.max(v, f.y.min) : v);
    }
    if (c.points) for (let i = 0; i < n; ++i) p.rect(xs[i]! - c.points, ys[i]! - c.points, 2 * c.points, 2 * c.points, c.colour);
    else p.line(xs, ys, { colour: c.colour, width: c.width ?? 1.4, dash: c.dash });
  }
  p.unclip();
  p.line([left, left, left + width], [top, top + height, top + height], { colour: f.ink });
  p.text(f.x.label, left + width / 2, f.height - 12, { size: 12, colour: f.ink, align: "center" });
  p.text(f.y.label, 12, top + height / 2, { size: 12, colour: f.ink, align: "center", angle: -Math.PI / 2 });
  if (f.title) p.text(f.title, 12, 16, { size: 13, colour: f.ink, bold: true });
  rows.forEach((row, r) => {
    const y = (f.title ? 34 : 12) + r * 17 + 4;
    let x = 12;
    for (const c of row) {
      p.line([x, x + 22], [y, y], { colour: c.colour, width: 2, dash: c.dash });
      p.text(c.label!, x + 28, y, { size: small, colour: f.ink });
      x += 34 + p.textWidth(c.label!, small) + 10;
    }
  });
  return { left, top, width, height, x: X, y: Y, axes: [f.x, f.y] };
}
