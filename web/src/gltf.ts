// SPDX-License-Identifier: Apache-2.0
// The mechanism as drawn, with its motion, as a binary glTF: for Blender, for slides, for any viewer.
// What moves as a whole becomes a node with tracks, what bends a surface with one shape for each key.
import * as THREE from "three";

interface Accessor {
  bufferView: number;
  componentType: number;
  count: number;
  type: string;
  min?: number[];
  max?: number[];
}
const FLOAT = 5126, UINT = 5125;

/** The parts of a file while it is put together. */
class Book {
  private pieces: Uint8Array<ArrayBuffer>[] = [];
  private bytes = 0;
  readonly views: object[] = [];
  readonly accessors: Accessor[] = [];
  readonly nodes: Record<string, unknown>[] = [];
  readonly meshes: object[] = [];
  readonly materials: object[] = [];
  readonly channels: object[] = [];
  readonly samplers: object[] = [];
  private known = new Map<string, number>();

  add(values: Float32Array | Uint32Array, width: 1 | 3 | 4, bounded = false): number {
    const bytes = new Uint8Array(values.byteLength);
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    this.views.push({ buffer: 0, byteOffset: this.bytes, byteLength: bytes.length });
    this.pieces.push(bytes);
    this.bytes += bytes.length; // always a multiple of four
    const accessor: Accessor = { bufferView: this.views.length - 1, componentType: values instanceof Uint32Array ? UINT : FLOAT, count: values.length / width, type: { 1: "SCALAR", 3: "VEC3", 4: "VEC4" }[width] };
    if (bounded) {
      const [low, high]: [number[], number[]] = [Array<number>(width).fill(Infinity), Array<number>(width).fill(-Infinity)];
      for (let i = 0; i < values.length; ++i) {
        const c = i % width;
        low[c] = Math.min(low[c]!, values[i]!);
        high[c] = Math.max(high[c]!, values[i]!);
      }
      [accessor.min, accessor.max] = [low, high];
    }
    return this.accessors.push(accessor) - 1;
  }
  material(m: THREE.Material): number {
    const { color } = m as THREE.MeshPhongMaterial;
    const text = `${color?.getHex()} ${m.opacity} ${m.side}`;
    const known = this.known.get(text);
    if (known !== undefined) return known;
    // glTF wants linear colours, which is how they are kept.
    const { r, g, b } = color ?? { r: 0.5, g: 0.5, b: 0.5 };
    const index = this.materials.push({
      pbrMetallicRoughness: { baseColorFactor: [r, g, b, m.transparent ? m.opacity : 1], metallicFactor: 0.1, roughnessFactor: 0.6 },
      ...(m.transparent ? { alphaMode: "BLEND" } : {}),
      ...(m.side === THREE.DoubleSide ? { doubleSided: true } : {}),
    });
    this.known.set(text, index - 1);
    return index - 1;
  }

  file(rest: object): Blob {
    const json = {
      asset: { version: "2.0", generator: "Freeplay" },
      ...rest,
      nodes: this.nodes,
      meshes: this.meshes,
      materials: this.materials,
      ...(this.channels.length ? { animations: [{ name: "motion", channels: this.channels, samplers: this.samplers }] } : {}),
      accessors: this.accessors,
      bufferViews: this.views,
      buffers: [{ byteLength: this.bytes }],
    };
    let text = new TextEncoder().encode(JSON.stringify(json));
    if (text.length % 4) {
      const padded = new Uint8Array(text.length + 4 - (text.length % 4)).fill(0x20);
      padded.set(text);
      text = padded;
    }
    const words = (...w: number[]) => new Uint32Array(w);
    const MAGIC = 0x46546c67, JSON_CHUNK = 0x4e4f534a, BIN_CHUNK = 0x004e4942;
    return new Blob([words(MAGIC, 2, 28 + text.length + this.bytes, text.length, JSON_CHUNK), text, words(this.bytes, BIN_CHUNK), ...this.pieces], { type: "model/gltf-binary" });
  }
}

const isSolid = (o: THREE.Object3D): o is THREE.Mesh =>
  o instanceof THREE.Mesh && !(o.material instanceof THREE.ShadowMaterial) && (o.geometry.getAttribute("position")?.count ?? 0) > 0;

/** Positions as they are now; triangles of them. */
function shape(mesh: THREE.Mesh): Float32Array {
  const at = mesh.geometry.getAttribute("position");
  const out = new Float32Array(3 * at.count);
  for (let i = 0; i < at.count; ++i) out.set([at.getX(i), at.getY(i), at.getZ(i)], 3 * i);
  return out;
}

/** A track of a node: every value, or none where it never changes. */
function track(book: Book, node: number, path: string, width: 1 | 3 | 4, values: Float32Array, keys: number, perKey = 1): void {
  const step = width * perKey;
  if (values.every((v, i) => i < step || v === values[i - step])) return;
  book.samplers.push({ input: keys, interpolation: "LINEAR", output: book.add(values, width) });
  book.channels.push({ sampler: book.samplers.length - 1, target: { node, path } });
}

/**
 * `roots` as they stand at each of the instants `times`, to which `move(i)` takes them; `up` points upwards.
 * `names` of some of them. Times are those of the animation, in s.
 */
export function animatedGltf(roots: THREE.Object3D[], names: Map<THREE.Object3D, string>, up: THREE.Vector3, times: number[], move: (i: number) => void): Blob {
  const book = new Book();
  const n = times.length;
  const moving: { object: THREE.Object3D; node: number; r: Float32Array; q: Float32Array; s: Float32Array }[] = [];
  const bent: { mesh: THREE.Mesh; node: number; shapes: Float32Array[]; normals: number | undefined }[] = [];

  const addNode = (object: THREE.Object3D): number | undefined => {
    const children = object.children.map(addNode).filter((c): c is number => c !== undefined);
    const solid = isSolid(object);
    if (!solid && !children.length) return undefined;
    const node: Record<string, unknown> = { ...(names.get(object) ? { name: names.get(object) } : {}), ...(children.length ? { children } : {}) };
    const index = book.nodes.push(node) - 1;
    moving.push({ object, node: index, r: new Float32Array(3 * n), q: new Float32Array(4 * n), s: new Float32Array(3 * n) });
    // A beam is moved point by point; its surface keeps being rewritten.
    if (solid) bent.push({ mesh: object, node: index, shapes: [], normals: undefined });
    return index;
  };
  const tops = roots.map(addNode).filter((c): c is number => c !== undefined);

  const version = (mesh: THREE.Mesh) => (mesh.geometry.getAttribute("position") as THREE.BufferAttribute).version;
  const written = new Map(bent.map((b) => [b, version(b.mesh)]));
  for (let i = 0; i < n; ++i) {
    move(i);
    for (const { object, r, q, s } of moving) {
      r.set(object.position.toArray(), 3 * i);
      s.set(object.scale.toArray(), 3 * i);
      const turn = object.quaternion.toArray();
      // q and -q are one orientation: the nearer one, so that what lies between is the short way.
      const before = i > 0 ? q.subarray(4 * i - 4, 4 * i) : undefined;
      const sign = before && before.reduce((sum, v, k) => sum + v * turn[k]!, 0) < 0 ? -1 : 1;
      q.set(turn.map((v) => sign * v), 4 * i);
    }
    for (const one of bent) if (one.shapes.length || version(one.mesh) !== written.get(one)) one.shapes.push(shape(one.mesh));
  }

  const keys = book.add(new Float32Array(times), 1, true);
  for (const { node, r, q, s } of moving) {
    Object.assign(book.nodes[node]!, { translation: [...r.subarray(0, 3)], rotation: [...q.subarray(0, 4)], scale: [...s.subarray(0, 3)] });
    track(book, node, "translation", 3, r, keys);
    track(book, node, "rotation", 4, q, keys);
    track(book, node, "scale", 3, s, keys);
  }
  for (const { mesh, node, shapes } of bent) {
    const { geometry } = mesh;
    const whole = shapes.length === n && n > 0;
    const first = whole ? shapes[0]! : shape(mesh);
    const normal = geometry.getAttribute("normal");
    const material = (Array.isArray(mesh.material) ? mesh.material[0] : mesh.material) as THREE.Material;
    // Without normals a surface is drawn flat, which is what is wanted of what bends.
    const attributes: Record<string, number> = { POSITION: book.add(first, 3, true) };
    if (normal && !whole) {
      const values = new Float32Array(3 * normal.count);
      for (let i = 0; i < normal.count; ++i) {
        const v = new THREE.Vector3().fromBufferAttribute(normal, i).normalize();
        values.set(v.lengthSq() > 0 ? v.toArray() : [0, 0, 1], 3 * i);
      }
      attributes.NORMAL = book.add(values, 3);
    }
    const primitive: Record<string, unknown> = { attributes, material: book.material(material) };
    if (geometry.index) primitive.indices = book.add(Uint32Array.from(geometry.index.array), 1);
    if (whole) primitive.targets = shapes.map((s) => ({ POSITION: book.add(s.map((v, i) => v - first[i]!), 3, true) }));
    book.nodes[node]!.mesh = book.meshes.push({ primitives: [primitive], ...(whole ? { weights: shapes.map((_, k) => (k === 0 ? 1 : 0)) } : {}) }) - 1;
    if (whole) {
      const weights = new Float32Array(n * n);
      for (let i = 0; i < n; ++i) weights[i * n + i] = 1;
      track(book, node, "weights", 1, weights, keys, n);
    }
  }
  // In glTF y points upwards.
  const turn = new THREE.Quaternion().setFromUnitVectors(up.clone().normalize(), new THREE.Vector3(0, 1, 0));
  const root = book.nodes.push({ name: "mechanism", children: tops, rotation: turn.toArray() }) - 1;
  return book.file({ scene: 0, scenes: [{ nodes: [root] }] });
}
