// SPDX-License-Identifier: Apache-2.0
// A box in a rectangular tube, enlarged: the cross section of the tube with both ends of the box.
// Play is magnified against the sizes, and with it what the box is shifted and tilted by.
import type { JointSpec, Run, Vec3 } from "./data";
import { FONT } from "./painter";
import { pointOf, poseOf, rotate, rotateInverse } from "./pose";
import { css, modeColour } from "./theme";

/** Corners of the box at both ends, in the cross section of the tube. */
export interface Tube {
  centre: [Float64Array, Float64Array]; // m
  /** Direction of the box's own axes x, y, z in those of the tube, row after row for each instant. */
  axes: Float64Array;
}

const column = (axes: number[], c: number): Vec3 => [axes[3 * c]!, axes[3 * c + 1]!, axes[3 * c + 2]!];
const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export const isTube = (run: Run, joint: JointSpec): boolean => !run.model.planar && joint.kind.play === "guide";

export function tubeOf(run: Run, { first, second }: JointSpec): Tube {
  const n = run.frames;
  const out: Tube = { centre: [new Float64Array(n), new Float64Array(n)], axes: new Float64Array(9 * n) };
  for (let i = 0; i < n; ++i) {
    const [p1, p2] = [poseOf(run, first.body, i), poseOf(run, second.body, i)];
    const [from, to] = [pointOf(p1, first.point), pointOf(p2, second.point)];
    const d = rotateInverse(p1, [to[0] - from[0], to[1] - from[1], to[2] - from[2]]);
    for (let c = 0; c < 2; ++c) out.centre[c]![i] = dot(d, column(first.axes, c));
    for (let k = 0; k < 3; ++k) {
      const axis = rotateInverse(p1, rotate(p2, column(second.axes, k)));
      for (let c = 0; c < 3; ++c) out.axes[9 * i + 3 * k + c] = dot(axis, column(first.axes, c));
    }
  }
  return out;
}

/** Play on each side along x and y, and how much larger it may be drawn. */
export function tubePlay(joint: JointSpec): { play: [number, number]; room: number } {
  const { width, height } = joint.clearance!;
  const play: [number, number] = [(width[0] - width[1]) / 2, (height[0] - height[1]) / 2];
  return { play, room: (0.12 * Math.max(width[1], height[1])) / Math.max(play[0], play[1]) };
}

export function drawTube(c: CanvasRenderingContext2D, size: number, joint: JointSpec, tube: Tube, i: number, magnification: number, modes: Float64Array | undefined): void {
  const { width, height, length } = joint.clearance!;
  const { play } = tubePlay(joint);
  const k = (0.56 * size) / Math.max(width[1], height[1]); // pixels per metre of the box
  const K = k * magnification; // of the play
  const middle = size / 2;
  const half = [width[1] / 2, height[1] / 2] as const;
  const wall = [half[0] * k + play[0] * K, half[1] * k + play[1] * K] as const;
  const mode = modes?.[i] ?? 0;
  const thick = 0.06 * size;
  c.fillStyle = css("bearing");
  c.strokeStyle = css("ink");
  c.lineWidth = 1.5;
  c.beginPath();
  c.rect(middle - wall[0] - thick, middle - wall[1] - thick, 2 * (wall[0] + thick), 2 * (wall[1] + thick));
  c.rect(middle - wall[0], middle - wall[1], 2 * wall[0], 2 * wall[1]);
  c.fill("evenodd");
  c.strokeRect(middle - wall[0], middle - wall[1], 2 * wall[0], 2 * wall[1]);

  // Where the corners are beyond where they would be in the middle: shift, and small turns.
  const axes = tube.axes.subarray(9 * i, 9 * i + 9);
  const corner = (sx: number, sy: number, sz: number): [number, number] => {
    const local = [sx * half[0], sy * half[1], (sz * length[1]) / 2];
    const at = [0, 1].map((q) => tube.centre[q]![i]! + local[0]! * axes[q]! + local[1]! * axes[3 + q]! + local[2]! * axes[6 + q]!);
    return [middle + local[0]! * k + (at[0]! - local[0]!) * K, middle - local[1]! * k - (at[1]! - local[1]!) * K];
  };
  const outline = (end: number) => {
    c.beginPath();
    for (const [sx, sy] of [[-1, -1], [1, -1], [1, 1], [-1, 1]] as const) c.lineTo(...corner(sx, sy, end));
    c.closePath();
  };
  c.fillStyle = css("journal");
  c.strokeStyle = modeColour(mode);
  c.lineWidth = 2.5;
  outline(1);
  c.fill();
  c.stroke();
  c.lineWidth = 1.5;
  c.setLineDash([5, 4]);
  outline(-1);
  c.stroke();

  // The path of the centre in its play.
  c.setLineDash([4, 4]);
  c.strokeStyle = css("ink-soft");
  c.lineWidth = 1;
  c.strokeRect(middle - play[0] * K, middle - play[1] * K, 2 * play[0] * K, 2 * play[1] * K);
  c.setLineDash([]);
  c.globalAlpha = 0.75;
  const [x, y] = tube.centre;
  let open = -1;
  for (let j = 1; j < x.length; ++j) {
    const kind = Math.round(modes?.[j] ?? 0);
    if (kind !== open) {
      if (open >= 0) c.stroke();
      c.strokeStyle = modeColour(kind);
      c.beginPath();
      open = kind;
    }
    c.moveTo(middle + x[j - 1]! * K, middle - y[j - 1]! * K);
    c.lineTo(middle + x[j]! * K, middle - y[j]! * K);
  }
  if (open >= 0) c.stroke();
  c.globalAlpha = 1;
  c.fillStyle = modeColour(mode);
  c.beginPath();
  c.arc(middle + x[i]! * K, middle - y[i]! * K, 5, 0, 7);
  c.fill();
  c.fillStyle = css("ink-soft");
  c.font = `12px ${FONT}`;
  c.textBaseline = "middle";
  c.textAlign = "left";
  c.fillText(`clearance ×${magnification}`, 6, size - 9);
  c.textAlign = "right";
  c.fillText("far end dashed", size - 6, size - 9);
}
