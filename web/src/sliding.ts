// SPDX-License-Identifier: Apache-2.0
// A slider in its guide or a pin in its slot, enlarged: two straight walls along the direction of
// travel; those of an arc are drawn straight. The picture travels with the inner part; across the
// walls play and tilt are magnified.
import type { JointSpec, Run, Vec3 } from "./data";
import { FONT } from "./painter";
import { pointOf, poseOf, rotate, rotateInverse } from "./pose";
import { colour, css, modeColour } from "./theme";

export const isSliding = (joint: JointSpec): boolean => ["slot", "guide", "arc"].includes(joint.kind.play);
/** A pin between the walls, which are a slot. */
export const isSlot = (joint: JointSpec): boolean => ["slot", "arc"].includes(joint.kind.play);

/** Where the inner part is in the frame of the outer one. */
export interface Sliding {
  along: Float64Array; // m
  across: Float64Array; // m, towards the upper wall
  tilt: Float64Array; // rad
}

const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const column = (axes: number[], c: number): Vec3 => [axes[3 * c]!, axes[3 * c + 1]!, axes[3 * c + 2]!];

export function slidingOf(run: Run, { first, second, kind, length }: JointSpec): Sliding {
  const n = run.frames;
  const out = { along: new Float64Array(n), across: new Float64Array(n), tilt: new Float64Array(n) };
  // x of the frames points to the upper wall, z along the travel (src/joints/guide_gap.hpp).
  const [x, z, inner] = [column(first.axes, 0), column(first.axes, 2), column(second.axes, 2)];
  for (let i = 0; i < n; ++i) {
    const [p1, p2] = [poseOf(run, first.body, i), poseOf(run, second.body, i)];
    const [from, to] = [pointOf(p1, first.point), pointOf(p2, second.point)];
    const d = rotateInverse(p1, [to[0] - from[0], to[1] - from[1], to[2] - from[2]]);
    if (kind.play === "arc") {
      // Along the centre line, from z of the frame towards x; outwards is up.
      const angle = Math.atan2(dot(d, x), dot(d, z));
      const whole = Math.round(((i > 0 ? out.along[i - 1]! / length! : 0) - angle) / (2 * Math.PI));
      out.along[i] = length! * (angle + 2 * Math.PI * whole);
      out.across[i] = Math.hypot(dot(d, x), dot(d, z)) - length!;
      continue;
    }
    const axis = rotateInverse(p1, rotate(p2, inner));
    out.along[i] = dot(d, z);
    out.across[i] = dot(d, x);
    out.tilt[i] = Math.atan2(dot(axis, x), dot(axis, z));
  }
  return out;
}

/** Half a width of the inner part and the play on each side; m. */
export function sizesOf(joint: JointSpec): { half: number; play: number } {
  const c = joint.clearance!;
  if (isSlot(joint)) return { half: c.inner, play: c.outer - c.inner };
  return { half: c.width[1] / 2, play: (c.width[0] - c.width[1]) / 2 };
}

/** Pixels per metre in a picture of this size, and how much larger the play may be drawn. */
export function scaleOf(joint: JointSpec, size: number): { k: number; room: number } {
  const { half, play } = sizesOf(joint);
  const length = joint.kind.play === "guide" ? joint.clearance!.length[1] : 0;
  const k = Math.min((0.24 * size) / half, length > 0 ? (0.62 * size) / length : Infinity);
  return { k, room: (0.13 * size) / (play * k) };
}

export function drawSliding(c: CanvasRenderingContext2D, size: number, joint: JointSpec, path: Sliding, i: number, magnification: number, modes: Float64Array | undefined): void {
  const { half, play } = sizesOf(joint);
  const { k } = scaleOf(joint, size);
  const middle = size / 2;
  const K = k * magnification; // across, for play and tilt
  const wall = half * k + play * K; // from the middle
  const s = path.along[i]!;
  const clearance = joint.clearance!;
  const slot = isSlot(joint);
  const mode = modes?.[i] ?? 0;

  // The walls, as far as they go.
  const arc = joint.kind.play === "arc" ? joint.length! : 1; // its ends are angles
  const ends = slot ? (clearance.ends?.map((e) => e * arc) ?? null) : clearance.length[0] > 0 ? [-clearance.length[0] / 2, clearance.length[0] / 2] : null;
  const left = ends ? Math.max(-size, middle + (ends[0]! - s) * k) : -size;
  const right = ends ? Math.min(2 * size, middle + (ends[1]! - s) * k) : 2 * size;
  const thick = 0.09 * size;
  c.fillStyle = css("bearing");
  c.strokeStyle = css("ink");
  c.lineWidth = 1.5;
  if (slot) {
    c.beginPath();
    c.rect(left - wall - thick, middle - wall - thick, right - left + 2 * (wall + thick), 2 * (wall + thick));
    c.roundRect(left - wall, middle - wall, right - left + 2 * wall, 2 * wall, wall);
    c.fill("evenodd");
    c.beginPath();
    c.roundRect(left - wall, middle - wall, right - left + 2 * wall, 2 * wall, wall);
    c.stroke();
  } else
    for (const side of [-1, 1]) {
      c.fillRect(left, side < 0 ? middle - wall - thick : middle + wall, right - left, thick);
      c.beginPath();
      c.moveTo(left, middle + side * wall);
      c.lineTo(right, middle + side * wall);
      c.stroke();
    }

  // The inner part. Tilted by little, its corners move across the guide only.
  c.fillStyle = css("journal");
  c.strokeStyle = modeColour(mode);
  c.lineWidth = 2.5;
  const reach = clearance.length[1] / 2;
  const shift = (at: number) => path.across[i]! + path.tilt[i]! * at;
  c.beginPath();
  if (slot) c.arc(middle, middle - path.across[i]! * K, half * k, 0, 7);
  else
    for (const [at, side] of [[-reach, 1], [reach, 1], [reach, -1], [-reach, -1]] as const) c.lineTo(middle + at * k, middle - side * half * k - shift(at) * K);
  c.closePath();
  c.fill();
  c.stroke();

  // Where it has been and will be, in the colour of its mode; the play is dashed.
  c.lineWidth = 1;
  c.strokeStyle = css("ink-soft");
  c.setLineDash([4, 4]);
  for (const side of [-1, 1]) {
    c.beginPath();
    c.moveTo(Math.max(0, left), middle + side * play * K);
    c.lineTo(Math.min(size, right), middle + side * play * K);
    c.stroke();
  }
  c.setLineDash([]);
  c.save();
  c.beginPath();
  c.rect(0, middle - wall - thick, size, 2 * (wall + thick));
  c.clip();
  c.globalAlpha = 0.75;
  let open = -1;
  for (let j = 1; j < path.along.length; ++j) {
    const [a, b] = [middle + (path.along[j - 1]! - s) * k, middle + (path.along[j]! - s) * k];
    if ((a < 0 && b < 0) || (a > size && b > size)) continue;
    const kind = Math.round(modes?.[j] ?? 0);
    if (kind !== open) {
      if (open >= 0) c.stroke();
      c.strokeStyle = modeColour(kind);
      c.beginPath();
      open = kind;
    }
    c.moveTo(a, middle - path.across[j - 1]! * K);
    c.lineTo(b, middle - path.across[j]! * K);
  }
  if (open >= 0) c.stroke();
  c.restore();

  // Centre, and the corners or the flank that touch.
  const spot = (x: number, y: number, fill: string, radius: number) => {
    c.fillStyle = fill;
    c.beginPath();
    c.arc(x, y, radius, 0, 7);
    c.fill();
  };
  spot(middle, middle - path.across[i]! * K, modeColour(mode), 5);
  for (const at of slot ? [0] : [-reach, reach])
    for (const side of [-1, 1]) if (side * shift(at) > play) spot(middle + at * k, middle - side * half * k - shift(at) * K, colour(1), 4.5);

  c.fillStyle = css("ink-soft");
  c.font = `12px ${FONT}`;
  c.textBaseline = "middle";
  c.textAlign = "left";
  c.fillText(`clearance ×${magnification}`, 6, size - 9);
  c.textAlign = "right";
  c.fillText("travel →", size - 6, size - 9);
}
