// SPDX-License-Identifier: Apache-2.0
// The pressure in an oil film over the unrolled bearing: angle to the right, length of the bearing
// upwards.
import { nearestIndex, type Run } from "./data";
import { FONT } from "./painter";
import { css } from "./theme";

export interface Pressure {
  around: number;
  along: number; // nodes from end to end
  values: Float32Array; // Pa, angle after angle
  time: number; // s
  most: number; // of the run; Pa
}

const largest = new WeakMap<object, number>();

/** The map recorded nearest to a time; nothing where none was. */
export function pressureAt(run: Run, joint: string, time: number): Pressure | undefined {
  const spec = run.pressure.find((p) => p.joint === joint);
  if (!spec) return undefined;
  const nodes = spec.around * spec.along;
  const whole = run.floats.subarray(spec.values, spec.values + nodes * spec.time.length);
  let most = largest.get(spec);
  if (most === undefined) largest.set(spec, (most = whole.reduce((m, v) => Math.max(m, v), 0)));
  const k = nearestIndex(Float64Array.from(spec.time), time);
  return { around: spec.around, along: spec.along, values: whole.subarray(k * nodes, (k + 1) * nodes), time: spec.time[k]!, most };
}

// From deep blue by green to yellow: brighter is more, for every colour vision (after viridis).
const SCALE = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]] as const;
function shade(share: number): [number, number, number] {
  const x = Math.min(Math.max(share, 0), 1) * (SCALE.length - 1);
  const k = Math.min(SCALE.length - 2, Math.floor(x));
  return [0, 1, 2].map((c) => SCALE[k]![c]! + (x - k) * (SCALE[k + 1]![c]! - SCALE[k]![c]!)) as [number, number, number];
}

export function drawPressure(c: CanvasRenderingContext2D, width: number, height: number, p: Pressure, name: (pressure: number) => string): void {
  const [left, right, top, bottom] = [8, 8, 20, 34];
  const [w, h] = [width - left - right, height - top - bottom];
  c.clearRect(0, 0, width, height);
  c.font = `12px ${FONT}`;
  c.textBaseline = "middle";
  c.fillStyle = css("ink-soft");
  c.textAlign = "left";
  c.fillText(`Pressure in the film at t = ${Number(p.time.toPrecision(5))} s`, left, 9);
  // One pixel for each node, drawn larger with soft edges; the first angle again at the end.
  const picture = document.createElement("canvas");
  [picture.width, picture.height] = [p.around + 1, p.along];
  const data = new ImageData(p.around + 1, p.along);
  for (let a = 0; a <= p.around; ++a)
    for (let z = 0; z < p.along; ++z) {
      const value = p.values[(a % p.around) * p.along + z]!;
      data.data.set([...shade(p.most > 0 ? value / p.most : 0), 255], 4 * ((p.along - 1 - z) * (p.around + 1) + a));
    }
  picture.getContext("2d")!.putImageData(data, 0, 0);
  c.imageSmoothingQuality = "high";
  // The middles of the outer pixels are the ends.
  c.drawImage(picture, 0.5, 0.5, p.around, p.along - 1, left, top, w, h);
  c.strokeStyle = css("ink-soft");
  c.lineWidth = 1;
  c.strokeRect(left, top, w, h);
  c.textAlign = "center";
  for (const degrees of [0, 90, 180, 270, 360]) {
    const x = left + (w * degrees) / 360;
    c.fillText(`${degrees}°`, Math.min(Math.max(x, left + 9), left + w - 14), top + h + 9);
  }
  // What the colours mean.
  const [x0, y0, bar] = [left + w * 0.3, height - 9, w * 0.4];
  for (let k = 0; k < 60; ++k) {
    c.fillStyle = `rgb(${shade(k / 59).map(Math.round).join()})`;
    c.fillRect(x0 + (bar * k) / 60, y0 - 4, bar / 60 + 1, 8);
  }
  c.fillStyle = css("ink-soft");
  c.textAlign = "right";
  c.fillText("0", x0 - 5, y0);
  c.textAlign = "left";
  c.fillText(name(p.most), x0 + bar + 5, y0);
}
