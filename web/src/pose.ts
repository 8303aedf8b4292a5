// SPDX-License-Identifier: Apache-2.0
// Where a body is at a frame: position of its centre of mass and Euler parameters, w first.
import type { Run, Vec3 } from "./data";

export interface Pose {
  r: Vec3;
  q: [number, number, number, number];
}
const HERE: Pose = { r: [0, 0, 0], q: [1, 0, 0, 0] };

export function poseOf(run: Run, body: number, frame: number): Pose {
  if (body === 0) return HERE;
  const name = run.model.bodies[body]!.name;
  const position = run.channel(`bodies/${name}/position`);
  if (!position) return HERE;
  const r: Vec3 = [0, 0, 0];
  for (let c = 0; c < position.width; ++c) r[c] = position.at(c)[frame]!;
  const quaternion = run.channel(`bodies/${name}/quaternion`);
  if (quaternion) return { r, q: [0, 1, 2, 3].map((c) => quaternion.at(c)[frame]!) as Pose["q"] };
  const angle = run.channel(`bodies/${name}/angle`)?.at(0)[frame] ?? 0;
  return { r, q: [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)] };
}

export function rotate({ q: [w, x, y, z] }: Pose, v: Vec3): Vec3 {
  // v + 2 u × (u × v + w v), u the vector part
  const tx = 2 * (y * v[2] - z * v[1]);
  const ty = 2 * (z * v[0] - x * v[2]);
  const tz = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}
export function rotateInverse(pose: Pose, v: Vec3): Vec3 {
  const [w, x, y, z] = pose.q;
  return rotate({ r: pose.r, q: [w, -x, -y, -z] }, v);
}
export function pointOf(pose: Pose, local: Vec3): Vec3 {
  const p = rotate(pose, local);
  return [p[0] + pose.r[0], p[1] + pose.r[1], p[2] + pose.r[2]];
}
