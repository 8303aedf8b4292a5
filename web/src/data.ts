// SPDX-License-Identifier: Apache-2.0
// What `freeplay report` wrote into the page: a description in JSON and, per result, one block of
// numbers. src/report/report.cpp is the other end of this contract.


export type Vec3 = [number, number, number];

export interface FrameSpec {
  body: number; // index into bodies; 0 is the ground
  point: Vec3; // from the centre of mass, body axes; m
  axes: number[]; // columns x, y, z in body axes
}
/** How joints of a type are drawn: JointKind::Page of src/model/joint_kind.hpp, where the types are. */
export interface JointKind {
  /** Its second body slides along the axis: drawn with a guide. */
  slides: boolean;
  /** What is visible of the joint itself. */
  shape: "pin" | "ball" | "bead" | "pinion" | "none";
  /** Play between a circle and a circle, between a pin and two straight walls, or between a slider and two straight walls. */
  play: "round" | "slot" | "guide" | "arc" | "none";
}
/** What a joint has lost by a few instants: depths in m, sector by sector, instant after instant. */
export interface WearSpec {
  joint: string;
  sectors: number;
  time: number[];
  outer: number;
  inner: number;
}
/** Pressure of a film by some instants: node by node along the bearing, angle after angle, instant after instant; Pa. */
export interface PressureSpec {
  joint: string;
  around: number;
  along: number;
  time: number[];
  values: number;
}
export interface JointSpec {
  kind: JointKind;
  curve?: Vec3[]; // a guide curve, in the first frame
  length?: number; // of a rod, or the radius of an arc; m
  pitch_radius?: number; // of a pinion; its pitch line is x of the first frame
  name: string;
  type: string;
  first: FrameSpec;
  second: FrameSpec;
  driven: boolean;
  rubber: boolean;
  stops: { coordinate: string; angle: boolean; lower: number | null; upper: number | null }[];
  clearance?: {
    outer: number; // radii: bearing, socket, half a slot; journal, ball, pin; m
    inner: number;
    width: [number, number]; // guide and slider; m
    height: [number, number]; // of a tube and the box in it; m
    length: [number, number]; // along the axis, 0: endless; m
    ends: [number, number] | null; // of a slot's centre line
    contact: string;
    film: string | null;
    friction: string | null;
  };
}
/** A solid that a body is drawn as; lengths run along x of its axes (struct Shape of include/freeplay/model.hpp). */
export interface ShapeSpec {
  kind: "box" | "cylinder" | "sphere" | "capsule" | "mesh";
  size: Vec3; // edges; diameter, bore, length; diameter; diameter, 0, length between the ends; m
  centre: Vec3; // body axes; m
  axes: number[]; // columns x, y, z in body axes
  colour?: string;
  mesh?: { vertices: number; corners: number; triangles: number; count: number; whole: number }; // in the block; `whole` of the model
}
/** A straight beam that bends, in body axes. */
export interface BeamSpec {
  from: Vec3;
  to: Vec3;
  large: boolean; // bends as far as it likes
  EA: number;
  EI: [number, number];
  young: number; // 0: no stress is told
  fibre: [number, number]; // outermost, along y and z of the section; m; 0: not known
}
export interface BodySpec {
  name: string;
  mass: number;
  inertia: Vec3;
  shapes: ShapeSpec[];
  flexible?: BeamSpec;
}
/** A force element: between two points, on a joint coordinate, at a point, or on a body. */
export interface ForceSpec {
  name: string;
  spring: boolean;
  damper: boolean;
  series?: boolean; // damper and spring one after the other
  free_length?: number;
  first?: FrameSpec;
  second?: FrameSpec;
  joint?: number;
  angle?: boolean; // on an angle of it
  at?: FrameSpec;
  body?: number;
  direction?: Vec3; // of an applied force or torque
  follows?: boolean; // the body's turns
}
export interface ModelSpec {
  name: string;
  planar: boolean;
  gravity: Vec3;
  output: number; // the body to look at first
  bodies: BodySpec[];
  joints: JointSpec[];
  forces: ForceSpec[];
  couplings: { name: string; joints: [number, number]; angles: [boolean, boolean]; ratio: number }[]; // second = ratio * first
  markers: { name: string; frame: FrameSpec }[];
  tolerance: number;
  duration: number;
}
export interface TrustSpec {
  knob: string;
  value: number;
  difference: number;
  rotation: number;
  until: number;
  end: number;
}
export interface RunSpec {
  status: string;
  reason: string;
  remedy: string;
  end: number;
  steps: number;
  rejected: number;
  evaluations: number;
  jacobians: number;
  events: number;
  contacts: number;
  cpu_seconds: number;
  energy_residual: number;
  energy_scale: number;
  warnings: string[];
  trust: TrustSpec | null; // null: nobody compared it with a finer run
  program_version: string;
  created: string;
  command: string;
  seed: string;
  model_sha256: string;
}
interface PeakSpec {
  count: number;
  time: number;
  value: number;
}
interface ChannelSpec {
  path: string;
  unit: string;
  name: string;
  frame: string;
  width: number;
  data: (number | { constant: number })[]; // per component: where its frames begin, or its one value
  peaks: (PeakSpec | null)[];
}
interface SpectrumSpec {
  path: string;
  component: number;
  count: number;
  samples: number;
  frequency: number;
  amplitude: number;
}
interface EventsSpec {
  count: number;
  joints: string[];
  kinds: string[];
  joint: number[];
  kind: number[];
  contact: number[];
  time: number;
  speed: number;
}
interface ImpactsSpec {
  count: number;
  joint: string[];
  contact: number[];
  open: boolean[];
  [column: string]: number | string[] | number[] | boolean[];
}
interface ResultSpec {
  label: string;
  file: string;
  complete: boolean;
  run: RunSpec;
  model: ModelSpec;
  source: string;
  resolved: string;
  frames: number;
  left_out: number;
  rows: { steps: number; uniform: number };
  uniform_step: number;
  time: number;
  channels: ChannelSpec[];
  spectra: SpectrumSpec[];
  events: EventsSpec;
  impacts: ImpactsSpec;
  wear: WearSpec[];
  pressure: PressureSpec[];
  doubles: number;
}
export interface ReportSpec {
  format: number;
  generator: string;
  results: ResultSpec[];
}

/** A line to draw: times increase. */
export interface Curve {
  t: Float64Array;
  v: Float64Array;
}

const COMPONENTS: Record<number, string[]> = { 1: [""], 2: ["x", "y"], 3: ["x", "y", "z"], 4: ["w", "x", "y", "z"] };

export function componentNames(width: number): string[] {
  return COMPONENTS[width] ?? Array.from({ length: width }, (_, i) => String(i + 1));
}

/** One recorded quantity of one result. */
export class Channel {
  readonly path: string;
  readonly unit: string;
  readonly name: string;
  readonly frame: string;
  readonly width: number;
  readonly components: string[];
  private values: (Float64Array | undefined)[] = [];
  private curves: (Curve | undefined)[] = [];
  private largest: number[] = [];

  constructor(private spec: ChannelSpec, private run: Run) {
    ({ path: this.path, unit: this.unit, name: this.name, frame: this.frame, width: this.width } = spec);
    this.components = componentNames(spec.width);
  }

  /** Values at the frames. */
  at(component: number): Float64Array {
    return (this.values[component] ??= this.read(component));
  }
  private read(component: number): Float64Array {
    const where = this.spec.data[component]!;
    if (typeof where === "object") return new Float64Array(this.run.frames).fill(where.constant);
    return this.run.doubles.subarray(where, where + this.run.frames);
  }

  /** Frames and the peaks between them. */
  curve(component: number): Curve {
    return (this.curves[component] ??= this.makeCurve(component));
  }

  private makeCurve(component: number): Curve {
    const frames = this.at(component);
    const time = this.run.time;
    const peaks = this.spec.peaks[component];
    if (!peaks) return { t: time, v: frames };
    const pt = this.run.doubles.subarray(peaks.time, peaks.time + peaks.count);
    const pv = this.run.floats.subarray(peaks.value, peaks.value + peaks.count);
    const n = frames.length + peaks.count;
    const t = new Float64Array(n);
    const v = new Float64Array(n);
    for (let i = 0, a = 0, b = 0; i < n; ++i) {
      if (b === peaks.count || (a < frames.length && time[a]! <= pt[b]!)) {
        t[i] = time[a]!;
        v[i] = frames[a++]!;
      } else {
        t[i] = pt[b]!;
        v[i] = pv[b++]!;
      }
    }
    return { t, v };
  }

  /** Largest absolute value of a component, peaks included; of all components without argument. */
  scale(component?: number): number {
    if (component === undefined) {
      let all = 0;
      for (let c = 0; c < this.width; ++c) all = Math.max(all, this.scale(c));
      return all;
    }
    if (this.largest[component] === undefined) {
      let most = 0;
      for (const x of this.curve(component).v) most = Math.max(most, Math.abs(x));
      this.largest[component] = most;
    }
    return this.largest[component]!;
  }

  /** Largest minus smallest value of a component. */
  range(component: number): number {
    let low = Infinity;
    let high = -Infinity;
    for (const x of this.curve(component).v) {
      if (x < low) low = x;
      if (x > high) high = x;
    }
    return high - low;
  }

  /** "bodies/rocker/position.z" */
  seriesName(component: number): string {
    return this.width === 1 ? this.path : `${this.path}.${this.components[component]}`;
  }
}

export interface SpectrumData {
  channel: Channel;
  component: number;
  samples: number;
  frequency: Float32Array;
  amplitude: Float32Array;
}

/** A located instant of a joint. */
export interface EventRow {
  time: number;
  joint: string;
  kind: string;
  contact: number;
  speed: number;
}

export interface ImpactRow {
  joint: string;
  contact: number;
  start: number;
  end: number;
  approach_speed: number;
  separation_speed: number;
  peak_force: number;
  peak_depth: number;
  energy_lost: number;
  impulse: number; // of a law without a force
  open: boolean; // still touching at the end of the run
}

/** One result. */
export class Run {
  readonly label: string;
  readonly file: string;
  readonly complete: boolean;
  readonly run: RunSpec;
  readonly model: ModelSpec;
  readonly source: string;
  readonly resolved: string;
  readonly rows: { steps: number; uniform: number };
  readonly uniformStep: number;
  readonly leftOut: number; // series that a page of this size cannot hold
  readonly frames: number;
  readonly time: Float64Array;
  readonly doubles: Float64Array;
  readonly floats: Float32Array;
  readonly channels: Channel[];
  readonly spectra: SpectrumData[];
  readonly events: EventRow[];
  readonly impacts: ImpactRow[];
  readonly wear: WearSpec[];
  readonly pressure: PressureSpec[];
  private byPath = new Map<string, Channel>();

  constructor(spec: ResultSpec, bytes: ArrayBuffer) {
    this.doubles = new Float64Array(bytes, 0, spec.doubles);
    this.floats = new Float32Array(bytes, spec.doubles * 8);
    ({ label: this.label, file: this.file, complete: this.complete, run: this.run, model: this.model } = spec);
    ({ source: this.source, resolved: this.resolved, rows: this.rows, frames: this.frames } = spec);
    this.uniformStep = spec.uniform_step;
    this.leftOut = spec.left_out;
    this.time = this.doubles.subarray(spec.time, spec.time + spec.frames);
    this.channels = spec.channels.map((c) => new Channel(c, this));
    for (const c of this.channels) this.byPath.set(c.path, c);
    this.spectra = spec.spectra.map((s) => ({
      channel: this.byPath.get(s.path)!,
      component: s.component,
      samples: s.samples,
      frequency: this.floats.subarray(s.frequency, s.frequency + s.count),
      amplitude: this.floats.subarray(s.amplitude, s.amplitude + s.count),
    }));
    const e = spec.events;
    this.events = e.joint.map((joint, i) => ({
      time: this.doubles[e.time + i]!,
      joint: e.joints[joint]!,
      kind: e.kinds[e.kind[i]!]!,
      contact: e.contact[i]!,
      speed: this.doubles[e.speed + i]!,
    }));
    this.wear = spec.wear ?? [];
    this.pressure = spec.pressure ?? [];
    const p = spec.impacts;
    const column = (name: string, i: number) => this.doubles[(p[name] as number) + i]!;
    this.impacts = p.joint.map((joint, i) => ({
      joint,
      contact: p.contact[i]!,
      start: column("start", i),
      end: column("end", i),
      approach_speed: column("approach_speed", i),
      separation_speed: column("separation_speed", i),
      peak_force: column("peak_force", i),
      peak_depth: column("peak_depth", i),
      energy_lost: column("energy_lost", i),
      impulse: column("impulse", i),
      open: p.open[i]!,
    }));
  }

  channel(path: string): Channel | undefined {
    return this.byPath.get(path);
  }

  /** What a part of a joint has lost by a time, sector by sector; nothing where it does not wear. */
  worn(joint: string, part: "outer" | "inner", time = Infinity): Float32Array | undefined {
    const wear = this.wear.find((w) => w.joint === joint);
    if (!wear) return undefined;
    let at = 0;
    while (at + 1 < wear.time.length && wear.time[at + 1]! <= time) ++at;
    return this.floats.subarray(wear[part] + at * wear.sectors, wear[part] + (at + 1) * wear.sectors);
  }
  /** Joints with play that can be drawn enlarged: a circle inside a circle, something between two walls, a box in a tube. */
  get imperfect(): JointSpec[] {
    const drawn = (joint: JointSpec) => {
      const { play } = joint.kind, c = joint.clearance;
      if (!c) return false;
      if (["round", "slot", "arc"].includes(play)) return c.outer > c.inner;
      return play === "guide" && (c.width[0] > c.width[1] || c.height[0] > c.height[1]);
    };
    return this.model.joints.filter((j) => drawn(j) && this.byPath.has(`joints/${j.name}/eccentricity`));
  }

  /** The contacts of a joint are end stops of an angle: in rad and N m. */
  turns(joint: string): boolean {
    const found = this.model.joints.find((j) => j.name === joint);
    return !!found && !found.clearance && found.stops.length > 0 && found.stops.every((s) => s.angle);
  }

  /** No joint has play. */
  get ideal(): boolean {
    return !this.model.joints.some((j) => j.clearance) && !this.channels.some((c) => /^joints\/.*\/(penetration|gap|film_thickness)$/.test(c.path));
  }

  /** The frame nearest to a time. */
  frameAt(time: number): number {
    return nearestIndex(this.time, time);
  }
}

export function nearestIndex(sorted: Float64Array, value: number): number {
  const after = lowerBound(sorted, value);
  if (after === 0) return 0;
  if (after === sorted.length) return sorted.length - 1;
  return sorted[after]! - value < value - sorted[after - 1]! ? after : after - 1;
}

export function lowerBound(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Value of a curve at a time, on the straight line between its points; null outside. */
export function valueAt(curve: Curve, time: number): number | null {
  const { t, v } = curve;
  const i = lowerBound(t, time);
  if (i === t.length) return null;
  if (t[i] === time) return v[i]!;
  if (i === 0) return null;
  const f = (time - t[i - 1]!) / (t[i]! - t[i - 1]!);
  return v[i - 1]! * (1 - f) + v[i]! * f;
}

export function decode(base64: string): ArrayBuffer {
  const fast = (Uint8Array as unknown as { fromBase64?: (s: string) => Uint8Array }).fromBase64;
  if (fast) return fast(base64).buffer as ArrayBuffer;
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

export function readPage(): { generator: string; runs: Run[] } {
  const spec = JSON.parse(document.getElementById("data")!.textContent!) as ReportSpec;
  const runs = spec.results.map((r, i) => {
    const block = document.getElementById(`block-${i}`)!;
    const run = new Run(r, decode(block.textContent!));
    block.remove(); // the text is as large as the numbers
    return run;
  });
  return { generator: spec.generator, runs };
}
