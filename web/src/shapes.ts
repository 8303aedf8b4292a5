// SPDX-License-Identifier: Apache-2.0
// What a body looks like, from what the model says of it: its joints and its inertia. All in body
// axes about the centre of mass.
import * as THREE from "three";
import type { FrameSpec, JointSpec, ModelSpec, Vec3 } from "./data";

export interface Sizes {
  length: number; // of the whole mechanism; m
  s: number; // half-width of a link; m
}

interface Mount {
  point: THREE.Vector3;
  axis: THREE.Vector3;
  joint: JointSpec;
}

const vector = (v: Vec3) => new THREE.Vector3(...v);
export const zAxis = (f: FrameSpec) => new THREE.Vector3(f.axes[6], f.axes[7], f.axes[8]).normalize();

/** Does the body slide on its guide (rather than carry the guide)? */
export function slides(model: ModelSpec, body: number): boolean {
  return model.joints.some((j) => j.kind.slides && j.second.body === body);
}

export function mountsOf(model: ModelSpec, body: number): Mount[] {
  const out: Mount[] = [];
  for (const joint of model.joints)
    for (const frame of [joint.first, joint.second]) if (frame.body === body) out.push({ point: vector(frame.point), axis: zAxis(frame), joint });
  return out;
}

function distinct(points: THREE.Vector3[], near: number): THREE.Vector3[] {
  const out: THREE.Vector3[] = [];
  for (const p of points) if (!out.some((q) => q.distanceTo(p) < near)) out.push(p);
  return out;
}

/** A flat bar with round ends from a to b in the plane of motion, `thick` deep. */
function bar(a: THREE.Vector3, b: THREE.Vector3, half: number, thick: number): THREE.BufferGeometry {
  const length = a.distanceTo(b);
  const shape = new THREE.Shape();
  shape.absarc(0, 0, half, Math.PI / 2, (3 * Math.PI) / 2, false);
  shape.absarc(length, 0, half, -Math.PI / 2, Math.PI / 2, false);
  const geometry = new THREE.ExtrudeGeometry(shape, { depth: thick, bevelEnabled: true, bevelSize: thick * 0.12, bevelThickness: thick * 0.12, bevelSegments: 2, curveSegments: 20 });
  geometry.translate(0, 0, -thick / 2);
  geometry.rotateZ(Math.atan2(b.y - a.y, b.x - a.x));
  geometry.translate(a.x, a.y, a.z);
  return geometry;
}

/** A round rod from a to b. */
function rod(a: THREE.Vector3, b: THREE.Vector3, radius: number): THREE.BufferGeometry {
  const length = a.distanceTo(b);
  const geometry = new THREE.CapsuleGeometry(radius, length, 6, 20);
  geometry.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), b.clone().sub(a).normalize()));
  geometry.translate((a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2);
  return geometry;
}

/** The pieces of a body. */
export function bodyShapes(model: ModelSpec, body: number, { s }: Sizes): THREE.BufferGeometry[] {
  const mounts = mountsOf(model, body);
  const { mass, inertia } = model.bodies[body]!;
  const pieces: THREE.BufferGeometry[] = [];
  const link = (a: THREE.Vector3, b: THREE.Vector3) => (model.planar ? bar(a, b, s, s * 0.8) : rod(a, b, s * 0.62));
  const centre = new THREE.Vector3();

  // A part that slides is a block along its guide.
  const guides = mounts.filter((m) => m.joint.kind.slides && m.joint.second.body === body);
  for (const m of guides) {
    // In the plane the block is thin, so that the link which moves it can be seen in front of it.
    const axisDeep = Math.abs(m.axis.z) < 0.5;
    const block = new THREE.BoxGeometry(3.0 * s, 3.0 * s, 4.4 * s);
    if (m.joint.kind.play !== "guide" && !model.planar) {
      const tube = new THREE.CylinderGeometry(1.7 * s, 1.7 * s, 4.4 * s, 28);
      tube.rotateX(Math.PI / 2);
      pieces.push(oriented(tube, m.axis, m.point));
      block.dispose();
    } else {
      const placed = oriented(block, m.axis, m.point);
      if (model.planar && axisDeep) placed.scale(1, 1, 0.4);
      pieces.push(placed);
    }
  }

  const points = distinct(
    mounts.map((m) => m.point),
    0.3 * s,
  );
  if (points.length >= 2) {
    if (points.length === 2) pieces.push(link(points[0]!, points[1]!));
    else {
      // Round in order of angle about their middle, so that bars do not cross.
      const middle = points.reduce((sum, p) => sum.add(p), new THREE.Vector3()).divideScalar(points.length);
      const straight = nearlyStraight(points, s);
      const ring = straight ?? [...points].sort((a, b) => Math.atan2(a.y - middle.y, a.x - middle.x) - Math.atan2(b.y - middle.y, b.x - middle.x));
      ring.forEach((p, i) => {
        const q = ring[(i + 1) % ring.length]!;
        if (!(straight && i === ring.length - 1)) pieces.push(link(p, q));
      });
    }
  } else if (points.length === 1) {
    const p = points[0]!;
    if (p.distanceTo(centre) > 1.2 * s) {
      pieces.push(link(p, centre)); // a pendulum
      pieces.push(new THREE.SphereGeometry(1.8 * s, 24, 16));
    } else if (!guides.length) {
      // A wheel: the disc that has this inertia about its axis.
      const axis = mounts[0]!.axis;
      const about = Math.max(...inertia);
      const wanted = mass > 0 ? Math.sqrt((2 * about) / mass) : 2 * s;
      const disc = new THREE.CylinderGeometry(1, 1, 1, 48);
      const radius = Math.min(Math.max(wanted, 2 * s), 8 * s);
      disc.scale(radius, s, radius);
      disc.rotateX(Math.PI / 2);
      pieces.push(oriented(disc, axis, p));
    }
  }
  // A weight away from the joints, as on a governor: an arm to it.
  if (points.length >= 2 && mass > 0 && !guides.length) {
    const away = Math.min(...points.flatMap((p, i) => points.slice(i + 1).map((q) => new THREE.Line3(p, q).closestPointToPoint(centre, true, new THREE.Vector3()).length())));
    if (away > 2.2 * s) {
      const nearest = points.reduce((a, b) => (b.length() < a.length() ? b : a));
      pieces.push(link(nearest, centre), new THREE.SphereGeometry(1.7 * s, 24, 16));
    }
  }
  if (!pieces.length) {
    // A free body: the box with this inertia (m/12 (b² + c²) = Ixx ...), or a cube.
    const [x, y, z] = inertia;
    const side = (square: number) => (mass > 0 && square > 0 ? Math.min(Math.max(Math.sqrt((6 * square) / mass), s), 12 * s) : 2.5 * s);
    pieces.push(new THREE.BoxGeometry(side(y + z - x), side(x + z - y), model.planar ? s : side(x + y - z)));
  }
  return pieces;
}

/** Points on one line, in order; undefined if they are not. */
function nearlyStraight(points: THREE.Vector3[], s: number): THREE.Vector3[] | undefined {
  let far: [THREE.Vector3, THREE.Vector3] = [points[0]!, points[1]!];
  for (const p of points) for (const q of points) if (p.distanceTo(q) > far[0].distanceTo(far[1])) far = [p, q];
  const direction = far[1].clone().sub(far[0]).normalize();
  const offset = (p: THREE.Vector3) => p.clone().sub(far[0]);
  if (points.some((p) => offset(p).cross(direction).length() > 0.5 * s)) return undefined;
  return [...points].sort((a, b) => offset(a).dot(direction) - offset(b).dot(direction));
}

export function oriented(geometry: THREE.BufferGeometry, axis: THREE.Vector3, at: THREE.Vector3): THREE.BufferGeometry {
  geometry.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis));
  geometry.translate(at.x, at.y, at.z);
  return geometry;
}

/** The visible part of a joint, on its second body. */
export function jointShape(joint: JointSpec, planar: boolean, { s }: Sizes): THREE.BufferGeometry | undefined {
  const axis = zAxis(joint.second);
  const at = vector(joint.second.point);
  switch (joint.kind.shape) {
    case "pin": {
      const pin = new THREE.CylinderGeometry(0.52 * s, 0.52 * s, planar ? 4.4 * s : 3.2 * s, 28);
      pin.rotateX(Math.PI / 2);
      return oriented(pin, axis, at);
    }
    case "ball":
      return new THREE.SphereGeometry(1.0 * s, 28, 20).translate(at.x, at.y, at.z);
    case "bead":
      return new THREE.SphereGeometry(0.8 * s, 24, 16).translate(at.x, at.y, at.z);
    case "pinion": {
      // The pitch circle.
      const radius = joint.pitch_radius!;
      const disc = new THREE.TorusGeometry(radius, Math.min(0.25 * s, 0.2 * radius), 12, 64);
      return oriented(disc, axis, at);
    }
    case "none":
      return undefined;
  }
}

/** A point of a joint's first frame, in the axes of its body. */
const placed = ({ point, axes }: FrameSpec, p: readonly number[]) =>
  new THREE.Vector3(...([0, 1, 2].map((k) => point[k]! + axes[k]! * p[0]! + axes[3 + k]! * p[1]! + axes[6 + k]! * p[2]!) as [number, number, number]));

/** What of a body must be seen besides its joints: the curve that it carries. */
export const curveOf = (joint: JointSpec): Vec3[] => (joint.curve ?? []).map((p) => placed(joint.first, p).toArray() as Vec3);

/** What a joint draws on its first body: a guide curve, or the pitch line of a rack as far as it is used. */
export function railShape(joint: JointSpec, travel: [number, number], { s }: Sizes): THREE.BufferGeometry | undefined {
  const place = (p: readonly number[]) => placed(joint.first, p);
  if (joint.curve) {
    const path = new THREE.CurvePath<THREE.Vector3>();
    for (let i = 0; i + 1 < joint.curve.length; ++i) path.add(new THREE.LineCurve3(place(joint.curve[i]!), place(joint.curve[i + 1]!)));
    return new THREE.TubeGeometry(path, 2 * joint.curve.length, 0.3 * s, 8);
  }
  if (joint.pitch_radius === undefined) return undefined;
  const reach = 1.5 * joint.pitch_radius;
  const line = new THREE.LineCurve3(place([travel[0] - reach, 0, 0]), place([travel[1] + reach, 0, 0]));
  return new THREE.TubeGeometry(line, 1, 0.3 * s, 8);
}
