// SPDX-License-Identifier: Apache-2.0
// The bodies and joints of one result in 3D, solid or as a ghost. Geometry is built once; each frame
// only moves it, and bends what bends.
import * as THREE from "three";
import { Beam, BeamMesh } from "./beam";
import type { JointSpec, Run, Vec3 } from "./data";
import { gears, stops, struts, type Moving } from "./forces3d";
import { pointOf, poseOf, rotate } from "./pose";
import { bearingShapes, bodyShapes, eyes, jointShape, rackShape, railShape, slotShape } from "./shapes";
import { mountsOf, skeleton, slides, type Sizes } from "./sizes";
import { solidOf } from "./solids";
import { css, isDark, modeColour } from "./theme";

const BODY_LIGHT = ["#5b8db8", "#c98b52", "#5fa58a", "#a884b3", "#8f9a5b", "#7f8fa6", "#b57373", "#6aa3ad"];
const BODY_DARK = ["#6fa8d6", "#dca06a", "#70bd9f", "#bf9acb", "#a9b56e", "#98a9c2", "#cf8b8b", "#7fbcc6"];

export const phong = (color: THREE.ColorRepresentation, rest: THREE.MeshPhongMaterialParameters = {}) => new THREE.MeshPhongMaterial({ color, shininess: 28, specular: "#333333", ...rest });

export class Assembly {
  readonly group = new THREE.Group();
  readonly bodies: THREE.Group[] = [];
  private joints = new Map<string, THREE.MeshPhongMaterial>();
  private beams: BeamMesh[] = [];
  private elements: Moving[] = [];

  constructor(readonly run: Run, private sizes: Sizes, private ghost: boolean, public magnification: number) {
    const { model } = run;
    const wheels = gears(model, sizes, (b, p) => new THREE.Vector3(...pointOf(poseOf(run, b, 0), p)));
    const geared = new Set(wheels.map(([body]) => body));
    const bent = new Map(Beam.all(run).map((beam) => [beam.body, beam]));
    model.bodies.forEach((body, i) => {
      const group = new THREE.Group();
      this.bodies.push(group);
      this.group.add(group);
      if (i === 0) return;
      const layer = sizes.height(i);
      const add = (geometry: THREE.BufferGeometry, material: THREE.Material) => this.put(i, geometry, material, layer);
      const beam = bent.get(i);
      if (beam) {
        const mesh = new BeamMesh(beam, sizes, this.material(i, true), model.planar);
        mesh.mesh.position.z = layer;
        mesh.mesh.castShadow = !ghost;
        this.beams.push(mesh);
        group.add(mesh.mesh);
        for (const eye of eyes(mountsOf(model, i), i, model.planar, sizes)) add(eye, this.material(i));
      } else if (body.shapes.length) for (const shape of body.shapes) add(solidOf(run, shape), shape.colour && !ghost ? phong(shape.colour) : this.material(i));
      else if (geared.has(i) && skeleton(model, i).every(([a, b]) => a.distanceTo(b) < sizes.s)) return; // its wheels are all of it
      else for (const geometry of bodyShapes(model, i, sizes)) add(geometry, this.material(i));
    });
    for (const [body, geometry] of wheels) this.put(body, geometry, this.material(body), sizes.height(body));
    if (ghost) return;
    for (const joint of model.joints) this.addJoint(joint);
    this.elements = struts(run, sizes);
    for (const element of this.elements) this.group.add(element.object);
  }

  /** Something of it changes its shape. */
  get bends(): boolean {
    return this.beams.length > 0;
  }

  private put(body: number, geometry: THREE.BufferGeometry, material: THREE.Material, z = 0): void {
    const mesh = new THREE.Mesh(geometry, material);
    mesh.position.z = z;
    mesh.castShadow = !this.ghost;
    this.bodies[body]!.add(mesh);
  }

  private material(i: number, flat = false): THREE.Material {
    if (this.ghost) return new THREE.MeshBasicMaterial({ color: isDark() ? "#aab4c0" : "#66707c", transparent: true, opacity: 0.24, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2 });
    const list = isDark() ? BODY_DARK : BODY_LIGHT;
    return phong(list[(i - 1) % list.length]!, { flatShading: flat && this.run.model.planar, side: flat ? THREE.DoubleSide : THREE.FrontSide });
  }

  private addJoint(joint: JointSpec): void {
    const { sizes } = this;
    const { planar } = this.run.model;
    const [outer, inner] = [joint.first.body, joint.second.body];
    this.addRail(joint);
    for (const peg of stops(this.run, joint, sizes)) this.put(outer, peg, phong("#b13c3c"), planar ? sizes.height(outer === 0 ? inner : outer) : 0);
    const slot = slotShape(joint, planar, sizes);
    if (slot) this.put(outer, slot, phong(isDark() ? "#7a8694" : "#8d99a6"), sizes.height(outer === 0 ? inner : outer));
    const bearing = bearingShapes(joint, planar, sizes);
    if (bearing) {
      // Oil is seen in its gap; an empty gap is dark.
      this.put(outer, bearing.ring, phong(joint.clearance!.film ? "#b08d57" : isDark() ? "#7a8694" : "#8d99a6"), sizes.height(outer));
      const film = joint.clearance!.film !== null;
      this.put(outer, bearing.gap, phong(film ? "#e0a21b" : "#20262d", film ? { transparent: true, opacity: 0.85, shininess: 90 } : {}), sizes.height(outer));
    }
    const geometry = jointShape(joint, planar, sizes);
    if (!geometry) return;
    if (joint.kind.shape === "pinion") return this.put(inner, geometry, this.material(inner), sizes.height(inner));
    const material = phong(joint.clearance ? modeColour(0) : joint.rubber ? "#23272c" : isDark() ? "#d5dbe3" : "#3c4650");
    this.put(inner, geometry, material, sizes.height(inner));
    if (joint.clearance) this.joints.set(joint.name, material);
  }

  private addRail(joint: JointSpec): void {
    const { planar } = this.run.model;
    const material = () => phong(css("ground"), { specular: "#111111" });
    if (joint.pitch_radius !== undefined) {
      const travel = this.run.channel(`joints/${joint.name}/coordinate`)?.at(0) ?? new Float64Array(1);
      const ends: [number, number] = [travel.reduce((a, b) => Math.min(a, b)), travel.reduce((a, b) => Math.max(a, b))];
      const [p1, p2] = [joint.first, joint.second].map((f) => new THREE.Vector3(...pointOf(poseOf(this.run, f.body, 0), f.point)));
      const across = new THREE.Vector3(...rotate(poseOf(this.run, joint.first.body, 0), joint.first.axes.slice(3, 6) as Vec3));
      const side = p2!.sub(p1!).dot(across) < 0 ? -1 : 1;
      this.put(joint.first.body, rackShape(joint, ends, side, planar, this.sizes), material(), this.sizes.height(joint.second.body));
      return;
    }
    const geometry = railShape(joint, this.sizes);
    if (geometry) this.put(joint.first.body, geometry, material(), planar && !slides(this.run.model, joint.second.body) ? this.sizes.height(joint.first.body) : 0);
  }

  move(frame: number): void {
    this.bodies.forEach((group, i) => {
      const { r, q } = poseOf(this.run, i, frame);
      group.position.set(...r);
      group.quaternion.set(q[1], q[2], q[3], q[0]);
    });
    for (const beam of this.beams) beam.move(frame, this.magnification);
    for (const element of this.elements) element.move(frame);
    for (const [name, material] of this.joints) material.color.set(modeColour(this.run.channel(`joints/${name}/mode`)?.at(0)[frame] ?? 1));
  }

  dispose(): void {
    this.group.traverse((o) => {
      if (o instanceof THREE.Mesh) {
        o.geometry.dispose();
        (o.material as THREE.Material).dispose();
      }
    });
    this.group.removeFromParent();
  }
}
