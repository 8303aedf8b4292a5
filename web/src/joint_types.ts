// SPDX-License-Identifier: Apache-2.0
// What the page knows about each type of joint: how it is drawn, and how its play is.

export interface JointKind {
  /** Its second body slides along the axis: drawn with a guide. */
  slides: boolean;
  /** What is visible of the joint itself. */
  shape: "pin" | "ball" | "none";
  /** Play between a circle and a circle, between a pin and two straight walls, or between a slider and two straight walls. */
  play: "round" | "slot" | "guide" | "none";
}

const KINDS: Record<string, JointKind> = {
  "fixed": { slides: false, shape: "none", play: "none" },
  "revolute": { slides: false, shape: "pin", play: "round" },
  "prismatic": { slides: true, shape: "none", play: "guide" },
  "cylindrical": { slides: true, shape: "pin", play: "round" },
  "spherical": { slides: false, shape: "ball", play: "round" },
  "universal": { slides: false, shape: "ball", play: "round" },
  "planar": { slides: false, shape: "none", play: "none" },
  "distance": { slides: false, shape: "none", play: "none" },
  "point-on-line": { slides: false, shape: "none", play: "slot" },
  "point-in-plane": { slides: false, shape: "none", play: "none" },
  "screw": { slides: true, shape: "pin", play: "none" },
};

export function kindOf(joint: { type: string }): JointKind {
  const kind = KINDS[joint.type];
  if (!kind) throw new Error(`joint type ${joint.type} has no row in web/src/joint_types.ts`);
  return kind;
}
