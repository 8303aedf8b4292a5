// SPDX-License-Identifier: Apache-2.0
// A body that bends: its axis as recorded, the bending magnified by a stated factor. What its joints
// follow is not magnified, so that the ends stay on their pins.
import * as THREE from "three";
import type { BeamSpec, Channel, Run, Vec3 } from "./data";
import { mountsOf, type Sizes } from "./sizes";
import { niceBelow } from "./wear";

/** What is recorded of a beam, place by place along its axis. */
export class Beam {
  readonly spec: BeamSpec;
  readonly name: string;
  readonly places: number;
  readonly length: number;
  private deflection: Channel;
  private held: number[]; // where joints hold it, as shares of its length

  private constructor(private run: Run, readonly body: number, deflection: Channel) {
    const model = run.model;
    this.name = model.bodies[body]!.name;
    this.spec = model.bodies[body]!.flexible!;
    this.deflection = deflection;
    this.places = deflection.width / (model.planar ? 2 : 3);
    const [from, to] = [new THREE.Vector3(...this.spec.from), new THREE.Vector3(...this.spec.to)];
    this.length = from.distanceTo(to);
    const along = to.clone().sub(from).divideScalar(this.length ** 2);
    const shares = mountsOf(model, body).map((m) => m.point.clone().sub(from).dot(along));
    this.held = [...new Set(shares.map((s) => Math.min(1, Math.max(0, s))))].sort((a, b) => a - b);
  }

  /** The beams of a result that recorded how they bend. */
  static all(run: Run): Beam[] {
    return run.model.bodies.flatMap((b, i) => {
      const deflection = b.flexible && run.channel(`bodies/${b.name}/deflection`);
      return deflection ? [new Beam(run, i, deflection)] : [];
    });
  }

  private at(place: number, frame: number): Vec3 {
    const d = this.run.model.planar ? 2 : 3;
    const out: Vec3 = [0, 0, 0];
    for (let c = 0; c < d; ++c) out[c] = this.deflection.at(place * d + c)[frame]!;
    return out;
  }
  private atShare(share: number, frame: number): Vec3 {
    const x = share * (this.places - 1);
    const k = Math.min(this.places - 2, Math.floor(x));
    const [a, b] = [this.at(k, frame), this.at(k + 1, frame)];
    return [0, 1, 2].map((c) => a[c]! + (x - k) * (b[c]! - a[c]!)) as Vec3;
  }
  /** The part of the deflection that carries the joints along: straight through the outermost of them. */
  private carried(share: number, first: Vec3, last: Vec3): Vec3 {
    const [a, b] = [this.held[0] ?? 0, this.held[this.held.length - 1] ?? 0];
    const f = b - a > 1e-6 ? (share - a) / (b - a) : 0;
    return [0, 1, 2].map((c) => first[c]! + f * (last[c]! - first[c]!)) as Vec3;
  }

  /** Points of the axis in body axes. */
  axis(frame: number, magnification: number): THREE.Vector3[] {
    const { from, to } = this.spec;
    const [first, last] = [this.atShare(this.held[0] ?? 0, frame), this.atShare(this.held[this.held.length - 1] ?? 0, frame)];
    return Array.from({ length: this.places }, (_, k) => {
      const share = k / (this.places - 1);
      const [d, base] = [this.at(k, frame), this.carried(share, first, last)];
      return new THREE.Vector3(...([0, 1, 2].map((c) => from[c]! + share * (to[c]! - from[c]!) + base[c]! + magnification * (d[c]! - base[c]!)) as Vec3));
    });
  }

  /** The largest distance of the axis from the line through its joints, over the run; m. */
  largest(): number {
    let most = 0;
    const stride = Math.max(1, Math.floor(this.run.frames / 400));
    for (let i = 0; i < this.run.frames; i += stride) {
      const [first, last] = [this.atShare(this.held[0] ?? 0, i), this.atShare(this.held[this.held.length - 1] ?? 0, i)];
      for (let k = 0; k < this.places; ++k) {
        const [d, base] = [this.at(k, i), this.carried(k / (this.places - 1), first, last)];
        most = Math.max(most, Math.hypot(d[0] - base[0], d[1] - base[1], d[2] - base[2]));
      }
    }
    return most;
  }

  /** A factor that makes the bending a tenth of the length, or 1 where it is visible as it is. */
  suggested(): number {
    const most = this.largest();
    return most > 0 ? niceBelow((0.1 * this.length) / most) : 1;
  }

  /** Bending moment at the places: its size, with its sign where it has one direction only. */
  moment(frame: number): Float64Array {
    const y = this.run.channel(`bodies/${this.name}/bending_moment_y`);
    const z = this.run.channel(`bodies/${this.name}/bending_moment_z`) ?? this.run.channel(`bodies/${this.name}/bending_moment`);
    return Float64Array.from({ length: this.places }, (_, k) => {
      const b = z?.at(k)[frame] ?? 0;
      return y ? Math.hypot(y.at(k)[frame]!, b) : b;
    });
  }

  /** Largest stress of the fibres at the places; undefined where the section is not known. */
  stress(frame: number): Float64Array | undefined {
    const { young, fibre, EA, EI } = this.spec;
    if (!(young > 0) || !(fibre[0] > 0)) return undefined;
    const value = (leaf: string, k: number) => Math.abs(this.run.channel(`bodies/${this.name}/${leaf}`)?.at(k)[frame] ?? 0);
    const flat = this.run.model.planar;
    return Float64Array.from({ length: this.places }, (_, k) => {
      const sum = (young * value("axial_force", k)) / EA + (young * fibre[0] * value(flat ? "bending_moment" : "bending_moment_z", k)) / EI[1];
      return flat ? sum : sum + (young * fibre[1] * value("bending_moment_y", k)) / EI[0];
    });
  }
}

/** The solid about the axis: a bar as deep as its section, or a round one; moved point by point. */
export class BeamMesh {
  readonly mesh: THREE.Mesh;
  private half: [number, number];
  private round: boolean;

  constructor(readonly beam: Beam, sizes: Sizes, material: THREE.Material, private planar: boolean) {
    const { fibre } = beam.spec;
    const usual = 0.5 * sizes.half(beam.body);
    this.round = !(fibre[0] > 0) && !planar;
    this.half = [fibre[0] > 0 ? fibre[0] : usual, fibre[1] > 0 ? fibre[1] : planar ? 0.43 * sizes.thickness(beam.body) : usual];
    if (planar) this.half[1] = Math.min(this.half[1], 0.5 * sizes.thickness(beam.body));
    const corners = this.corners().length;
    const n = beam.places;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * corners * n), 3));
    const index: number[] = [];
    for (let k = 0; k + 1 < n; ++k)
      for (let c = 0; c < corners; ++c) {
        const d = (c + 1) % corners;
        index.push(k * corners + c, k * corners + d, (k + 1) * corners + d, k * corners + c, (k + 1) * corners + d, (k + 1) * corners + c);
      }
    for (let c = 1; c + 1 < corners; ++c) index.push(0, c + 1, c, (n - 1) * corners, (n - 1) * corners + c, (n - 1) * corners + c + 1);
    geometry.setIndex(index);
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.frustumCulled = false;
  }

  private corners(): [number, number][] {
    const [y, z] = this.half;
    if (!this.round) return [[-y, -z], [y, -z], [y, z], [-y, z]];
    return Array.from({ length: 16 }, (_, k) => [y * Math.cos((k * Math.PI) / 8), y * Math.sin((k * Math.PI) / 8)] as [number, number]);
  }

  move(frame: number, magnification: number): void {
    const points = this.beam.axis(frame, magnification);
    const n = points.length;
    const positions = this.mesh.geometry.getAttribute("position") as THREE.BufferAttribute;
    const corners = this.corners();
    const { from, to } = this.beam.spec;
    const straight = new THREE.Vector3(...to).sub(new THREE.Vector3(...from)).normalize();
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(1, 0, 0), straight);
    const y0 = this.planar ? new THREE.Vector3(-straight.y, straight.x, 0) : new THREE.Vector3(0, 1, 0).applyQuaternion(turn);
    points.forEach((p, k) => {
      const along = points[Math.min(n - 1, k + 1)]!.clone().sub(points[Math.max(0, k - 1)]!).normalize();
      const y = y0.clone().addScaledVector(along, -y0.dot(along)).normalize();
      const z = new THREE.Vector3().crossVectors(along, y);
      corners.forEach(([a, b], c) => positions.setXYZ(k * corners.length + c, p.x + a * y.x + b * z.x, p.y + a * y.y + b * z.y, p.z + a * y.z + b * z.z));
    });
    positions.needsUpdate = true;
    if (this.round) this.mesh.geometry.computeVertexNormals();
  }
}
