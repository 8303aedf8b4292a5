// SPDX-License-Identifier: Apache-2.0
// Geometry of the shapes that a model gives its bodies, in body axes.
import * as THREE from "three";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Run, ShapeSpec, Vec3 } from "./data";

/** A hollow cylinder along z. */
export function tube(outer: number, inner: number, length: number, segments = 48): THREE.BufferGeometry {
  const shape = new THREE.Shape();
  shape.absarc(0, 0, outer, 0, 2 * Math.PI, false);
  const hole = new THREE.Path();
  hole.absarc(0, 0, inner, 0, 2 * Math.PI, true);
  shape.holes.push(hole);
  return toCreasedNormals(new THREE.ExtrudeGeometry(shape, { depth: length, bevelEnabled: false, curveSegments: Math.ceil(segments / 2) }).translate(0, 0, -length / 2), Math.PI / 6);
}

function surface(run: Run, mesh: NonNullable<ShapeSpec["mesh"]>): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(run.floats.slice(mesh.vertices, mesh.vertices + 3 * mesh.corners), 3));
  geometry.setIndex(new THREE.BufferAttribute(Uint32Array.from(run.floats.subarray(mesh.triangles, mesh.triangles + 3 * mesh.count)), 1));
  return toCreasedNormals(geometry, Math.PI / 6);
}

export function solidOf(run: Run, shape: ShapeSpec): THREE.BufferGeometry {
  const [a, b, c] = shape.size;
  const make = (): THREE.BufferGeometry => {
    switch (shape.kind) {
      case "box":
        return new THREE.BoxGeometry(a, b, c);
      case "cylinder":
        return (b > 0 ? tube(a / 2, b / 2, c) : new THREE.CylinderGeometry(a / 2, a / 2, c, 48).rotateX(Math.PI / 2)).rotateY(Math.PI / 2);
      case "sphere":
        return new THREE.SphereGeometry(a / 2, 40, 28);
      case "capsule":
        return new THREE.CapsuleGeometry(a / 2, c, 10, 32).rotateZ(-Math.PI / 2);
      case "mesh":
        return surface(run, shape.mesh!);
    }
  };
  const x = shape.axes;
  const placed = new THREE.Matrix4().makeBasis(new THREE.Vector3(x[0], x[1], x[2]), new THREE.Vector3(x[3], x[4], x[5]), new THREE.Vector3(x[6], x[7], x[8])).setPosition(...shape.centre);
  return make().applyMatrix4(placed);
}

/** Corners of the box about a shape, in body axes. */
export function boxOf(shape: ShapeSpec, run: Run): Vec3[] {
  const [a, b, c] = shape.size;
  let [low, high]: [Vec3, Vec3] = [[0, 0, 0], [0, 0, 0]];
  if (shape.kind === "mesh") {
    const { vertices, corners } = shape.mesh!;
    [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    for (let i = 0; i < 3 * corners; ++i) {
      const x = run.floats[vertices + i]!;
      low[i % 3] = Math.min(low[i % 3]!, x);
      high[i % 3] = Math.max(high[i % 3]!, x);
    }
  } else {
    const round = a / 2;
    const along = shape.kind === "capsule" ? c / 2 + round : c / 2;
    high = shape.kind === "box" ? [a / 2, b / 2, c / 2] : shape.kind === "sphere" ? [round, round, round] : [along, round, round];
    low = high.map((x) => -x) as Vec3;
  }
  const x = shape.axes;
  return [0, 1, 2, 3, 4, 5, 6, 7].map((k) => {
    const p = [0, 1, 2].map((i) => ((k >> i) & 1 ? high : low)[i]!);
    return [0, 1, 2].map((i) => shape.centre[i]! + x[i]! * p[0]! + x[3 + i]! * p[1]! + x[6 + i]! * p[2]!) as Vec3;
  });
}

/** A gear or pitch wheel about z with its teeth, `teeth` of them; inside: a ring with teeth inwards. */
export function gear(radius: number, teeth: number, depth: number, bore: number, inside = false): THREE.BufferGeometry {
  const module = (2 * radius) / teeth;
  const [tip, root] = inside ? [radius - module, radius + 1.25 * module] : [radius + module, radius - 1.25 * module];
  const outline = (path: THREE.Path) => {
    for (let k = 0; k < teeth; ++k) {
      const at = (share: number, r: number) => {
        const angle = (2 * Math.PI * (k + share)) / teeth;
        const [x, y] = [r * Math.cos(angle), r * Math.sin(angle)];
        if (k === 0 && share === -0.36) path.moveTo(x, y);
        else path.lineTo(x, y);
      };
      at(-0.36, root);
      at(-0.14, tip);
      at(0.14, tip);
      at(0.36, root);
    }
    path.closePath();
  };
  const shape = new THREE.Shape();
  const hole = new THREE.Path();
  if (inside) {
    shape.absarc(0, 0, root + 2 * module, 0, 2 * Math.PI, false);
    outline(hole);
    shape.holes.push(hole);
  } else {
    outline(shape);
    if (bore > 0 && bore < root) {
      hole.absarc(0, 0, bore, 0, 2 * Math.PI, true);
      shape.holes.push(hole);
    }
  }
  return new THREE.ExtrudeGeometry(shape, { depth, bevelEnabled: false, curveSegments: 24 }).translate(0, 0, -depth / 2);
}

/** A coil along y from 0 to 1, to be stretched. */
export function coil(radius: number, wire: number, turns: number): THREE.BufferGeometry {
  class Helix extends THREE.Curve<THREE.Vector3> {
    constructor() {
      super();
    }
    override getPoint(u: number): THREE.Vector3 {
      // Straight ends, a tenth of the length each.
      const inner = Math.min(1, Math.max(0, (u - 0.08) / 0.84));
      const r = radius * Math.min(1, u / 0.08, (1 - u) / 0.08);
      const angle = 2 * Math.PI * turns * inner;
      return new THREE.Vector3(r * Math.cos(angle), u, r * Math.sin(angle));
    }
  }
  return new THREE.TubeGeometry(new Helix(), Math.ceil(turns * 18), wire, 6);
}

/** A flat spiral about z, from the pin outwards. */
export function spiral(from: number, to: number, wire: number, turns: number): THREE.BufferGeometry {
  const points: THREE.Vector3[] = [];
  const n = Math.ceil(turns * 24);
  for (let i = 0; i <= n; ++i) {
    const angle = (2 * Math.PI * turns * i) / n;
    const r = from + ((to - from) * i) / n;
    points.push(new THREE.Vector3(r * Math.cos(angle), r * Math.sin(angle), 0));
  }
  return new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 4 * n, wire, 6);
}
