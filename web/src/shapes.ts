// SPDX-License-Identifier: Apache-2.0
// What bodies and joints look like that have no shape in the model: from joints, inertia and the
// radii of play. All in body axes about the centre of mass.
import * as THREE from "three";
import type { FrameSpec, JointSpec, ModelSpec, Vec3 } from "./data";
import { farPoints, mountsOf, vector, zAxis, type Mount, type Sizes } from "./sizes";
import { gear, tube } from "./solids";

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
  const bevel = thick * 0.1;
  const geometry = new THREE.ExtrudeGeometry(shape, { depth: thick - 2 * bevel, bevelEnabled: true, bevelSize: bevel, bevelOffset: -bevel, bevelThickness: bevel, bevelSegments: 2, curveSegments: 20 });
  geometry.translate(0, 0, -thick / 2 + bevel);
  geometry.rotateZ(Math.atan2(b.y - a.y, b.x - a.x));
  geometry.translate(a.x, a.y, a.z);
  return geometry;
}

/** A round rod from a to b. */
export function rod(a: THREE.Vector3, b: THREE.Vector3, radius: number): THREE.BufferGeometry {
  const length = a.distanceTo(b);
  const geometry = new THREE.CapsuleGeometry(radius, length, 6, 20);
  geometry.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), b.clone().sub(a).normalize()));
  geometry.translate((a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2);
  return geometry;
}

/** A cylinder along `axis` about a point. */
function round(radius: number, length: number, axis: THREE.Vector3, at: THREE.Vector3, segments = 40): THREE.BufferGeometry {
  return oriented(new THREE.CylinderGeometry(radius, radius, length, segments).rotateX(Math.PI / 2), axis, at);
}

/** Half the size of the block of a part that slides: along its guide, across it. */
export function blockOf(joint: JointSpec, sizes: Sizes): { along: number; across: number } {
  const c = joint.clearance;
  const s = sizes.s;
  const fit = (real: number, usual: number) => (real > 0 ? Math.min(Math.max(real, 0.4 * usual), 2.5 * usual) : usual);
  const crowd = 1.12 * sizes.crowd(joint.second.body, vector(joint.second.point));
  if (c && joint.kind.play === "round") return { along: fit(c.length[1] / 2, 2.2 * s), across: fit(c.inner, 1.6 * s) };
  return { along: fit(c ? c.length[1] / 2 : 0, Math.max(2.2 * s, crowd)), across: Math.max(fit(c ? c.width[1] / 2 : 0, 1.5 * s), crowd) };
}

/** Eyes round the pins of a body. */
export function eyes(mounts: Mount[], body: number, planar: boolean, sizes: Sizes): THREE.BufferGeometry[] {
  return mounts.flatMap((m) => {
    const { shape } = m.joint.kind;
    const eye = sizes.eye(m.joint, body);
    if (shape === "pin" && planar) return [round(eye, 1.06 * sizes.thickness(body), m.axis, m.point)];
    if (shape === "pin") return [round(eye, 1.7 * eye, m.axis, m.point)];
    // The second body carries the ball, the first one a socket about it.
    if (shape === "ball" && m.first && body > 0) return [new THREE.SphereGeometry(1.28 * sizes.pin(m.joint), 28, 20).translate(m.point.x, m.point.y, m.point.z)];
    return [];
  });
}

/** The pieces of a body. */
export function bodyShapes(model: ModelSpec, body: number, sizes: Sizes): THREE.BufferGeometry[] {
  const { s } = sizes;
  const mounts = mountsOf(model, body);
  const { mass, inertia } = model.bodies[body]!;
  const { planar } = model;
  const half = sizes.half(body);
  const thick = sizes.thickness(body);
  const pieces: THREE.BufferGeometry[] = [];
  const link = (a: THREE.Vector3, b: THREE.Vector3) => (planar ? bar(a, b, 0.8 * half, 0.86 * thick) : rod(a, b, 0.55 * half));
  const centre = new THREE.Vector3();

  // A part that slides is a block along its guide.
  const guides = mounts.filter((m) => m.joint.kind.slides && m.joint.second.body === body && !isBearing(m.joint, planar));
  for (const m of guides) {
    const { along, across } = blockOf(m.joint, sizes);
    if (m.joint.kind.play !== "guide" && !planar) pieces.push(round(across, 2 * along, m.axis, m.point));
    else if (planar) pieces.push(inPlane(new THREE.BoxGeometry(2 * along, 2 * across, thick), m.axis, m.point));
    else pieces.push(oriented(new THREE.BoxGeometry(2 * across, 2 * across, 2 * along), m.axis, m.point));
  }

  const shaft = planar ? undefined : shaftOf(mounts, s);
  const points = distinct([...mounts.map((m) => m.point), ...(mounts.length && !guides.length ? farPoints(model, body) : [])], 0.3 * half);
  if (shaft) {
    // A shaft in its bearings, as thick as its journals, and the disc that has its inertia.
    const radius = Math.max(...mounts.map((m) => sizes.pin(m.joint)));
    pieces.push(round(radius, shaft.length + 2.4 * radius, shaft.axis, shaft.middle));
    const about = Math.max(...inertia);
    const wanted = mass > 0 ? Math.sqrt((2 * about) / mass) : 0;
    if (wanted > 1.5 * radius && wanted < 0.4 * shaft.length) pieces.push(round(wanted, 0.5 * s, shaft.axis, centre));
  } else if (points.length >= 2) {
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
    pieces.push(...eyes(mounts, body, planar, sizes));
  } else if (points.length === 1) {
    const p = points[0]!;
    if (p.distanceTo(centre) > 1.2 * s) {
      pieces.push(link(p, centre)); // a pendulum
      pieces.push(planar ? round(1.8 * s, 1.5 * thick, new THREE.Vector3(0, 0, 1), centre) : new THREE.SphereGeometry(1.8 * s, 28, 20));
      pieces.push(...eyes(mounts, body, planar, sizes));
    } else if (!guides.length) {
      // A wheel: the disc that has this inertia about its axis.
      const axis = mounts[0]!.axis;
      const about = Math.max(...inertia);
      if (mass > 0 && !(about > 0)) {
        // A point mass: a ball of steel.
        const ball = Math.cbrt((3 * mass) / (4 * Math.PI * 7850));
        return [new THREE.SphereGeometry(Math.min(Math.max(ball, 0.6 * s), 3 * s), 28, 20)];
      }
      const wanted = mass > 0 ? Math.sqrt((2 * about) / mass) : 2 * s;
      pieces.push(round(Math.min(Math.max(wanted, 2 * s), 8 * s), planar ? thick : s, axis, p, 64));
    }
  }
  // A weight away from the joints, as on a governor: an arm to it.
  if (points.length >= 2 && mass > 0 && !guides.length && !shaft) {
    const away = Math.min(...points.flatMap((p, i) => points.slice(i + 1).map((q) => new THREE.Line3(p, q).closestPointToPoint(centre, true, new THREE.Vector3()).length())));
    if (away > 2.2 * s) {
      const nearest = points.reduce((a, b) => (b.length() < a.length() ? b : a));
      pieces.push(link(nearest, centre), planar ? round(1.7 * s, 1.5 * thick, new THREE.Vector3(0, 0, 1), centre) : new THREE.SphereGeometry(1.7 * s, 28, 20));
    }
  }
  if (!pieces.length) {
    // A free body: the box with this inertia (m/12 (b² + c²) = Ixx ...), or a cube.
    const [x, y, z] = inertia;
    const side = (square: number) => (mass > 0 && square > 0 ? Math.min(Math.max(Math.sqrt((6 * square) / mass), s), 12 * s) : 2.5 * s);
    pieces.push(new THREE.BoxGeometry(side(y + z - x), side(x + z - y), planar ? thick : side(x + y - z)));
  }
  return pieces;
}

/** Two joints or more that turn about the line on which they lie. */
function shaftOf(mounts: Mount[], s: number): { axis: THREE.Vector3; middle: THREE.Vector3; length: number } | undefined {
  const turning = mounts.filter((m) => m.joint.kind.shape === "pin" || (m.joint.kind.slides && m.joint.kind.play === "round"));
  if (turning.length < 2 || turning.length < mounts.filter((m) => m.joint.kind.shape !== "none").length) return undefined;
  const { axis, point } = turning[0]!;
  let [low, high] = [0, 0];
  for (const m of turning) {
    const d = m.point.clone().sub(point);
    const along = d.dot(axis);
    if (d.addScaledVector(axis, -along).length() > 0.05 * s || Math.abs(m.axis.dot(axis)) < 0.999) return undefined;
    [low, high] = [Math.min(low, along), Math.max(high, along)];
  }
  if (high - low < s) return undefined;
  return { axis, middle: point.clone().addScaledVector(axis, (low + high) / 2), length: high - low };
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

/** Something flat that lies along x, turned about z. */
export function inPlane(geometry: THREE.BufferGeometry, axis: THREE.Vector3, at: THREE.Vector3): THREE.BufferGeometry {
  return geometry.rotateZ(Math.atan2(axis.y, axis.x)).translate(at.x, at.y, at.z);
}

/** A pin of a planar mechanism, from the lower to the upper of its bodies; one with play is seen whatever else hangs on it. */
function through(joint: JointSpec, radius: number, sizes: Sizes): THREE.BufferGeometry {
  const { point, body } = joint.second;
  const bodies = joint.clearance ? sizes.meeting(joint) : [joint.first.body, body];
  const ends = bodies.flatMap((b) => [sizes.height(b) - sizes.thickness(b) / 2, sizes.height(b) + sizes.thickness(b) / 2]);
  const [low, high] = [Math.min(...ends), Math.max(...ends) + (joint.clearance ? 0.32 : 0.22) * sizes.thick];
  return new THREE.CylinderGeometry(radius, radius, high - low, 40).rotateX(Math.PI / 2).translate(point[0], point[1], (low + high) / 2 - sizes.height(body));
}

/** The visible part of a joint, on its second body; in the plane from the lower to the upper layer. */
export function jointShape(joint: JointSpec, planar: boolean, sizes: Sizes): THREE.BufferGeometry | undefined {
  const axis = zAxis(joint.second);
  const at = vector(joint.second.point);
  const pin = sizes.pin(joint);
  if (joint.kind.shape !== "pin" && isBearing(joint, planar)) return round(1.001 * pin, 1.25 * bearingLength(joint, sizes), axis, at);
  switch (joint.kind.shape) {
    case "pin": {
      if (!planar) {
        const length = joint.clearance ? 1.25 * bearingLength(joint, sizes) : 1.9 * Math.max(sizes.eye(joint, joint.first.body), sizes.eye(joint, joint.second.body));
        return round(1.001 * pin, length, axis, at);
      }
      return through(joint, pin, sizes);
    }
    case "ball":
      return new THREE.SphereGeometry(pin, 32, 24).translate(at.x, at.y, at.z);
    case "bead":
      return planar ? through(joint, Math.max(pin, 0.4 * sizes.s), sizes) : new THREE.SphereGeometry(Math.max(pin, 0.6 * sizes.s), 24, 16).translate(at.x, at.y, at.z);
    case "pinion": {
      const radius = joint.pitch_radius!;
      return gear(radius, TEETH, rackDepth(planar, sizes), 0).applyMatrix4(basis(joint.second));
    }
    case "none":
      return undefined;
  }
}

/** Does it turn in its bearing, rather than slide far along a guide? */
export const isBearing = (joint: JointSpec, planar: boolean): boolean => joint.kind.shape === "pin" || (!planar && joint.kind.slides && joint.kind.play === "round" && joint.clearance !== undefined);

/** Of a bearing in space, along its axis. */
export const bearingLength = (joint: JointSpec, sizes: Sizes): number => Math.max(joint.clearance?.length[0] ?? 0, 1.1 * sizes.pin(joint));

/** The walls of the slot in which a pin has play, on the first body. */
export function slotShape(joint: JointSpec, planar: boolean, sizes: Sizes): THREE.BufferGeometry | undefined {
  const c = joint.clearance;
  if (!c || joint.kind.play !== "slot" || !planar) return undefined;
  const pin = Math.max(sizes.pin(joint), 0.4 * sizes.s);
  const axis = zAxis(joint.first);
  const body = joint.first.body;
  const ends = c.ends ?? [-6 * sizes.s, 6 * sizes.s];
  const stadium = <T extends THREE.Path>(path: T, r: number): T => {
    path.absarc(ends[0], 0, r, Math.PI / 2, (3 * Math.PI) / 2, false);
    path.absarc(ends[1], 0, r, -Math.PI / 2, Math.PI / 2, false);
    path.closePath();
    return path;
  };
  const shape = stadium(new THREE.Shape(), 1.16 * pin + 0.3 * sizes.s);
  shape.holes.push(stadium(new THREE.Path(), 1.16 * pin));
  const thick = 1.3 * sizes.thickness(body);
  return inPlane(new THREE.ExtrudeGeometry(shape, { depth: thick, bevelEnabled: false, curveSegments: 20 }).translate(0, 0, -thick / 2), axis, vector(joint.first.point));
}

/** The bearing of a joint with play about a circle: a ring on the first body, and the gap it leaves. */
export function bearingShapes(joint: JointSpec, planar: boolean, sizes: Sizes): { ring: THREE.BufferGeometry; gap: THREE.BufferGeometry } | undefined {
  const c = joint.clearance;
  if (!c || joint.kind.play !== "round" || joint.kind.shape === "ball") return undefined;
  const pin = isBearing(joint, planar) ? sizes.pin(joint) : blockOf(joint, sizes).across;
  const [bore, wall] = sizes.bearing(joint, pin);
  const length = planar ? 1.25 * Math.max(sizes.thickness(joint.first.body), sizes.thickness(joint.second.body)) : bearingLength(joint, sizes);
  const body = joint.first.body;
  const place = (g: THREE.BufferGeometry) => oriented(g, zAxis(joint.first), vector(joint.first.point));
  if (planar && Math.abs(zAxis(joint.first).z) < 0.5) return undefined;
  // In front, where the gap can be seen.
  const lift = planar ? Math.max(...sizes.meeting(joint).map((b) => sizes.height(b))) - sizes.height(body) : 0;
  return { ring: place(tube(wall, bore, length)).translate(0, 0, lift), gap: place(tube(bore, pin, 0.96 * length)).translate(0, 0, lift) };
}

/** A point of a joint's first frame, in the axes of its body. */
const placed = ({ point, axes }: FrameSpec, p: readonly number[]) =>
  new THREE.Vector3(...([0, 1, 2].map((k) => point[k]! + axes[k]! * p[0]! + axes[3 + k]! * p[1]! + axes[6 + k]! * p[2]!) as [number, number, number]));

/** What of a body must be seen besides its joints: the curve that it carries. */
export const curveOf = (joint: JointSpec): Vec3[] => (joint.curve ?? []).map((p) => placed(joint.first, p).toArray() as Vec3);

/** What a joint draws on its first body: a guide curve. */
export function railShape(joint: JointSpec, { s }: Sizes): THREE.BufferGeometry | undefined {
  const place = (p: readonly number[]) => placed(joint.first, p);
  if (joint.curve) {
    const path = new THREE.CurvePath<THREE.Vector3>();
    for (let i = 0; i + 1 < joint.curve.length; ++i) path.add(new THREE.LineCurve3(place(joint.curve[i]!), place(joint.curve[i + 1]!)));
    return new THREE.TubeGeometry(path, 2 * joint.curve.length, 0.3 * s, 8);
  }
  return undefined;
}

const TEETH = 24; // of a pinion: a multiple of four, so that one of them points at the rack at the start
const rackDepth = (planar: boolean, sizes: Sizes): number => (planar ? 0.9 * sizes.thick : 1.2 * sizes.s);

/** A frame as a matrix in the axes of its body. */
function basis({ axes, point }: FrameSpec): THREE.Matrix4 {
  const [x, y, z] = [0, 1, 2].map((c) => new THREE.Vector3(axes[3 * c], axes[3 * c + 1], axes[3 * c + 2])) as [THREE.Vector3, THREE.Vector3, THREE.Vector3];
  return new THREE.Matrix4().makeBasis(x, y, z).setPosition(...(point as [number, number, number]));
}

/** The rack of a pinion, as far as it is used; the pinion is on the side `side` of the pitch line. */
export function rackShape(joint: JointSpec, travel: [number, number], side: number, planar: boolean, sizes: Sizes): THREE.BufferGeometry {
  const radius = joint.pitch_radius!;
  const pitch = (2 * Math.PI * radius) / TEETH;
  const module = (2 * radius) / TEETH;
  const [first, last] = [Math.floor((travel[0] - 1.2 * radius) / pitch), Math.ceil((travel[1] + 1.2 * radius) / pitch)];
  const [tip, root, back] = [side * module, -side * 1.25 * module, -side * 4 * module];
  const outline = new THREE.Shape();
  outline.moveTo(first * pitch, back);
  // A gap of the rack where a tooth of the pinion is.
  for (let k = first; k < last; ++k)
    for (const [share, y] of [[0, root], [0.14, root], [0.36, tip], [0.64, tip], [0.86, root], [1, root]] as const) outline.lineTo((k + share) * pitch, y);
  outline.lineTo(last * pitch, back);
  outline.closePath();
  const depth = rackDepth(planar, sizes);
  return new THREE.ExtrudeGeometry(outline, { depth, bevelEnabled: false }).translate(0, 0, -depth / 2).applyMatrix4(basis(joint.first));
}
