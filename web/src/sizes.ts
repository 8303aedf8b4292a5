// SPDX-License-Identifier: Apache-2.0
// How large what has no size in the model is drawn: from the distances between joints and from the
// radii of their play. And in which layer a link of a planar mechanism lies, so that none hides another.
import * as THREE from "three";
import type { FrameSpec, JointSpec, ModelSpec, Run, ShapeSpec, Vec3 } from "./data";
import { pointOf, poseOf } from "./pose";
import { boxOf } from "./solids";

export interface Mount {
  point: THREE.Vector3;
  axis: THREE.Vector3;
  joint: JointSpec;
  first: boolean; // the joint's first body
}

export const vector = (v: Vec3) => new THREE.Vector3(...v);
export const zAxis = (f: FrameSpec) => new THREE.Vector3(f.axes[6], f.axes[7], f.axes[8]).normalize();

const known = new WeakMap<ModelSpec, Mount[][]>();

/** Where joints are on a body. */
export function mountsOf(model: ModelSpec, body: number): Mount[] {
  let all = known.get(model);
  if (!all) {
    all = model.bodies.map(() => []);
    for (const joint of model.joints)
      for (const frame of [joint.first, joint.second]) all[frame.body]!.push({ point: vector(frame.point), axis: zAxis(frame), joint, first: frame === joint.first });
    known.set(model, all);
  }
  return all[body]!;
}

/** Does the body slide on its guide (rather than carry the guide)? */
export function slides(model: ModelSpec, body: number): boolean {
  return model.joints.some((j) => j.kind.slides && j.second.body === body);
}

/** Where a body reaches besides its joints: its markers, and the far end of what weighs like a uniform rod hung up at one end. */
export function farPoints(model: ModelSpec, body: number): THREE.Vector3[] {
  const { mass, inertia } = model.bodies[body]!;
  const mounts = mountsOf(model, body).map((m) => m.point);
  const out = model.markers.filter((m) => m.frame.body === body).map((m) => vector(m.frame.point));
  const [p] = mounts;
  if (!p || !(mass > 0) || mounts.some((q) => q.distanceTo(p) > 1e-6 * p.length())) return out;
  const half = Math.sqrt((3 * Math.max(...inertia)) / mass); // of a rod of this inertia
  const d = p.length();
  if (d > 0 && half > 0.85 * d && half < 1.15 * d) out.push(p.clone().multiplyScalar(-half / d));
  return out;
}

/** The straight pieces of a body that is drawn as bars, in its axes. */
export function skeleton(model: ModelSpec, body: number): [THREE.Vector3, THREE.Vector3][] {
  const beam = model.bodies[body]!.flexible;
  const points = mountsOf(model, body).map((m) => m.point);
  if (beam) points.push(vector(beam.from), vector(beam.to));
  else points.push(...farPoints(model, body));
  if (points.length < 2) points.push(new THREE.Vector3());
  const out: [THREE.Vector3, THREE.Vector3][] = [];
  for (let i = 0; i < points.length; ++i) for (let k = 0; k < i; ++k) if (points[i]!.distanceTo(points[k]!) > 0) out.push([points[k]!, points[i]!]);
  return out.length ? out : [[new THREE.Vector3(), new THREE.Vector3()]];
}

export class Sizes {
  readonly length: number; // of the whole mechanism; m
  readonly s: number; // half-width of a usual link; m
  readonly thick: number; // of a link in the plane; m
  private shortest: number[]; // distance of two joints of a body; Infinity: it has one
  private heights: { z: number; thick: number }[] = []; // of the layers
  private layer: number[] = [];

  constructor(private run: Run, length: number) {
    const { model } = run;
    this.length = length;
    this.shortest = model.bodies.map((_, b) => {
      let least = Infinity;
      if (b > 0)
        for (const m of mountsOf(model, b))
          for (const n of mountsOf(model, b)) {
            const d = m.point.distanceTo(n.point);
            if (d > 1e-6 * length) least = Math.min(least, d);
          }
      return least;
    });
    const known = this.shortest.filter((d) => isFinite(d)).sort((a, b) => a - b);
    const usual = known.length ? known[Math.floor(known.length / 2)]! : length;
    this.s = Math.max(Math.min(0.034 * length, 0.3 * usual), 0.01 * length);
    this.thick = 0.8 * this.s;
    if (model.planar) this.stack();
  }

  /** Half the width of the bars of a body. */
  half(body: number): number {
    return Math.min(this.s, Math.max(0.3 * this.shortest[body]!, 0.3 * this.s));
  }

  /** Radius of the pin, journal or ball of a joint: its own where it has one and there is room to draw it. */
  pin(joint: JointSpec): number {
    const room = 0.45 * Math.min(this.shortest[joint.first.body]!, this.shortest[joint.second.body]!, 8 * this.s);
    const c = joint.clearance;
    const usual = Math.min(0.5 * Math.min(this.half(joint.first.body), this.half(joint.second.body)), room);
    const ball = joint.kind.shape === "ball" ? 1.7 : 1;
    return c && c.inner > 0 ? Math.min(Math.max(c.inner, 0.3 * this.s), Math.max(room, 0.3 * this.s)) : usual * ball;
  }

  /** Radius of what surrounds the pin. */
  eye(joint: JointSpec, body: number): number {
    return Math.max(1.6 * this.pin(joint), 1.1 * this.half(body));
  }

  /** Bore and outer radius of the bearing about the pin of a joint: a gap that can be seen, as play itself could not. */
  bearing(joint: JointSpec, pin = this.pin(joint)): [number, number] {
    const bore = 1.16 * pin;
    return [bore, Math.max(1.55 * pin, 0.25 * this.s + bore)];
  }

  /** How far bearings and eyes reach about a point of a body. */
  crowd(body: number, point: THREE.Vector3): number {
    let most = 0;
    for (const m of mountsOf(this.run.model, body)) {
      if (m.joint.kind.shape === "none" || m.joint.kind.slides) continue;
      const reach = m.joint.clearance ? this.bearing(m.joint)[1] : this.eye(m.joint, body);
      if (m.point.distanceTo(point) < reach) most = Math.max(most, reach);
    }
    return most;
  }

  /** Height of the middle of a body of a planar mechanism above the plane in which it is drawn; the ground lies below. */
  height(body: number): number {
    if (!this.run.model.planar) return 0;
    if (body === 0) return -1.3 * this.thick;
    return this.heights[this.layer[body]!]!.z;
  }
  /** Bodies that meet at a joint of a planar mechanism: its own, and those that hang on the same points. */
  meeting(joint: JointSpec): number[] {
    const out = new Set([joint.first.body, joint.second.body]);
    for (const frame of [joint.first, joint.second]) {
      if (frame.body === 0) continue;
      const at = vector(frame.point);
      for (const m of mountsOf(this.run.model, frame.body)) if (m.point.distanceTo(at) < 0.3 * this.s) for (const f of [m.joint.first, m.joint.second]) if (f.body > 0) out.add(f.body);
    }
    return [...out];
  }
  thickness(body: number): number {
    return body === 0 || !this.run.model.planar ? this.thick : this.heights[this.layer[body]!]!.thick;
  }
  get top(): number {
    const last = this.heights[this.heights.length - 1];
    return last ? last.z + last.thick / 2 : this.thick;
  }

  /** Bodies that a pin joins, and bodies that pass through each other, get different layers. */
  private stack(): void {
    const { run } = this;
    const { model } = run;
    const n = model.bodies.length;
    const apart = Array.from({ length: n }, () => new Set<number>());
    const separate = (a: number, b: number) => {
      if (a === b || a === 0 || b === 0) return;
      apart[a]!.add(b);
      apart[b]!.add(a);
    };
    for (const j of model.joints) separate(j.first.body, j.second.body);
    // What hangs on one point lies in different layers, too.
    if (n <= 60) this.meetings(separate);
    const layers: number[] = new Array(n).fill(-1);
    // What slides lies behind with its rails, then long bodies behind short ones.
    const reach = model.bodies.map((_, b) => (slides(model, b) ? Infinity : b > 0 ? Math.max(...skeleton(model, b).map(([p, q]) => p.distanceTo(q))) : 0));
    const order = model.bodies.map((_, b) => b).slice(1).sort((a, b) => (reach[a] === reach[b] ? a - b : reach[b]! - reach[a]!));
    for (const b of order) {
      let l = 0;
      while ([...apart[b]!].some((o) => layers[o] === l)) ++l;
      layers[b] = l;
    }
    this.layer = layers;
    const count = Math.max(0, ...layers) + 1;
    let z = 0;
    for (let l = 0; l < count; ++l) {
      let thick = this.thick;
      model.bodies.forEach((body, b) => {
        if (layers[b] === l) thick = Math.max(thick, depthOf(body.shapes, run));
      });
      z += thick / 2;
      this.heights.push({ z, thick });
      z += thick / 2 + 0.12 * this.thick;
    }
  }

  private meetings(separate: (a: number, b: number) => void): void {
    const { run } = this;
    const { model } = run;
    const bones = model.bodies.map((_, b) => (b > 0 ? skeleton(model, b) : []));
    const stride = Math.max(1, Math.floor(run.frames / 40));
    const near = 1.3 * this.s;
    for (let frame = 0; frame < run.frames; frame += stride) {
      const placed = bones.map((list, b) => {
        const pose = poseOf(run, b, frame);
        return list.map((pair) => pair.map((p) => pointOf(pose, p.toArray() as Vec3)));
      });
      for (let a = 1; a < placed.length; ++a)
        for (let b = 1; b < a; ++b) for (const p of placed[a]!) for (const q of placed[b]!) if (segmentsNear(p[0]!, p[1]!, q[0]!, q[1]!, near)) separate(a, b);
    }
  }
}

/** How deep shapes are along z, twice the farthest from the plane. */
function depthOf(shapes: ShapeSpec[], run: Run): number {
  return 2 * Math.max(0, ...shapes.flatMap((shape) => boxOf(shape, run).map((p) => Math.abs(p[2]))));
}

/** Do two segments in the plane come nearer than this? */
export function segmentsNear(a: Vec3, b: Vec3, c: Vec3, d: Vec3, near: number): boolean {
  const side = (p: Vec3, q: Vec3, r: Vec3) => (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
  if (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0) return true;
  const distance = (p: Vec3, u: Vec3, v: Vec3) => {
    const [x, y] = [v[0] - u[0], v[1] - u[1]];
    const square = x * x + y * y;
    const f = square > 0 ? Math.min(1, Math.max(0, ((p[0] - u[0]) * x + (p[1] - u[1]) * y) / square)) : 0;
    return Math.hypot(p[0] - u[0] - f * x, p[1] - u[1] - f * y);
  };
  return Math.min(distance(a, c, d), distance(b, c, d), distance(c, a, b), distance(d, a, b)) < near;
}
