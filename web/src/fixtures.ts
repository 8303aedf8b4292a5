// SPDX-License-Identifier: Apache-2.0
// What stands still: pedestals and guides of the ground, the floor with its grid, the axes, the light.
import * as THREE from "three";
import type { FrameSpec, JointSpec, Run } from "./data";
import { phong } from "./assembly";
import { travelOf } from "./forces3d";
import { bearingLength, blockOf, isBearing, oriented } from "./shapes";
import { zAxis, type Sizes } from "./sizes";
import { css, isDark } from "./theme";

export interface Stage {
  run: Run;
  sizes: Sizes;
  centre: THREE.Vector3;
  radius: number; // of everything that moves
  lowest: number; // height of anything along `up`
  up: THREE.Vector3;
}

/** Ground, guides, grid and axes. */
export function fixtures(stage: Stage): THREE.Object3D[] {
  const { run, sizes, up, centre, radius } = stage;
  const out: THREE.Object3D[] = [];
  const steel = phong(css("ground"), { specular: "#111111" });
  for (const joint of run.model.joints) {
    if (joint.first.body !== 0 && joint.second.body !== 0) continue;
    const [fixed, moving] = joint.first.body === 0 ? [joint.first, joint.second] : [joint.second, joint.first];
    if (joint.kind.slides && !isBearing(joint, run.model.planar)) out.push(...guide(stage, joint, fixed, moving.body, steel));
    else if (!joint.curve && joint.pitch_radius === undefined && (isBearing(joint, run.model.planar) || !["none", "bead"].includes(joint.kind.shape))) out.push(...pedestal(stage, joint, fixed, moving.body, steel));
  }
  // Floor: a grid below everything, that catches the shadows.
  const low = centre.clone().addScaledVector(up, Math.min(-0.82 * radius, stage.lowest - centre.dot(up)));
  const size = radius * 7;
  const floor = new THREE.Mesh(new THREE.PlaneGeometry(size, size), new THREE.ShadowMaterial({ opacity: isDark() ? 0.35 : 0.16 }));
  floor.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
  floor.position.copy(low);
  floor.receiveShadow = true;
  const grid = new THREE.GridHelper(size, 28, css("grid-strong"), css("grid"));
  grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
  grid.position.copy(low).addScaledVector(up, -0.001 * radius);
  out.push(floor, grid);
  // Axes of the global frame, at its origin.
  for (const [i, name] of ["x", "y", "z"].entries()) {
    if (run.model.planar && name === "z") continue;
    const direction = new THREE.Vector3(i === 0 ? 1 : 0, i === 1 ? 1 : 0, i === 2 ? 1 : 0);
    const arrow = new THREE.ArrowHelper(direction, new THREE.Vector3(0, 0, run.model.planar ? sizes.top + 0.4 * sizes.s : 0), 4.2 * sizes.s, css("ink-soft"), 0.9 * sizes.s, 0.55 * sizes.s);
    arrow.userData.axis = name;
    out.push(arrow);
  }
  return out;
}

/** Cheeks that carry a pin of the ground: behind the mechanism in the plane, on both sides in space. */
function pedestal({ run, sizes, up }: Stage, joint: JointSpec, fixed: FrameSpec, body: number, material: THREE.Material): THREE.Object3D[] {
  const { planar } = run.model;
  const axis = zAxis(fixed);
  const at = new THREE.Vector3(...fixed.point);
  // As large as its pin asks for.
  const s = Math.min(Math.max(sizes.eye(joint, body) / 1.25, 0.45 * sizes.s), 2.2 * sizes.s);
  const down = up.clone().addScaledVector(axis, -up.dot(axis));
  const own = !planar && joint.clearance && joint.first.body === 0 && isBearing(joint, planar);
  const [, wall] = sizes.bearing(joint);
  const width = sizes.eye(joint, body);
  const done = (list: THREE.Mesh[]) => {
    for (const mesh of list) mesh.castShadow = true;
    return list;
  };
  if (down.length() < 0.1) {
    // A pin that stands upright: a column below it.
    const foot = up.clone().multiplyScalar(-1);
    const top = own ? 0.45 * bearingLength(joint, sizes) : 1.05 * width;
    const column = new THREE.Mesh(new THREE.CylinderGeometry(1.3 * s, 1.5 * s, 3 * s, 40), material);
    const plate = new THREE.Mesh(new THREE.CylinderGeometry(2.6 * s, 2.6 * s, 0.45 * s, 48), material);
    for (const [mesh, below] of [[column, top + 1.5 * s], [plate, top + 3.2 * s]] as const) {
      mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
      mesh.position.copy(at).addScaledVector(foot, below);
    }
    return done([column, plate]);
  }
  down.normalize().negate();
  const side = new THREE.Vector3().crossVectors(axis, down).normalize();
  const head = own ? 1.18 * wall : 1.35 * s;
  const reach = Math.max(3.4 * s, head + 1.2 * s);
  const spread = Math.max(2.1 * s, 1.15 * head);
  const shape = new THREE.Shape();
  shape.absarc(0, 0, head, Math.PI, 0, true);
  shape.lineTo(spread, -reach);
  shape.lineTo(-spread, -reach);
  shape.closePath();
  if (own) {
    // The housing of its own bearing.
    const hole = new THREE.Path();
    hole.absarc(0, 0, 0.99 * wall, 0, 2 * Math.PI, true);
    shape.holes.push(hole);
  }
  const deep = own ? 0.8 * bearingLength(joint, sizes) : planar ? 0.7 * sizes.thick : 0.5 * s;
  const geometry = new THREE.ExtrudeGeometry(shape, { depth: deep, bevelEnabled: false, curveSegments: 24 });
  const basis = new THREE.Matrix4().makeBasis(side, down.clone().negate(), axis.clone());
  if (basis.determinant() < 0) basis.makeBasis(side.negate(), down.clone().negate(), axis.clone());
  const offsets = own ? [-deep / 2] : planar ? [sizes.height(0) - deep / 2] : [-1.05 * width - deep, 1.05 * width];
  const out: THREE.Mesh[] = offsets.map((offset) => {
    const mesh = new THREE.Mesh(geometry, material);
    mesh.quaternion.setFromRotationMatrix(basis);
    mesh.position.copy(at).addScaledVector(axis, offset);
    return mesh;
  });
  const foot = new THREE.Mesh(new THREE.BoxGeometry(2.5 * spread, 0.45 * s, own || planar ? 1.6 * deep : 2.1 * width + 3 * deep), material);
  foot.quaternion.setFromRotationMatrix(basis);
  foot.position.copy(at).addScaledVector(down, reach + 0.1 * s);
  if (planar) foot.position.addScaledVector(axis, sizes.height(0));
  return done([...out, foot]);
}

/** Rails as long as the part travels; where it rides on a moving body, they are not of the ground. */
function guide({ run, sizes }: Stage, joint: JointSpec, fixed: FrameSpec, body: number, material: THREE.Material): THREE.Object3D[] {
  const { planar } = run.model;
  const axis = zAxis(fixed);
  const { along, across } = blockOf(joint, sizes);
  const travel = travelOf(run, joint);
  const [low, high] = joint.first.body === 0 ? travel : [-travel[1], -travel[0]];
  const thick = 0.55 * sizes.s;
  const length = high - low + 2 * along + 1.5 * sizes.s;
  const middle = new THREE.Vector3(...fixed.point).addScaledVector(axis, (low + high) / 2);
  const sideways = planar ? new THREE.Vector3(0, 0, 1).cross(axis) : Math.abs(axis.z) < 0.9 ? new THREE.Vector3(0, 0, 1).cross(axis).normalize() : new THREE.Vector3(1, 0, 0);
  // Room for play that is drawn: none, but the parts must not be one.
  const gap = joint.clearance ? 0.12 * across : 0.03 * across;
  return [1, -1].map((sign) => {
    const rail = new THREE.Mesh(planar ? new THREE.BoxGeometry(length, thick, 1.1 * sizes.thickness(body)).rotateZ(Math.atan2(axis.y, axis.x)) : oriented(new THREE.BoxGeometry(thick, thick, length), axis, new THREE.Vector3()), material);
    rail.position.copy(middle).addScaledVector(sideways, sign * (across + gap + thick / 2));
    if (planar) rail.position.z = sizes.height(body);
    rail.castShadow = true;
    return rail;
  });
}
