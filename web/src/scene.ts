// SPDX-License-Identifier: Apache-2.0
// The mechanism in 3D. Shapes are built once; each frame only moves them.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { JointSpec, Run, Vec3 } from "./data";
import { el, save, select, toggle } from "./dom";
import { pointOf, poseOf } from "./pose";
import { bodyShapes, curveOf, jointShape, mountsOf, oriented, railShape, slides, zAxis, type Sizes } from "./shapes";
import type { State } from "./state";
import { colour, css, isDark, modeColour } from "./theme";

const BODY_LIGHT = ["#5b8db8", "#c98b52", "#5fa58a", "#a884b3", "#8f9a5b", "#7f8fa6", "#b57373", "#6aa3ad"];
const BODY_DARK = ["#6fa8d6", "#dca06a", "#70bd9f", "#bf9acb", "#a9b56e", "#98a9c2", "#cf8b8b", "#7fbcc6"];

/** The bodies of one result, solid or as a ghost. */
class Assembly {
  readonly group = new THREE.Group();
  readonly bodies: THREE.Group[] = [];
  private joints = new Map<string, THREE.MeshPhongMaterial>();

  constructor(readonly run: Run, private sizes: Sizes, private ghost: boolean) {
    const { model } = run;
    model.bodies.forEach((_, i) => {
      const group = new THREE.Group();
      this.bodies.push(group);
      this.group.add(group);
      if (i === 0) return;
      const material = this.material(i);
      // Links of a planar mechanism lie in layers, so that they pass each other.
      const layer = model.planar && !slides(model, i) ? (1 + ((i - 1) % 2)) * sizes.s * 0.95 : 0;
      for (const geometry of bodyShapes(model, i, sizes)) {
        const mesh = new THREE.Mesh(geometry, material);
        mesh.position.z = layer;
        mesh.castShadow = !ghost;
        group.add(mesh);
      }
    });
    if (!ghost) for (const joint of model.joints) this.addJoint(joint);
  }

  private material(i: number): THREE.Material {
    if (this.ghost) return new THREE.MeshBasicMaterial({ color: isDark() ? "#aab4c0" : "#66707c", transparent: true, opacity: 0.24, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2 });
    const list = isDark() ? BODY_DARK : BODY_LIGHT;
    return new THREE.MeshPhongMaterial({ color: list[(i - 1) % list.length], shininess: 28, specular: "#333333" });
  }

  private addJoint(joint: JointSpec): void {
    this.addRail(joint);
    const geometry = jointShape(joint, this.run.model.planar, this.sizes);
    if (!geometry) return;
    const material = new THREE.MeshPhongMaterial({ color: joint.clearance ? colour(1) : isDark() ? "#d5dbe3" : "#3c4650", shininess: 28, specular: "#333333" });
    const mesh = new THREE.Mesh(geometry, material);
    if (this.run.model.planar) mesh.position.z = this.sizes.s * 1.2;
    mesh.castShadow = true;
    this.bodies[joint.second.body]!.add(mesh);
    if (joint.clearance) this.joints.set(joint.name, material);
  }

  private addRail(joint: JointSpec): void {
    const travel = this.run.channel(`joints/${joint.name}/coordinate`)?.at(0) ?? new Float64Array(1);
    const geometry = railShape(joint, [travel.reduce((a, b) => Math.min(a, b)), travel.reduce((a, b) => Math.max(a, b))], this.sizes);
    if (!geometry) return;
    const mesh = new THREE.Mesh(geometry, new THREE.MeshPhongMaterial({ color: css("ground"), shininess: 28, specular: "#111111" }));
    if (this.run.model.planar) mesh.position.z = this.sizes.s * 1.2;
    mesh.castShadow = true;
    this.bodies[joint.first.body]!.add(mesh);
  }

  move(frame: number): void {
    this.bodies.forEach((group, i) => {
      const { r, q } = poseOf(this.run, i, frame);
      group.position.set(...r);
      group.quaternion.set(q[1], q[2], q[3], q[0]);
    });
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

export class Scene {
  readonly root: HTMLElement;
  private view = el("div", { class: "scene-view" });
  private labels = el("div", { class: "scene-labels", "aria-hidden": "true" });
  private renderer: THREE.WebGLRenderer | undefined;
  private scene = new THREE.Scene();
  private camera = new THREE.PerspectiveCamera(26, 1, 0.001, 1000);
  private controls: OrbitControls | undefined;
  private sun = new THREE.DirectionalLight("#ffffff", 2.2);
  private sky = new THREE.HemisphereLight("#ffffff", "#9aa4b0", 1.5);
  private fixtures = new THREE.Group();
  private main: Assembly | undefined;
  private ghost: Assembly | undefined;
  private ghostRun = -1;
  private trace: THREE.Group | undefined;
  private traced = "";
  private arrows = new Map<string, THREE.ArrowHelper>();
  private sizes: Sizes = { length: 1, s: 0.04 };
  private centre = new THREE.Vector3();
  private radius = 1;
  private reached: THREE.Vector3[] = []; // points of the mechanism over the whole run
  private bar = el("div", { class: "panel-tools" });
  private showLabels = innerWidth > 700;
  private showForces = true;
  private pending = false;
  private seen = true;

  constructor(private state: State) {
    this.root = el("section", { class: "panel scene", "aria-label": "The mechanism in 3D" }, el("header", {}, el("h2", {}, "Mechanism"), this.bar), this.view);
    this.ghostRun = state.runs.findIndex((r, i) => i !== state.primary && r.ideal && sameBodies(r, state.run));
    this.traced = outputBody(state.run);
    try {
      this.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    } catch {
      this.view.append(el("p", { class: "notice" }, "This browser offers no WebGL, so there is no 3D view. Everything else works."));
      return;
    }
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.debug.checkShaderErrors = false; // asking would make every program wait for the driver
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    const canvas = this.renderer.domElement;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "The mechanism in 3D. Drag to turn, wheel to zoom, right drag to move.");
    this.view.append(canvas, this.labels);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.request());
    this.scene.add(this.sun, this.sun.target, this.sky, this.fixtures);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.bias = -0.0008;
    this.rebuild();
    this.look("default");
    new ResizeObserver(() => this.resize()).observe(this.view);
    new IntersectionObserver((e) => {
      this.seen = e[e.length - 1]!.isIntersecting;
      if (this.seen) this.update();
    }).observe(this.view);
  }

  /** Results or colours changed. */
  rebuild(): void {
    if (!this.renderer) return;
    const { state } = this;
    this.main?.dispose();
    this.ghost?.dispose();
    this.measure();
    this.main = new Assembly(state.run, this.sizes, false);
    this.scene.add(this.main.group);
    if (this.ghostRun === state.primary) this.ghostRun = -1;
    const other = state.runs[this.ghostRun];
    this.ghost = other && new Assembly(other, this.sizes, true);
    if (this.ghost) this.scene.add(this.ghost.group);
    this.addFixtures();
    this.addTrace();
    for (const arrow of this.arrows.values()) arrow.removeFromParent();
    this.arrows.clear();
    for (const joint of state.run.model.joints)
      if (joint.clearance && state.run.channel(`joints/${joint.name}/reaction_force`)) {
        const arrow = new THREE.ArrowHelper(new THREE.Vector3(1, 0, 0), new THREE.Vector3(), 1, css("force"));
        arrow.renderOrder = 3;
        for (const part of [arrow.line, arrow.cone]) {
          const material = part.material as THREE.Material;
          material.depthTest = false;
          material.transparent = true;
        }
        this.arrows.set(joint.name, arrow);
        this.scene.add(arrow);
      }
    this.scene.background = new THREE.Color(css("stage"));
    this.tools();
    this.update();
  }

  private tools(): void {
    const { state } = this;
    const parts: Node[] = [];
    const others = state.runs.map((r, i) => [i, r] as const).filter(([i, r]) => i !== state.primary && sameBodies(r, state.run));
    if (others.length)
      parts.push(
        select("ghost", [["-1", "none"], ...others.map(([i, r]) => [String(i), r.label] as [string, string])], String(this.ghostRun), (v) => {
          this.ghostRun = Number(v);
          this.rebuild();
        }),
      );
    parts.push(
      select("trace", [["", "none"], ...state.run.model.bodies.slice(1).map((b) => [b.name, b.name] as [string, string])], this.traced, (v) => {
        this.traced = v;
        this.addTrace();
        this.request();
      }),
      toggle("Names", "Names of the bodies", this.showLabels, (on) => {
        this.showLabels = on;
        this.request();
      }),
    );
    if (this.arrows.size)
      parts.push(
        toggle("Forces", "Forces in the joints with play", this.showForces, (on) => {
          this.showForces = on;
          this.update();
        }),
      );
    parts.push(el("button", { type: "button", title: "Turn back to the first view (key R)", onclick: () => this.look("default") }, "Reset view"),
      el("button", { type: "button", class: "quiet", title: "Save this view as PNG", onclick: () => this.renderer?.domElement.toBlob((b) => b && save("mechanism.png", b)) }, "PNG"));
    this.bar.replaceChildren(...parts);
  }

  /** Size and middle of everything that moves. */
  private measure(): void {
    const { run } = this.state;
    const box = new THREE.Box3();
    const points: { body: number; local: Vec3 }[] = [];
    for (const j of run.model.joints) for (const f of [j.first, j.second]) points.push({ body: f.body, local: f.point });
    run.model.bodies.forEach((_, i) => i > 0 && points.push({ body: i, local: [0, 0, 0] }));
    // A guide curve is part of the picture: as many of its points as its outline needs.
    for (const j of run.model.joints) {
      const curve = curveOf(j);
      curve.forEach((local, i) => i % Math.ceil(curve.length / 24) === 0 && points.push({ body: j.first.body, local }));
    }
    const stride = Math.max(1, Math.floor(run.frames / 60));
    this.reached = [];
    for (let frame = 0; frame < run.frames; frame += stride) for (const p of points) this.reached.push(new THREE.Vector3(...pointOf(poseOf(run, p.body, frame), p.local)));
    for (const p of this.reached) box.expandByPoint(p);
    const start = new THREE.Box3();
    for (const p of points) start.expandByPoint(new THREE.Vector3(...pointOf(poseOf(run, p.body, 0), p.local)));
    const length = start.getSize(new THREE.Vector3()).length() || 1;
    // Links as wide as their joints allow: half the shortest distance between two joints of a body.
    let shortest = length;
    for (let b = 1; b < run.model.bodies.length; ++b) {
      const mounts = mountsOf(run.model, b);
      for (const m of mounts)
        for (const n of mounts) {
          const d = m.point.distanceTo(n.point);
          if (d > 1e-6 * length) shortest = Math.min(shortest, d);
        }
    }
    this.sizes = { length, s: Math.min(Math.max(0.42 * shortest, Math.min(0.014 * length, 0.9 * shortest)), 0.038 * length) };
    box.getCenter(this.centre);
    this.radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, length / 2) + 2 * this.sizes.s;
  }

  private up(): THREE.Vector3 {
    const g = new THREE.Vector3(...this.state.run.model.gravity);
    if (g.length() > 0) return g.normalize().negate();
    return this.state.run.model.planar ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(0, 0, 1);
  }

  /** Ground, guides, grid and light. */
  private addFixtures(): void {
    for (const child of [...this.fixtures.children]) {
      child.removeFromParent();
      if (child instanceof THREE.Mesh) child.geometry.dispose();
    }
    const { run } = this.state;
    const { s } = this.sizes;
    const up = this.up();
    const steel = new THREE.MeshPhongMaterial({ color: css("ground"), shininess: 28, specular: "#111111" });
    for (const joint of run.model.joints) {
      if (joint.first.body !== 0 && joint.second.body !== 0) continue;
      const fixed = joint.first.body === 0 ? joint.first : joint.second;
      const at = new THREE.Vector3(...fixed.point);
      const axis = zAxis(fixed);
      if (joint.kind.slides) this.addGuide(joint, axis, steel);
      else if (!joint.curve && joint.pitch_radius === undefined) this.addPedestal(at, axis, up, steel);
    }
    // Floor: a grid below everything, that catches the shadows.
    const low = this.centre.clone().addScaledVector(up, -this.radius * 0.82);
    const size = this.radius * 7;
    const floor = new THREE.Mesh(new THREE.PlaneGeometry(size, size), new THREE.ShadowMaterial({ opacity: isDark() ? 0.35 : 0.16 }));
    floor.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
    floor.position.copy(low);
    floor.receiveShadow = true;
    const cells = 28;
    const grid = new THREE.GridHelper(size, cells, css("grid-strong"), css("grid"));
    grid.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
    grid.position.copy(low).addScaledVector(up, -0.001 * this.radius);
    this.fixtures.add(floor, grid);
    // Axes of the global frame, at its origin.
    for (const [i, name] of ["x", "y", "z"].entries()) {
      if (run.model.planar && name === "z") continue;
      const direction = new THREE.Vector3(i === 0 ? 1 : 0, i === 1 ? 1 : 0, i === 2 ? 1 : 0);
      const arrow = new THREE.ArrowHelper(direction, new THREE.Vector3(), 4.2 * s, css("ink-soft"), 0.9 * s, 0.55 * s);
      arrow.userData.axis = name;
      this.fixtures.add(arrow);
    }
    const away = up.clone().multiplyScalar(1.8).add(this.side()).add(this.front().multiplyScalar(1.4));
    this.sun.position.copy(this.centre).addScaledVector(away.normalize(), this.radius * 4);
    this.sun.target.position.copy(this.centre);
    const shadow = this.sun.shadow.camera;
    shadow.left = shadow.bottom = -this.radius * 1.8;
    shadow.right = shadow.top = this.radius * 1.8;
    shadow.near = this.radius * 0.5;
    shadow.far = this.radius * 9;
    shadow.updateProjectionMatrix();
  }

  private addPedestal(at: THREE.Vector3, axis: THREE.Vector3, up: THREE.Vector3, material: THREE.Material): void {
    const { s } = this.sizes;
    // A cheek on each side of the part, reaching down.
    const down = up.clone().addScaledVector(axis, -up.dot(axis));
    if (down.length() < 0.1) down.set(axis.y, axis.z, axis.x);
    down.normalize().negate();
    const side = new THREE.Vector3().crossVectors(axis, down).normalize();
    const shape = new THREE.Shape();
    shape.absarc(0, 0, 1.25 * s, Math.PI, 0, true);
    shape.lineTo(2.1 * s, -3.4 * s);
    shape.lineTo(-2.1 * s, -3.4 * s);
    shape.closePath();
    const geometry = new THREE.ExtrudeGeometry(shape, { depth: 0.5 * s, bevelEnabled: false, curveSegments: 24 });
    const basis = new THREE.Matrix4().makeBasis(side, down.clone().negate(), axis.clone());
    if (basis.determinant() < 0) basis.makeBasis(side.negate(), down.clone().negate(), axis.clone());
    const offsets = this.state.run.model.planar ? [-0.6 * s] : [-1.5 * s, 1.0 * s];
    for (const offset of offsets) {
      const mesh = new THREE.Mesh(geometry, material);
      mesh.quaternion.setFromRotationMatrix(basis);
      mesh.position.copy(at).addScaledVector(axis, offset);
      mesh.castShadow = true;
      this.fixtures.add(mesh);
    }
    const foot = new THREE.Mesh(new THREE.BoxGeometry(5.4 * s, 0.5 * s, this.state.run.model.planar ? 2.4 * s : 4.2 * s), material);
    foot.quaternion.setFromRotationMatrix(basis);
    foot.position.copy(at).addScaledVector(down, 3.6 * s);
    foot.castShadow = true;
    this.fixtures.add(foot);
  }

  /** Rails as long as the part travels. */
  private addGuide(joint: JointSpec, axis: THREE.Vector3, material: THREE.Material): void {
    const { run } = this.state;
    const { s } = this.sizes;
    const [fixed, moving] = joint.first.body === 0 ? [joint.first, joint.second] : [joint.second, joint.first];
    const at = new THREE.Vector3(...fixed.point);
    let low = 0;
    let high = 0;
    const stride = Math.max(1, Math.floor(run.frames / 400));
    for (let i = 0; i < run.frames; i += stride) {
      const along = new THREE.Vector3(...pointOf(poseOf(run, moving.body, i), moving.point)).sub(at).dot(axis);
      low = Math.min(low, along);
      high = Math.max(high, along);
    }
    const length = high - low + 6.5 * s;
    const middle = at.clone().addScaledVector(axis, (low + high) / 2);
    const across = run.model.planar ? new THREE.Vector3(0, 0, 1).cross(axis) : Math.abs(axis.z) < 0.9 ? new THREE.Vector3(0, 0, 1).cross(axis).normalize() : new THREE.Vector3(1, 0, 0);
    for (const sign of [1, -1]) {
      const rail = new THREE.Mesh(oriented(new THREE.BoxGeometry(0.6 * s, 0.6 * s, length), axis, new THREE.Vector3()), material);
      rail.position.copy(middle).addScaledVector(across, sign * 2.0 * s);
      rail.castShadow = true;
      this.fixtures.add(rail);
    }
  }

  private addTrace(): void {
    this.trace?.removeFromParent();
    this.trace = undefined;
    const index = this.state.run.model.bodies.findIndex((b) => b.name === this.traced);
    if (index < 1) return;
    const group = new THREE.Group();
    const line = (run: Run, tint: string, opacity: number) => {
      const points = new Float32Array(run.frames * 3);
      const body = run.model.bodies.findIndex((b) => b.name === this.traced);
      for (let i = 0; i < run.frames; ++i) points.set(poseOf(run, body, i).r, 3 * i);
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
      group.add(new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: tint, transparent: true, opacity })));
    };
    line(this.state.run, colour(1), 0.9);
    if (this.state.run.model.planar) group.position.z = this.sizes.s * 3;
    this.trace = group;
    this.scene.add(group);
  }

  private front(): THREE.Vector3 {
    if (this.state.run.model.planar) return new THREE.Vector3(0, 0, 1);
    const up = this.up();
    const v = Math.abs(up.y) < 0.9 ? new THREE.Vector3(0, -1, 0) : new THREE.Vector3(0, 0, 1);
    return v.addScaledVector(up, -v.dot(up)).normalize();
  }
  private side(): THREE.Vector3 {
    return new THREE.Vector3().crossVectors(this.up(), this.front()).normalize();
  }

  look(_view: "default"): void {
    if (!this.controls) return;
    const up = this.up();
    const planar = this.state.run.model.planar;
    const direction = this.front()
      .multiplyScalar(planar ? 1 : 0.95)
      .addScaledVector(this.side(), planar ? 0.22 : 0.8)
      .addScaledVector(up, planar ? 0.2 : 0.55)
      .normalize();
    // Near enough that everything which moves just fits, with room for the ground and the names.
    const right = new THREE.Vector3().crossVectors(up, direction).normalize();
    const above = new THREE.Vector3().crossVectors(direction, right);
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    const wide = tall * (this.camera.aspect || 1.5);
    const room = 4.5 * this.sizes.s;
    const target = this.centre.clone();
    let distance = this.radius;
    for (let round = 0; round < 4; ++round) {
      let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
      distance = 0;
      for (const p of this.reached) {
        const v = p.clone().sub(target);
        const [x, y, z] = [v.dot(right), v.dot(above), v.dot(direction)];
        [x0, x1, y0, y1] = [Math.min(x0, x), Math.max(x1, x), Math.min(y0, y), Math.max(y1, y)];
        distance = Math.max(distance, z + (Math.abs(x) + room) / (wide * 0.94), z + (Math.abs(y) + room) / (tall * 0.9));
      }
      target.addScaledVector(right, (x0 + x1) / 2).addScaledVector(above, (y0 + y1) / 2);
    }
    this.camera.up.copy(up);
    this.camera.near = distance / 100;
    this.camera.far = distance * 30;
    this.camera.position.copy(target).addScaledVector(direction, distance);
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(target);
    this.controls.update();
    this.request();
  }

  private resize(): void {
    const { clientWidth: w, clientHeight: h } = this.view;
    if (!this.renderer || w < 10 || h < 10) return;
    const first = this.renderer.domElement.style.width === "";
    this.renderer.setSize(w, h);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    if (first) this.look("default");
    this.request();
  }

  /** Move to the shared instant. */
  update(): void {
    if (!this.renderer || !this.seen) return;
    const { state } = this;
    this.main?.move(state.frame);
    this.ghost?.move(this.ghost.run.frameAt(state.time));
    for (const [name, arrow] of this.arrows) {
      const joint = state.run.model.joints.find((j) => j.name === name)!;
      const channel = state.run.channel(`joints/${name}/reaction_force`)!;
      const force = new THREE.Vector3(...[0, 1, 2].map((c) => (c < channel.width ? channel.at(c)[state.frame]! : 0)));
      const most = channel.scale() || 1;
      const size = force.length();
      arrow.visible = this.showForces && size > 1e-6 * most;
      if (!arrow.visible) continue;
      const at = new THREE.Vector3(...pointOf(poseOf(state.run, joint.second.body, state.frame), joint.second.point));
      if (state.run.model.planar) at.z += 3 * this.sizes.s;
      arrow.position.copy(at);
      arrow.setDirection(force.normalize());
      const length = Math.max(Math.sqrt(size / most) * this.radius * 0.55, 2.5 * this.sizes.s);
      arrow.setLength(length, 1.6 * this.sizes.s, 1.0 * this.sizes.s);
    }
    this.request();
  }

  private request(): void {
    if (this.pending || !this.renderer) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.renderer!.render(this.scene, this.camera);
      this.placeLabels();
      if (!this.root.dataset.drawn) this.root.dataset.drawn = String(performance.now());
    });
  }

  private placeLabels(): void {
    const { run } = this.state;
    const { clientWidth: w, clientHeight: h } = this.view;
    const nodes: HTMLElement[] = [];
    const taken: [number, number, number, number][] = [];
    const put = (text: string, at: THREE.Vector3, cls: string) => {
      const p = at.clone().project(this.camera);
      if (p.z > 1) return;
      const x = ((p.x + 1) / 2) * w;
      const y = ((1 - p.y) / 2) * h;
      const width = text.length * 7 + 10;
      const box: [number, number, number, number] = [x - 4, y - 9, x + width, y + 9];
      if (x < 0 || y < 8 || x + width > w || y > h - 8 || taken.some((t) => box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1])) return;
      taken.push(box);
      nodes.push(el("span", { class: cls, style: `transform:translate(${x + 8}px,${y - 9}px)` }, text));
    };
    if (this.showLabels && this.main) {
      run.model.bodies.forEach((b, i) => i > 0 && put(b.name, this.main!.bodies[i]!.position, "body-label"));
      for (const child of this.fixtures.children)
        if (child.userData.axis) {
          const tip = new THREE.Vector3();
          const k = ["x", "y", "z"].indexOf(child.userData.axis as string);
          tip.setComponent(k, 4.6 * this.sizes.s);
          put(child.userData.axis as string, tip, "axis-label");
        }
    }
    this.labels.replaceChildren(...nodes);
  }

  /** For tests: where a body is drawn, in pixels. */
  bodyOnScreen(name: string): [number, number] {
    const i = this.state.run.model.bodies.findIndex((b) => b.name === name);
    const p = this.main!.bodies[i]!.position.clone().project(this.camera);
    return [((p.x + 1) / 2) * this.view.clientWidth, ((1 - p.y) / 2) * this.view.clientHeight];
  }
}

function sameBodies(a: Run, b: Run): boolean {
  return a.model.planar === b.model.planar && a.model.bodies.length === b.model.bodies.length && a.model.bodies.every((x, i) => x.name === b.model.bodies[i]!.name);
}

/** The body one looks at (src/report/figure_data.cpp chooses likewise): held by the worn joint and by the ground. */
export function outputBody(run: Run): string {
  const { joints, bodies } = run.model;
  const grounded = (b: number) => joints.some((j) => (j.first.body === b && j.second.body === 0) || (j.second.body === b && j.first.body === 0));
  const undriven = (b: number) => !joints.some((j) => j.driven && (j.first.body === b || j.second.body === b));
  for (const j of joints.filter((x) => x.clearance)) for (const b of [j.second.body, j.first.body]) if (b > 0 && grounded(b) && undriven(b)) return bodies[b]!.name;
  // The end of an open chain; else what the ground guides.
  const held = (b: number) => joints.filter((j) => j.first.body === b || j.second.body === b).length;
  for (let b = bodies.length - 1; b > 0; --b) if (held(b) === 1 && !grounded(b)) return bodies[b]!.name;
  for (let b = bodies.length - 1; b > 0; --b) if (grounded(b) && undriven(b)) return bodies[b]!.name;
  return bodies[bodies.length - 1]?.name ?? "";
}
