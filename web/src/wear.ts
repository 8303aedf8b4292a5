// SPDX-License-Identifier: Apache-2.0
// Worn contours: what a surface has lost, drawn across it by a stated factor and coloured by its depth.
import { colour } from "./theme";

/** The largest of 1, 2, 5, 10 ... that is not above. */
export function niceBelow(value: number): number {
  if (!(value > 1)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * (value >= 5 * power ? 5 : value >= 2 * power ? 2 : 1);
}

export interface Ring {
  x: number; // middle, pixels
  y: number;
  radius: number; // pixels
  turn: number; // of the first sector, anticlockwise; rad
  outward: boolean; // a bore grows, a journal shrinks
}

/** A band from the circle to the worn contour, each sector as strong in colour as it is deep. `scale`: pixels per metre of depth. */
export function drawWorn(c: CanvasRenderingContext2D, ring: Ring, depth: ArrayLike<number>, greatest: number, scale: number): void {
  const n = depth.length;
  const sector = (2 * Math.PI) / n;
  const sign = ring.outward ? 1 : -1;
  c.save();
  c.fillStyle = c.strokeStyle = colour(1);
  for (let k = 0; k < n; ++k) {
    const d = depth[k]!;
    if (!(d > 0)) continue;
    // Canvas angles count clockwise.
    const middle = -(ring.turn + k * sector);
    const far = ring.radius + sign * d * scale;
    c.globalAlpha = 0.2 + (0.8 * d) / greatest;
    c.beginPath();
    c.arc(ring.x, ring.y, ring.radius, middle - 0.51 * sector, middle + 0.51 * sector);
    c.arc(ring.x, ring.y, far, middle + 0.51 * sector, middle - 0.51 * sector, true);
    c.fill();
  }
  c.restore();
}
