// SPDX-License-Identifier: Apache-2.0
// The mechanism in 3D. Shapes are built once; each frame only moves them.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Assembly } from "./assembly";
import { Beam } from "./beam";
import type { Run, Vec3 } from "./data";
import { el, save, select, toggle } from "./dom";
import { fixtures } from "./fixtures";
import { applied, strutEnds, type Moving } from "./forces3d";
import { animatedGltf } from "./gltf";
import { pointOf, poseOf } from "./pose";
import { curveOf } from "./shapes";
import { farPoints, Sizes } from "./sizes";
import { boxOf } from "./solids";
import type { State } from "./state";
import { colour, css } from "./theme";
import { gifButton, recorder, type Filmed } from "./video";

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
  private loads: Moving[] = [];
  private sizes!: Sizes;
  private magnification = 1; // of beams
  private suggested = 1;
  private centre = new THREE.Vector3();
  private radius = 1;
  private reached: THREE.Vector3[] = []; // points of the mechanism over the whole run
  private bar = el("div", { class: "panel-tools" });
  private notes = el("p", { class: "caption" });
  private showLabels = innerWidth > 700;
  private showForces = true;
  private pending = false;
  private seen = true;

  constructor(private state: State) {
    this.root = el("section", { class: "panel scene", "aria-label": "The mechanism in 3D" }, el("header", {}, el("h2", {}, "Mechanism"), this.bar), this.view, this.notes);
    this.ghostRun = state.runs.findIndex((r, i) => i !== state.primary && r.ideal && sameBodies(r, state.run));
    // A marker was put where somebody wants to look.
    const [marker] = state.run.model.markers;
    this.traced = marker ? `markers/${marker.name}` : state.run.model.output > 0 ? `bodies/${outputBody(state.run)}` : "";
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
    const beams = Beam.all(state.run).filter((b) => !b.spec.large);
    const suggested = beams.length ? Math.min(...beams.map((b) => b.suggested())) : 1;
    if (suggested !== this.suggested) this.magnification = suggested;
    this.suggested = suggested;
    this.main = new Assembly(state.run, this.sizes, false, this.magnification);
    this.scene.add(this.main.group);
    if (this.ghostRun === state.primary) this.ghostRun = -1;
    const other = state.runs[this.ghostRun];
    this.ghost = other && new Assembly(other, this.sizes, true, this.magnification);
    if (this.ghost) this.scene.add(this.ghost.group);
    this.addFixtures();
    this.addTrace();
    for (const arrow of this.arrows.values()) arrow.removeFromParent();
    for (const load of this.loads) load.object.removeFromParent();
    this.arrows.clear();
    this.loads = applied(state.run, this.sizes, 0.4 * this.radius, css("accent"));
    for (const load of this.loads) this.scene.add(load.object);
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
    this.tell();
    this.update();
  }

  /** What is drawn otherwise than it is. */
  private caption(): string {
    const { model } = this.state.run;
    const beams = Beam.all(this.state.run).filter((b) => !b.spec.large).map((b) => b.name);
    const parts = [beams.length && this.magnification > 1 ? `Bending of ${beams.join(", ")} is drawn ×${this.magnification}.` : ""];
    for (const body of model.bodies)
      for (const { mesh } of body.shapes) if (mesh && mesh.count < mesh.whole) parts.push(`The surface of ${body.name} is drawn with ${mesh.count} of its ${mesh.whole} triangles.`);
    return parts.filter(Boolean).join(" ");
  }
  private tell(): void {
    this.notes.textContent = this.caption();
    this.notes.hidden = !this.notes.textContent;
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
      select("trace", [["", "none"], ...state.run.model.bodies.slice(1).map((b) => [`bodies/${b.name}`, b.name] as [string, string]), ...state.run.model.markers.map((m) => [`markers/${m.name}`, `${m.name} (marker)`] as [string, string])], this.traced, (v) => {
        this.traced = v;
        this.addTrace();
        this.request();
      }),
      toggle("Names", "Names of the bodies", this.showLabels, (on) => {
        this.showLabels = on;
        this.request();
      }),
    );
    if (this.suggested > 1 || this.magnification > 1)
      parts.push(
        select("bending", [...new Set([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, this.suggested])].filter((m) => m <= Math.max(10 * this.suggested, 10)).sort((a, b) => a - b).map((m) => [String(m), m === 1 ? "as it is" : `×${m}`]), String(this.magnification), (v) => {
          this.magnification = Number(v);
          for (const part of [this.main, this.ghost]) if (part) part.magnification = this.magnification;
          this.tell();
          this.update();
        }),
      );
    if (this.arrows.size || this.loads.length)
      parts.push(
        toggle("Forces", "Forces in the joints with play, and applied ones", this.showForces, (on) => {
          this.showForces = on;
          this.update();
        }),
      );
    parts.push(el("button", { type: "button", title: "Turn back to the first view (key R)", onclick: () => this.look("default") }, "Reset view"));
    if (this.renderer) parts.push(recorder(state, this.filmed), gifButton(state, this.filmed), this.gltfButton());
    parts.push(
      el("button", { type: "button", class: "quiet", title: "Save this view as PNG", onclick: () => this.renderer?.domElement.toBlob((b) => b && save("mechanism.png", b)) }, "PNG"),
    );
    this.bar.replaceChildren(...parts);
  }

  /** What films show: the mechanism, drawn at once, and what the page puts beside it. */
  beside: () => HTMLCanvasElement | undefined = () => undefined;
  private filmed: Filmed = {
    mechanism: () => {
      this.place();
      this.renderer!.render(this.scene, this.camera);
      return this.renderer!.domElement;
    },
    joint: () => this.beside(),
    caption: () => this.caption(),
  };

  /** The mechanism and its motion at the chosen speed, for other programs. */
  private gltfButton(): HTMLElement {
    const { state } = this;
    const button = el("button", { type: "button", class: "quiet", title: "Save the mechanism with its motion at the chosen speed as glTF (.glb), for Blender, slides, viewers" }, "glTF");
    button.addEventListener("click", () => save("mechanism.glb", this.gltf(state.frame)));
    return button;
  }
  private gltf(now: number): Blob {
    const { state } = this;
    const main = this.main!;
    const { run } = state;
    // As smooth as a film; fewer keys where each is a shape of what bends.
    const most = main.bends ? 120 : 1200;
    const count = Math.min(run.frames, most, Math.max(2, Math.round((state.duration / state.speed) * 30) + 1));
    const frames = [...new Set(Array.from({ length: count }, (_, i) => run.frameAt(state.begin + (state.duration * i) / Math.max(1, count - 1))))];
    const names = new Map<THREE.Object3D, string>(main.bodies.map((group, i) => [group, run.model.bodies[i]!.name]));
    const file = animatedGltf([main.group, this.fixtures], names, this.up(), frames.map((f) => (run.time[f]! - state.begin) / state.speed), (i) => main.move(frames[i]!));
    main.move(now);
    this.request();
    return file;
  }

  /** Size and middle of everything that moves. */
  private measure(): void {
    const { run } = this.state;
    const box = new THREE.Box3();
    const points: { body: number; local: Vec3 }[] = [];
    for (const j of run.model.joints) for (const f of [j.first, j.second]) points.push({ body: f.body, local: f.point });
    run.model.bodies.forEach((body, i) => {
      if (i === 0) return;
      points.push({ body: i, local: [0, 0, 0] });
      if (!body.shapes.length && !body.flexible) for (const p of farPoints(run.model, i)) points.push({ body: i, local: p.toArray() });
      for (const shape of body.shapes) for (const local of boxOf(shape, run)) points.push({ body: i, local });
      if (body.flexible) points.push({ body: i, local: body.flexible.from }, { body: i, local: body.flexible.to });
    });
    for (const m of run.model.markers) points.push({ body: m.frame.body, local: m.frame.point });
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
    this.sizes = new Sizes(run, length);
    for (const ends of strutEnds(run, this.sizes)) for (let frame = 0; frame < run.frames; frame += stride) this.reached.push(...ends(frame));
    for (const p of this.reached) box.expandByPoint(p);
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
    const up = this.up();
    const { run } = this.state;
    const around = Math.max(3.9 * this.sizes.s, ...run.model.joints.map((j) => 1.3 * this.sizes.crowd(j.second.body, new THREE.Vector3(...j.second.point)) + this.sizes.s));
    const lowest = Math.min(...this.reached.map((p) => p.dot(up))) - around;
    const parts = fixtures({ run, sizes: this.sizes, centre: this.centre, radius: this.radius, lowest, up });
    this.fixtures.add(...parts);
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

  private addTrace(): void {
    this.trace?.removeFromParent();
    this.trace = undefined;
    const at = pathOf(this.state.run, this.traced);
    if (!at) return;
    const { run } = this.state;
    const points = new Float32Array(run.frames * 3);
    for (let i = 0; i < run.frames; ++i) points.set(at(i), 3 * i);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
    const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colour(1), transparent: true, opacity: 0.9 }));
    this.trace = new THREE.Group();
    this.trace.add(line);
    if (run.model.planar) this.trace.position.z = this.sizes.top + 0.3 * this.sizes.thick;
    this.scene.add(this.trace);
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
    this.place();
    this.request();
  }
  private place(): void {
    const { state } = this;
    this.main?.move(state.frame);
    this.ghost?.move(this.ghost.run.frameAt(state.time));
    for (const load of this.loads) {
      load.move(state.frame);
      load.object.visible &&= this.showForces;
    }
    for (const [name, arrow] of this.arrows) {
      const joint = state.run.model.joints.find((j) => j.name === name)!;
      const channel = state.run.channel(`joints/${name}/reaction_force`)!;
      const force = new THREE.Vector3(...[0, 1, 2].map((c) => (c < channel.width ? channel.at(c)[state.frame]! : 0)));
      const most = channel.scale() || 1;
      const size = force.length();
      arrow.visible = this.showForces && size > 1e-6 * most;
      if (!arrow.visible) continue;
      const at = new THREE.Vector3(...pointOf(poseOf(state.run, joint.second.body, state.frame), joint.second.point));
      if (state.run.model.planar) at.z += this.sizes.top + 0.4 * this.sizes.thick;
      arrow.position.copy(at);
      arrow.setDirection(force.normalize());
      const length = Math.max(Math.sqrt(size / most) * this.radius * 0.55, 2.5 * this.sizes.s);
      arrow.setLength(length, 1.6 * this.sizes.s, 1.0 * this.sizes.s);
    }
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
          if (run.model.planar) tip.z = this.sizes.top;
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

/** The body one looks at: the program chose it (src/report/output_body.cpp). */
export function outputBody(run: Run): string {
  return run.model.bodies[run.model.output]?.name ?? "";
}

/** Where "bodies/NAME" or "markers/NAME" is at a frame. */
function pathOf(run: Run, path: string): ((frame: number) => Vec3) | undefined {
  const name = path.slice(path.indexOf("/") + 1);
  if (path.startsWith("markers/")) {
    const marker = run.model.markers.find((m) => m.name === name);
    return marker && ((frame) => pointOf(poseOf(run, marker.frame.body, frame), marker.frame.point));
  }
  const body = run.model.bodies.findIndex((b) => b.name === name);
  return body > 0 ? (frame) => poseOf(run, body, frame).r : undefined;
}
