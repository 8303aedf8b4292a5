// SPDX-License-Identifier: Apache-2.0
// Springs, dampers, gears and applied forces in 3D.
import * as THREE from "three";
import type { ForceSpec, JointSpec, ModelSpec, Run, Vec3 } from "./data";
import { pointOf, poseOf, rotate } from "./pose";
import { blockOf } from "./shapes";
import { vector, zAxis, type Sizes } from "./sizes";
import { coil, gear, spiral, tube } from "./solids";

/** Something that is placed anew at every instant. */
export interface Moving {
  readonly object: THREE.Object3D;
  move(frame: number): void;
}

const steel = (colour: string) => new THREE.MeshPhongMaterial({ color: colour, shininess: 40, specular: "#444444" });

function mesh(geometry: THREE.BufferGeometry, material: THREE.Material): THREE.Mesh {
  const out = new THREE.Mesh(geometry, material);
  out.castShadow = true;
  return out;
}

/** The ends of an element between two points or along a sliding joint, at an instant. */
type Ends = (frame: number) => [THREE.Vector3, THREE.Vector3];

function endsOf(run: Run, force: ForceSpec, sizes: Sizes): Ends | undefined {
  const { model } = run;
  const place = (frame: number, body: number, point: Vec3) => {
    const p = new THREE.Vector3(...pointOf(poseOf(run, body, frame), point));
    p.z += sizes.height(body);
    return p;
  };
  if (force.first && force.second) return (frame) => [place(frame, force.first!.body, force.first!.point), place(frame, force.second!.body, force.second!.point)];
  const joint = force.joint === undefined ? undefined : model.joints[force.joint];
  if (!joint || force.angle || !joint.kind.slides) return undefined;
  // From a fixed point of the guide, beyond the block at the lower end of its travel.
  const travel = travelOf(run, joint);
  const back = travel[0] - 2.2 * blockOf(joint, sizes).along - Math.max(3 * sizes.s, 0.35 * (travel[1] - travel[0]));
  const axis = zAxis(joint.first);
  const root = vector(joint.first.point).addScaledVector(axis, back).toArray() as Vec3;
  return (frame) => {
    const to = place(frame, joint.second.body, joint.second.point);
    const from = place(frame, joint.first.body, root);
    from.z = to.z;
    const way = to.clone().sub(from).normalize();
    return [from, to.addScaledVector(way, -blockOf(joint, sizes).along)];
  };
}

export function travelOf(run: Run, joint: JointSpec): [number, number] {
  const axis = zAxis(joint.first);
  let [low, high] = [Infinity, -Infinity];
  const stride = Math.max(1, Math.floor(run.frames / 300));
  for (let i = 0; i < run.frames; i += stride) {
    const pose = poseOf(run, joint.first.body, i);
    const a = new THREE.Vector3(...pointOf(pose, joint.first.point));
    const b = new THREE.Vector3(...pointOf(poseOf(run, joint.second.body, i), joint.second.point));
    const along = b.sub(a).dot(new THREE.Vector3(...rotate(pose, axis.toArray() as Vec3)));
    [low, high] = [Math.min(low, along), Math.max(high, along)];
  }
  return [low, high];
}

/** A coil, a dashpot, or both; one beside the other where both lie in parallel. */
class Strut implements Moving {
  readonly object = new THREE.Group();
  private spring: THREE.Mesh | undefined;
  private pot: [THREE.Mesh, THREE.Mesh] | undefined;
  private shortest = Infinity;

  constructor(run: Run, force: ForceSpec, private ends: Ends, sizes: Sizes, private z: number) {
    const stride = Math.max(1, Math.floor(run.frames / 200));
    let longest = 0;
    for (let i = 0; i < run.frames; i += stride) {
      const [a, b] = ends(i);
      this.shortest = Math.min(this.shortest, a.distanceTo(b));
      longest = Math.max(longest, a.distanceTo(b));
    }
    const size = Math.min(0.75 * sizes.s, 0.16 * longest);
    if (force.spring && !force.series) {
      this.spring = mesh(coil(force.damper ? size : 0.8 * size, 0.13 * size, Math.min(Math.max(Math.round(longest / (0.55 * size)), 5), 14)), steel("#6b7f99"));
      this.object.add(this.spring);
    }
    if (force.damper || force.series) {
      const radius = 0.55 * size;
      const barrel = mesh(new THREE.CylinderGeometry(radius, radius, 1, 24).translate(0, 0.5, 0), steel("#4a5563"));
      const rod = mesh(new THREE.CylinderGeometry(0.4 * radius, 0.4 * radius, 1, 16).translate(0, 0.5, 0), steel("#c3c9d0"));
      this.pot = [barrel, rod];
      this.object.add(barrel, rod);
    }
  }

  move(frame: number): void {
    const [a, b] = this.ends(frame);
    a.z += this.z;
    b.z += this.z;
    const length = a.distanceTo(b);
    this.object.visible = length > 0;
    if (!(length > 0)) return;
    this.object.position.copy(a);
    this.object.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), b.sub(a).divideScalar(length));
    this.spring?.scale.set(1, length, 1);
    if (!this.pot) return;
    // The barrel keeps its length, the rod goes in and out.
    const barrel = 0.62 * this.shortest;
    this.pot[0].scale.set(1, Math.max(barrel, 1e-6 * length), 1);
    this.pot[1].position.y = 0.5 * barrel;
    this.pot[1].scale.set(1, length - 0.5 * barrel, 1);
  }
}

/** A spiral round the pin of a joint, half turned by it. */
class Spiral implements Moving {
  readonly object: THREE.Object3D;
  constructor(private run: Run, private joint: JointSpec, private sizes: Sizes) {
    const from = 1.15 * sizes.pin(joint);
    this.object = mesh(spiral(from, from + 1.6 * sizes.s, 0.1 * sizes.s, 3.25), steel("#6b7f99"));
  }
  move(frame: number): void {
    const { first, second } = this.joint;
    const at = pointOf(poseOf(this.run, second.body, frame), second.point);
    const [p, q] = [first, second].map((f) => {
      const [w, x, y, z] = poseOf(this.run, f.body, frame).q;
      return new THREE.Quaternion(x, y, z, w);
    });
    const axis = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), zAxis(first));
    this.object.quaternion.copy(p!.slerp(q!, 0.5)).multiply(axis);
    this.object.position.set(...at);
    if (this.run.model.planar) this.object.position.z += Math.max(this.sizes.height(first.body), this.sizes.height(second.body)) + 0.75 * this.sizes.thick;
  }
}

/** An applied force as an arrow, a torque as an arrow that turns; as long as the square root of its size. */
class Applied implements Moving {
  readonly object = new THREE.Group();
  private arrow: THREE.ArrowHelper | undefined;
  private ring: THREE.Group | undefined;

  constructor(private run: Run, private force: ForceSpec, private sizes: Sizes, private reach: number, tint: string) {
    if (force.at) {
      this.arrow = new THREE.ArrowHelper(new THREE.Vector3(1, 0, 0), new THREE.Vector3(), 1, tint);
      for (const part of [this.arrow.line, this.arrow.cone]) {
        const material = part.material as THREE.Material;
        material.depthTest = false;
        material.transparent = true;
      }
      this.arrow.renderOrder = 3;
      this.object.add(this.arrow);
    } else {
      const radius = 2.6 * sizes.s;
      const material = new THREE.MeshBasicMaterial({ color: tint });
      this.ring = new THREE.Group();
      this.ring.add(new THREE.Mesh(new THREE.TorusGeometry(radius, 0.11 * sizes.s, 8, 48, 4.6), material));
      const tip = new THREE.Mesh(new THREE.ConeGeometry(0.42 * sizes.s, 1.1 * sizes.s, 16), material);
      tip.position.set(radius * Math.cos(4.6), radius * Math.sin(4.6), 0);
      tip.rotation.z = 4.6;
      this.ring.add(tip);
      this.object.add(this.ring);
    }
  }

  move(frame: number): void {
    const { run, force } = this;
    const channel = run.channel(`forces/${force.name}/effort`);
    const size = channel?.at(0)[frame] ?? 0;
    const most = channel?.scale() || 1;
    this.object.visible = Math.abs(size) > 1e-6 * most;
    if (!this.object.visible) return;
    const body = force.at?.body ?? force.body ?? 0;
    const pose = poseOf(run, body, frame);
    const direction = new THREE.Vector3(...(force.follows ? rotate(pose, force.direction!) : force.direction!)).multiplyScalar(Math.sign(size));
    const at = new THREE.Vector3(...pointOf(pose, force.at?.point ?? [0, 0, 0]));
    if (run.model.planar) at.z += this.sizes.top + 0.3 * this.sizes.thick;
    if (this.arrow) {
      // Ends where it pushes.
      const length = Math.max(Math.sqrt(Math.abs(size) / most) * this.reach, 2.5 * this.sizes.s);
      this.arrow.position.copy(at).addScaledVector(direction, -length);
      this.arrow.setDirection(direction);
      this.arrow.setLength(length, 1.5 * this.sizes.s, 0.9 * this.sizes.s);
    } else if (this.ring) {
      this.ring.position.copy(at);
      this.ring.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), direction);
      this.ring.scale.setScalar(0.55 + 0.45 * Math.sqrt(Math.abs(size) / most));
    }
  }
}

/** Between what points springs and dampers act. */
export function strutEnds(run: Run, sizes: Sizes): Ends[] {
  return run.model.forces.flatMap((force) => (force.spring || force.damper ? (endsOf(run, force, sizes) ?? []) : []));
}

/** Springs and dampers. */
export function struts(run: Run, sizes: Sizes): Moving[] {
  return run.model.forces.flatMap((force): Moving[] => {
    if (!force.spring && !force.damper) return [];
    const ends = endsOf(run, force, sizes);
    // In front of the links between whose points they act.
    if (ends) return [new Strut(run, force, ends, sizes, run.model.planar ? (force.joint === undefined ? sizes.top : 0) : 0)];
    const joint = force.joint === undefined ? undefined : run.model.joints[force.joint];
    return joint && force.angle && force.spring ? [new Spiral(run, joint, sizes)] : [];
  });
}

export function applied(run: Run, sizes: Sizes, reach: number, tint: string): Moving[] {
  return run.model.forces.flatMap((force) => (force.direction && (force.at || (force.body ?? 0) > 0) ? [new Applied(run, force, sizes, reach, tint)] : []));
}

/** The body of a joint that moves beside the ground or the carrier. */
const wheelOf = (joint: JointSpec, carrier: number) => (joint.first.body === carrier ? joint.second : joint.first);

/** Wheels of the couplings, each on its body: [body, geometry]. Those that carry a shape of their own are left as they are. */
export function gears(model: ModelSpec, sizes: Sizes, start: (body: number, point: Vec3) => THREE.Vector3): [number, THREE.BufferGeometry][] {
  const out: [number, THREE.BufferGeometry][] = [];
  for (const { joints, angles, ratio } of model.couplings) {
    const [a, b] = [model.joints[joints[0]]!, model.joints[joints[1]]!];
    const shared = [a.first.body, a.second.body].find((x) => x === b.first.body || x === b.second.body);
    if (shared === undefined) continue;
    const [p, q] = [wheelOf(a, shared), wheelOf(b, shared)];
    const depth = model.planar ? 0.9 * sizes.thick : 1.2 * sizes.s;
    const put = (frame: typeof p, radius: number, teeth: number, inside: boolean) => {
      if (model.bodies[frame.body]!.shapes.length || !(radius > 0)) return;
      const wheel = gear(radius, teeth, depth, 0, inside).applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), zAxis(frame)));
      out.push([frame.body, wheel.translate(...frame.point)]);
    };
    if (!angles[1]) {
      // A rope or a rack: the drum it runs on.
      const radius = Math.abs(ratio);
      const drum = tube(radius, 0.86 * radius, 1.3 * depth, 64).applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), zAxis(p)));
      if (!model.bodies[p.body]!.shapes.length) out.push([p.body, drum.translate(...p.point)]);
      continue;
    }
    if (!angles[0]) continue;
    const distance = start(p.body, p.point).distanceTo(start(q.body, q.point));
    // Do the axes point the same way? Joints count their angle from first to second body.
    const way = (frame: typeof p, joint: JointSpec) => (frame === joint.second ? 1 : -1);
    const turns = ratio * way(p, a) * way(q, b) * Math.sign(zAxis(a.first).dot(zAxis(b.first)) || 1);
    const r = Math.abs(ratio);
    if (!(distance > 1e-6 * sizes.length) || Math.abs(zAxis(a.first).dot(zAxis(b.first))) < 0.99) continue;
    const external = turns < 0;
    const [r1, r2] = external ? [(distance * r) / (1 + r), distance / (1 + r)] : [(distance * r) / Math.abs(r - 1), distance / Math.abs(r - 1)];
    if (!isFinite(r1) || !isFinite(r2)) continue;
    // Teeth of the smaller wheel: few enough to be seen.
    const small = Math.min(r1, r2);
    const n = Math.max(10, Math.min(24, Math.round((2 * small) / (0.35 * sizes.s))));
    put(p, r1, Math.max(3, Math.round((n * r1) / small)), !external && r1 > r2);
    put(q, r2, Math.max(3, Math.round((n * r2) / small)), !external && r2 > r1);
  }
  return out;
}

/** End stops of a joint, on its first body: plates of a slide, pegs beside the part that turns. */
export function stops(run: Run, joint: JointSpec, sizes: Sizes): THREE.BufferGeometry[] {
  const out: THREE.BufferGeometry[] = [];
  const { s } = sizes;
  const planar = run.model.planar;
  for (const stop of joint.stops)
    for (const [limit, side] of [[stop.lower, -1], [stop.upper, 1]] as const) {
      if (limit === null) continue;
      const axis = zAxis(joint.first);
      const at = vector(joint.first.point);
      if (!stop.angle && joint.kind.slides) {
        const { along, across } = blockOf(joint, sizes);
        const middle = at.addScaledVector(axis, limit + side * (along + 0.35 * s));
        const plate = planar ? new THREE.BoxGeometry(0.7 * s, 2 * across, sizes.thick).rotateZ(Math.atan2(axis.y, axis.x)) : new THREE.CylinderGeometry(across, across, 0.7 * s, 32).rotateX(Math.PI / 2).applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis));
        out.push(plate.translate(middle.x, middle.y, middle.z));
      } else if (stop.angle && joint.kind.shape === "pin") {
        const peg = pegOf(run.model, joint, limit, side, sizes);
        if (peg) out.push(new THREE.CylinderGeometry(0.42 * s, 0.42 * s, planar ? 2.6 * sizes.thick : 2 * s, 20).rotateX(Math.PI / 2).applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis)).translate(peg.x, peg.y, peg.z));
      }
    }
  return out;
}

/** Where the bar of the second body would touch a peg of the first at a joint angle. */
function pegOf(model: ModelSpec, joint: JointSpec, angle: number, side: number, sizes: Sizes): THREE.Vector3 | undefined {
  const { first, second } = joint;
  const own = vector(second.point);
  const others = model.joints.flatMap((j) => [j.first, j.second].filter((f) => f.body === second.body && f !== second).map((f) => vector(f.point)));
  const far = [...others, new THREE.Vector3()].reduce((p, q) => (q.distanceTo(own) > p.distanceTo(own) ? q : p), own);
  const bar = far.clone().sub(own);
  if (!(bar.length() > sizes.s)) return undefined;
  const column = (f: typeof first, k: number) => new THREE.Vector3(f.axes[3 * k], f.axes[3 * k + 1], f.axes[3 * k + 2]);
  // In the axes of the joint, which coincide at angle zero.
  const [x, y] = [bar.dot(column(second, 0)), bar.dot(column(second, 1))];
  const direction = Math.atan2(y, x) + angle;
  const reach = Math.min(3.2 * sizes.s, 0.6 * bar.length());
  const beside = sizes.half(second.body) * 0.8 + 0.42 * sizes.s;
  const [c, d] = [Math.cos(direction), Math.sin(direction)];
  const px = reach * c - side * beside * d;
  const py = reach * d + side * beside * c;
  return vector(first.point).addScaledVector(column(first, 0), px).addScaledVector(column(first, 1), py);
}
