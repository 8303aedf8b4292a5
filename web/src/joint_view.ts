// SPDX-License-Identifier: Apache-2.0
// The joint enlarged: journal in bearing or ball in socket, slider in guide or pin in slot
// (sliding.ts). Real play is a hundredth of the radius and cannot be seen, so the clearance is drawn
// larger than the radii by a stated factor.
import type { Channel, JointSpec, Vec3 } from "./data";
import { el, save, segments, select } from "./dom";
import { poseOf, rotateInverse } from "./pose";
import { drawPressure, pressureAt } from "./pressure";
import { drawSliding, isSliding, isSlot, scaleOf, sizesOf, slidingOf, type Sliding } from "./sliding";
import type { State } from "./state";
import { colour, css, modeColour, modeNames } from "./theme";
import { drawTube, isTube, tubeOf, tubePlay, type Tube } from "./tube";
import { FONT } from "./painter";
import { NumberFormat } from "./units";
import { drawWorn, niceBelow } from "./wear";
import { onWheel } from "./wheel";

type Axes = "xy" | "xz" | "yz";
const PLANES: Record<Axes, [number, number]> = { xy: [0, 1], xz: [0, 2], yz: [1, 2] };

export class JointView {
  readonly root: HTMLElement;
  private canvas = el("canvas", { role: "img" });
  private still = document.createElement("canvas"); // orbit and bearing, which do not move
  private bar = el("div", { class: "panel-tools" });
  private caption = el("p", { class: "caption" });
  private readout = el("dl", { class: "readout" });
  private joint: JointSpec | undefined;
  private plane: Axes = "xy";
  private inBearing = false;
  private zoom = 1; // of the round view, about the point `shift` pixels from its middle
  private shift = { x: 0, y: 0 };
  private stale = true;
  private size = 300;

  private x = new Float64Array();
  private y = new Float64Array();
  private sliding: Sliding | undefined; // of a guide or slot, in place of x and y
  private tube: Tube | undefined; // of a box in a tube, likewise
  private map = el("canvas", { class: "pressure-map", role: "img", "aria-label": "Pressure in the film, unrolled", title: "Over the bearing: angle from its first groove or x axis to the right, its length upwards" });
  private mode: Float64Array | undefined;
  private modes: number[] = []; // that occur
  private names = new Map<number, string>();
  private key = el("div", { class: "mode-key", "aria-label": "colours of the path" });
  private magnification = 1;
  private deepest = 0; // that either part has lost in the run; m
  private wearMagnification = 1;

  constructor(private state: State) {
    this.root = el("section", { class: "panel joint-view", "aria-label": "Joint enlarged" }, el("header", {}, el("h2", {}, "Joint, enlarged"), this.bar), el("div", { class: "joint-canvas" }, this.canvas), this.map, this.key, this.readout, this.caption);
    this.choose(state.run.imperfect[0]);
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.canvas.parentElement!);
  }

  /** Wheel zooms about the pointer, drag moves what is zoomed, double click shows all. */
  private listen(): void {
    const { canvas } = this;
    const to = (zoom: number, x: number, y: number) => {
      this.zoom = Math.min(Math.max(zoom, 1), 400);
      this.shift = this.zoom === 1 ? { x: 0, y: 0 } : { x, y };
      this.redraw();
    };
    onWheel(canvas, (factor, px, py) => {
      if (this.sliding || this.tube || (factor < 1 && this.zoom === 1)) return false;
      const wanted = Math.min(Math.max(this.zoom * factor, 1), 400) / this.zoom;
      const middle = this.size / 2;
      to(this.zoom * wanted, (this.shift.x + middle - px) * wanted + px - middle, (this.shift.y + middle - py) * wanted + py - middle);
      return true;
    });
    let from: { x: number; y: number } | undefined;
    canvas.addEventListener("pointerdown", (e) => {
      if (e.pointerType === "mouse" && this.zoom > 1) from = { x: e.offsetX - this.shift.x, y: e.offsetY - this.shift.y };
    });
    canvas.addEventListener("pointermove", (e) => from && to(this.zoom, e.offsetX - from.x, e.offsetY - from.y));
    for (const end of ["pointerup", "pointerleave"]) canvas.addEventListener(end, () => (from = undefined));
    canvas.addEventListener("dblclick", () => to(1, 0, 0));
  }

  /** The picture, while there is one. */
  get picture(): HTMLCanvasElement | undefined {
    return this.joint ? this.canvas : undefined;
  }

  get name(): string | undefined {
    return this.joint?.name;
  }

  /** Another result moves now. */
  follow(): void {
    const same = this.state.run.imperfect.find((j) => j.name === this.joint?.name);
    this.choose(same ?? this.state.run.imperfect[0]);
  }

  private channel(leaf: string): Channel | undefined {
    return this.joint && this.state.run.channel(`joints/${this.joint.name}/${leaf}`);
  }

  private choose(joint: JointSpec | undefined): void {
    this.joint = joint;
    this.root.hidden = !joint;
    if (!joint) return;
    const eccentricity = this.channel("eccentricity")!;
    if (eccentricity.width === 3) {
      // The plane in which the orbit is widest.
      const spread = [0, 1, 2].map((c) => variance(eccentricity.at(c)));
      const least = spread.indexOf(Math.min(...spread));
      this.plane = (["yz", "xz", "xy"] as const)[least]!;
    } else this.plane = "xy";
    this.tools();
    this.prepare();
  }

  private tools(): void {
    const run = this.state.run;
    const joint = this.joint!;
    const parts: Node[] = [];
    if (run.imperfect.length > 1)
      parts.push(
        select(
          "joint",
          run.imperfect.map((j) => [j.name, j.name]),
          joint.name,
          (name) => this.choose(run.imperfect.find((j) => j.name === name)),
        ),
      );
    if (!run.model.planar && !this.framed(joint))
      parts.push(
        segments(
          "plane",
          (["xy", "xz", "yz"] as Axes[]).map((p) => [p, p]),
          this.plane,
          (p) => {
            this.plane = p as Axes;
            this.prepare();
          },
        ),
      );
    if (joint.first.body !== 0 && !isSliding(joint))
      parts.push(
        segments(
          "axes",
          [
            ["global", "global axes"],
            ["bearing", `axes of ${run.model.bodies[joint.first.body]!.name}`],
          ],
          this.inBearing ? "bearing" : "global",
          (v) => {
            this.inBearing = v === "bearing";
            this.prepare();
          },
        ),
      );
    parts.push(el("button", { type: "button", class: "quiet", title: "Save this picture as PNG", onclick: () => this.canvas.toBlob((b) => b && save(`${joint.name}.png`, b)) }, "PNG"));
    this.bar.replaceChildren(...parts);
  }

  /** Seen along the travel, in the axes of the joint itself: a ball in a tube, a box in a tube. */
  private framed(joint: JointSpec): boolean {
    return !this.state.run.model.planar && isSliding(joint);
  }

  private prepare(): void {
    const joint = this.joint!;
    if (this.framed(joint)) this.plane = "xy";
    this.mode = this.channel("mode")?.at(0);
    this.names = modeNames(this.channel("mode")?.name ?? "");
    if (this.channel("film_thickness")) this.names.set(0, "carried by the film");
    this.modes = [...new Set(Array.from(this.mode ?? [0], Math.round))].sort((p, q) => p - q);
    this.key.replaceChildren(...this.modes.map((m) => el("span", {}, el("span", { class: "swatch", style: `border-top-color:${modeColour(m)}` }), this.names.get(m) ?? String(m))));
    this.tube = isTube(this.state.run, joint) ? tubeOf(this.state.run, joint) : undefined;
    this.sliding = isSliding(joint) && !this.framed(joint) ? slidingOf(this.state.run, joint) : undefined;
    this.map.hidden = !pressureAt(this.state.run, joint.name, 0);
    if (this.tube) this.prepareTube();
    else if (this.sliding) this.prepareSliding();
    else this.prepareRound();
    this.redraw();
  }

  private length(value: number): string {
    const unit = this.state.units.of("m", value);
    return `${Number((value * unit.factor).toPrecision(6))} ${unit.name}`;
  }

  private prepareSliding(): void {
    const joint = this.joint!;
    const slot = isSlot(joint);
    const { half, play } = sizesOf(joint);
    this.magnification = niceBelow(scaleOf(joint, 100).room * (1 + 1e-9)); // the same for every size
    this.caption.textContent =
      `${joint.name}: ${slot ? `pin of radius ${this.length(half)} in a slot` : `slider ${this.length(2 * half)} wide in its guide`}, clearance ${this.length(play)} on each side, ` +
      `drawn ×${this.magnification}${slot ? "" : ", tilt as well"}. ${joint.kind.play === "arc" ? `The arc of radius ${this.length(joint.length!)} is drawn straight. ` : ""}The picture travels along; the line is the path of the centre${slot ? "" : ", dots mark corners that touch"}.`;
    this.canvas.setAttribute("aria-label", `${joint.name} enlarged: path of the centre between the walls`);
  }

  private prepareTube(): void {
    const joint = this.joint!;
    const { width, height } = joint.clearance!;
    const { play, room } = tubePlay(joint);
    this.magnification = niceBelow(room * (1 + 1e-9));
    this.caption.textContent =
      `${joint.name}: box ${this.length(width[1])} × ${this.length(height[1])} in its tube, clearance ${this.length(play[0])} and ${this.length(play[1])} on each side, ` +
      `drawn ×${this.magnification}, tilt as well. Seen along the tube: near end solid, far end dashed; the line is the path of the centre.`;
    this.canvas.setAttribute("aria-label", `${joint.name} enlarged: box in the cross section of its tube`);
  }

  private prepareRound(): void {
    const run = this.state.run;
    const joint = this.joint!;
    const eccentricity = this.channel("eccentricity")!;
    const n = run.frames;
    const [a, b] = PLANES[this.plane];
    this.x = new Float64Array(n);
    this.y = new Float64Array(n);
    const columns = [0, 1, 2].map((c) => (c < eccentricity.width ? eccentricity.at(c) : new Float64Array(n)));
    const framed = this.framed(joint);
    const turn = (this.inBearing || framed) && joint.first.body !== 0;
    const { axes } = joint.first;
    for (let i = 0; i < n; ++i) {
      let e: [number, number, number] = [columns[0]![i]!, columns[1]![i]!, columns[2]![i]!];
      if (turn) e = rotateInverse(poseOf(run, joint.first.body, i), e);
      if (framed) e = [0, 1, 2].map((c) => e[0] * axes[3 * c]! + e[1] * axes[3 * c + 1]! + e[2] * axes[3 * c + 2]!) as Vec3;
      this.x[i] = e[a]!;
      this.y[i] = e[b]!;
    }
    const { outer, inner } = joint.clearance!;
    this.magnification = niceBelow(((0.5 * outer) / (outer - inner)) * (1 + 1e-9));
    const lost = (part: "outer" | "inner") => Math.max(0, ...(run.worn(joint.name, part) ?? []));
    this.deepest = Math.max(lost("outer"), lost("inner"));
    this.wearMagnification = this.deepest > 0 ? niceBelow((0.15 * outer) / this.deepest) : 1; // as deep as the drawn ring is wide
    const ball = joint.kind.shape === "ball" || framed;
    const clearance = outer - inner;
    const len = this.state.units.of("m", outer); // the same for both radii
    const show = (value: number) => `${Number((value * len.factor).toPrecision(6))} ${len.name}`;
    this.caption.textContent =
      `${joint.name}: ${ball ? "ball" : "journal"} ${show(inner)} in ${framed ? "tube" : ball ? "socket" : "bearing"} ${show(outer)}, radial clearance ${this.length(clearance)}, ` +
      `drawn ×${this.magnification} against the radii. The line is the path of the ${ball ? "ball" : "journal"} centre over the whole run; the length of the arrow goes with the square root of the force.` +
      (this.deepest > 0 ? ` What has been worn away is drawn ×${this.wearMagnification} and coloured by its depth, at most ${this.length(this.deepest)}.` : "");
    this.canvas.setAttribute("aria-label", `${joint.name} enlarged: path of the centre inside the clearance`);
  }

  redraw(): void {
    this.stale = true;
    this.update();
  }
  private resize(): void {
    const box = this.canvas.parentElement!;
    const size = Math.floor(Math.min(box.clientWidth, box.clientHeight || box.clientWidth));
    if (size < 40 || size === this.size) return;
    this.size = size;
    this.canvas.style.width = this.canvas.style.height = `${size}px`;
    this.redraw();
  }

  private geometry() {
    const { outer, inner } = this.joint!.clearance!;
    const { x, y } = this.shift;
    const middle = { x: this.size / 2 + x, y: this.size / 2 + y };
    const R = this.size * 0.4 * this.zoom;
    const pixelsPerMetre = (R / outer) * this.magnification; // of the clearance
    const journal = R - (outer - inner) * pixelsPerMetre;
    return { middle, R, pixelsPerMetre, journal, clearance: outer - inner };
  }

  private context(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
    const ratio = devicePixelRatio;
    canvas.width = this.size * ratio;
    canvas.height = this.size * ratio;
    const context = canvas.getContext("2d")!;
    context.scale(ratio, ratio);
    return context;
  }

  private drawStill(): void {
    const c = this.context(this.still);
    const { middle, R, pixelsPerMetre: k, clearance } = this.geometry();
    // Bearing: a ring with hatching.
    c.fillStyle = css("bearing");
    c.beginPath();
    c.arc(middle.x, middle.y, R + this.size * 0.075 * this.zoom, 0, 2 * Math.PI);
    c.moveTo(middle.x + R, middle.y);
    c.arc(middle.x, middle.y, R, 0, 2 * Math.PI);
    c.fill("evenodd");
    c.strokeStyle = css("ink");
    c.lineWidth = 1.5;
    c.beginPath();
    c.arc(middle.x, middle.y, R, 0, 7);
    c.stroke();
    // Clearance circle, with its axes.
    c.strokeStyle = css("ink-soft");
    c.lineWidth = 1;
    c.setLineDash([4, 4]);
    c.beginPath();
    c.arc(middle.x, middle.y, clearance * k, 0, 7);
    c.stroke();
    c.setLineDash([]);
    c.globalAlpha = 0.5;
    c.beginPath();
    c.moveTo(middle.x - R, middle.y);
    c.lineTo(middle.x + R, middle.y);
    c.moveTo(middle.x, middle.y - R);
    c.lineTo(middle.x, middle.y + R);
    c.stroke();
    // The orbit, in the colour of its mode.
    c.globalAlpha = 0.75;
    c.lineWidth = 1;
    c.lineJoin = "round";
    for (const kind of this.modes) {
      c.strokeStyle = modeColour(kind);
      c.beginPath();
      for (let i = 1; i < this.x.length; ++i) {
        if (Math.round(this.mode?.[i] ?? 0) !== kind) continue;
        c.moveTo(middle.x + this.x[i - 1]! * k, middle.y - this.y[i - 1]! * k);
        c.lineTo(middle.x + this.x[i]! * k, middle.y - this.y[i]! * k);
      }
      c.stroke();
    }
    c.globalAlpha = 1;
    c.fillStyle = css("ink-soft");
    c.font = `12px ${FONT}`;
    c.textAlign = "left";
    c.textBaseline = "middle";
    c.fillText(this.plane[0]!, Math.min(middle.x + R + 5, this.size - 12), middle.y - 9);
    c.textAlign = "center";
    c.fillText(this.plane[1]!, middle.x + 9, Math.max(middle.y - R - 8, 8));
    c.textAlign = "left";
    c.fillText(`clearance ×${this.magnification}${this.zoom > 1 ? `, zoom ×${this.zoom.toPrecision(2)}` : ""}`, 6, this.size - 9);
    this.stale = false;
  }

  update(): void {
    if (!this.joint || this.size < 40) return;
    this.updateMap();
    if (this.tube) {
      const i = this.state.frame;
      drawTube(this.context(this.canvas), this.size, this.joint, this.tube, i, this.magnification, this.mode);
      return this.numbers(i, this.mode?.[i] ?? 0, this.channel("normal_force")?.at(0)[i] ?? 0, Math.min(...tubePlay(this.joint).play));
    }
    if (this.sliding) return this.updateSliding(this.sliding);
    if (this.stale) this.drawStill();
    const i = this.state.frame;
    const c = this.context(this.canvas);
    const { middle, R, pixelsPerMetre: k, journal, clearance } = this.geometry();
    const px = middle.x + this.x[i]! * k;
    const py = middle.y - this.y[i]! * k;
    const mode = this.mode?.[i] ?? 0;
    // Journal below the orbit, so that its path stays visible.
    c.fillStyle = css("journal");
    c.beginPath();
    c.arc(px, py, journal, 0, 7);
    c.fill();
    c.strokeStyle = modeColour(mode);
    c.lineWidth = 2.5;
    c.stroke();
    c.drawImage(this.still, 0, 0, this.size, this.size);
    if (this.deepest > 0) this.drawWear(c, i, px, py);
    c.fillStyle = modeColour(mode);
    c.strokeStyle = css("paper");
    c.lineWidth = 1.5;
    c.beginPath();
    c.arc(px, py, 5, 0, 7);
    c.fill();
    c.stroke();

    // Contact point and the force of the outer part on the inner one.
    const force = this.channel("normal_force")?.at(0)[i] ?? 0;
    const most = this.channel("normal_force")?.scale(0) ?? 0;
    const length = Math.hypot(this.x[i]!, this.y[i]!);
    if (mode > 0.5 && force > 0 && length > 0 && most > 0) {
      const ux = this.x[i]! / length;
      const uy = -this.y[i]! / length;
      const tx = middle.x + ux * R;
      const ty = middle.y + uy * R;
      const arrow = Math.max(10, Math.sqrt(force / most) * (R / this.zoom) * 0.9);
      this.arrow(c, tx, ty, tx - ux * arrow, ty - uy * arrow);
      c.fillStyle = colour(1);
      c.beginPath();
      c.arc(tx, ty, 4.5, 0, 7);
      c.fill();
    }
    if (!(mode > 0.5)) this.filmArrow(c, i, px, py, R);
    this.numbers(i, mode, force, clearance);
  }

  /** Worn contours of both parts, which turn with their bodies. */
  private drawWear(c: CanvasRenderingContext2D, i: number, px: number, py: number): void {
    const run = this.state.run;
    const joint = this.joint!;
    const { middle, R, journal } = this.geometry();
    const turnOf = (body: number) => {
      const { q } = poseOf(run, body, i);
      return 2 * Math.atan2(q[3], q[0]);
    };
    const bearing = turnOf(joint.first.body);
    const scale = (R / joint.clearance!.outer) * this.wearMagnification;
    const time = run.time[i]!;
    drawWorn(c, { x: middle.x, y: middle.y, radius: R, turn: this.inBearing ? 0 : bearing, outward: true }, run.worn(joint.name, "outer", time)!, this.deepest, scale);
    const turn = turnOf(joint.second.body) - (this.inBearing ? bearing : 0);
    drawWorn(c, { x: px, y: py, radius: journal, turn, outward: false }, run.worn(joint.name, "inner", time)!, this.deepest, scale);
  }

  private updateSliding(sliding: Sliding): void {
    const i = this.state.frame;
    drawSliding(this.context(this.canvas), this.size, this.joint!, sliding, i, this.magnification, this.mode);
    this.numbers(i, this.mode?.[i] ?? 0, this.channel("normal_force")?.at(0)[i] ?? 0, sizesOf(this.joint!).play);
  }

  /** The pressure of the film nearest to the instant, over the unrolled bearing. */
  private updateMap(): void {
    if (this.map.hidden || !this.joint) return;
    const found = pressureAt(this.state.run, this.joint.name, this.state.time);
    const wide = this.map.clientWidth;
    if (!found || wide < 60) return;
    const ratio = devicePixelRatio;
    [this.map.width, this.map.height] = [wide * ratio, 170 * ratio];
    const c = this.map.getContext("2d")!;
    c.scale(ratio, ratio);
    const unit = this.state.units.of("Pa", found.most);
    drawPressure(c, wide, 170, found, (p) => `${Number((p * unit.factor).toPrecision(3))} ${unit.name}`);
  }

  /** What the outer part does to the inner one through the film, global axes; nothing without a film. */
  private filmForce(i: number): Vec3 | undefined {
    const reaction = this.channel("reaction_force");
    if (!this.channel("film_thickness") || !reaction) return undefined;
    return [0, 1, 2].map((n) => (n < reaction.width ? reaction.at(n)[i]! : 0)) as Vec3;
  }

  private filmArrow(c: CanvasRenderingContext2D, i: number, px: number, py: number, R: number): void {
    let f = this.filmForce(i);
    if (!f) return;
    if (this.inBearing && this.joint!.first.body !== 0) f = rotateInverse(poseOf(this.state.run, this.joint!.first.body, i), f);
    const [a, b] = PLANES[this.plane];
    const size = Math.hypot(f[a]!, f[b]!);
    const most = this.channel("reaction_force")!.scale();
    if (!(size > 0) || !(most > 0)) return;
    const length = Math.max(10, Math.sqrt(size / most) * R * 0.9);
    this.arrow(c, px, py, px + (f[a]! / size) * length, py - (f[b]! / size) * length);
  }

  private arrow(c: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
    const angle = Math.atan2(y1 - y0, x1 - x0);
    c.strokeStyle = css("ink");
    c.fillStyle = css("ink");
    c.lineWidth = 2.2;
    c.beginPath();
    c.moveTo(x0, y0);
    c.lineTo(x1 - 7 * Math.cos(angle), y1 - 7 * Math.sin(angle));
    c.stroke();
    c.beginPath();
    c.moveTo(x1, y1);
    for (const side of [0.4, -0.4]) c.lineTo(x1 - 11 * Math.cos(angle + side), y1 - 11 * Math.sin(angle + side));
    c.fill();
  }

  private numbers(i: number, mode: number, force: number, clearance: number): void {
    const units = this.state.units;
    const row = (name: string, text: string, key: string) => [el("dt", {}, name), el("dd", { "data-readout": key }, text)];
    const quantity = (leaf: string, fallback: number) => {
      const channel = this.channel(leaf);
      const unit = units.of(channel?.unit ?? "m", Math.max(channel?.scale() ?? 0, fallback));
      const format = new NumberFormat((channel?.scale() ?? 1) * unit.factor, 5);
      return (value: number) => `${format.text(value * unit.factor)} ${unit.name}`;
    };
    const ratio = this.channel("ratio")?.at(0)[i] ?? 0;
    const depth = this.channel("penetration")?.at(0)[i] ?? 0;
    const gap = this.channel("gap")?.at(0)[i] ?? 0;
    const name = this.names.get(Math.round(mode)) ?? String(mode);
    // What a film knows of itself: its smallest gap and, with most laws, its largest pressure.
    const film = (leaf: string, label: string) => {
      const channel = this.channel(leaf);
      return channel && channel.scale() > 0 ? row(label, quantity(leaf, 0)(channel.at(0)[i]!), leaf) : [];
    };
    const carried = mode > 0.5 ? undefined : this.filmForce(i);
    const tilt = this.sliding && this.joint!.kind.play === "guide" ? this.sliding.tilt : undefined;
    this.readout.replaceChildren(
      ...row("mode", name, "mode"),
      ...row("eccentricity ratio", new NumberFormat(Math.max(this.channel("ratio")?.scale() ?? 1, 1), 6).text(ratio), "ratio"),
      ...(mode > 0.5 ? row("penetration", quantity("penetration", 0)(depth), "penetration") : row("gap", quantity("gap", clearance)(gap), "gap")),
      ...(carried ? row("force of the film", quantity("reaction_force", 0)(Math.hypot(...carried)), "film_force") : row("normal force", quantity("normal_force", 0)(force), "normal_force")),
      ...(tilt ? row("tilt", `${new NumberFormat(1e3 * tilt.reduce((m, v) => Math.max(m, Math.abs(v)), 0), 5).text(1e3 * tilt[i]!)} mrad`, "tilt") : []),
      ...film("film_thickness", "thinnest film"),
      ...film("film_pressure", "largest film pressure"),
    );
    const dd = this.readout.querySelector<HTMLElement>("[data-readout=mode]")!;
    dd.style.color = modeColour(mode);
  }
}

function variance(values: Float64Array): number {
  let mean = 0;
  for (const v of values) mean += v / values.length;
  let sum = 0;
  for (const v of values) sum += (v - mean) ** 2;
  return sum;
}
