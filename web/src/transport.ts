// SPDX-License-Identifier: Apache-2.0
// Play, pause, step, scrub, speed; and the same from the keyboard.
import { el } from "./dom";
import { SPEEDS, type State } from "./state";
import { colour } from "./theme";
import { NumberFormat } from "./units";

const ICONS: Record<string, string> = {
  play: "M7 4.5v15l13-7.5z",
  pause: "M6 4.5h4.5v15H6zM13.5 4.5H18v15h-4.5z",
  back: "M17 5v14l-9-7zM5 5h2.5v14H5z",
  next: "M7 5v14l9-7zM16.5 5H19v14h-2.5z",
  first: "M19 5v14l-7-7zM12 5v14l-7-7zM3 5h2v14H3z",
  impact: "M12 2l2.2 6.3L20.5 6l-3.2 5.4L22 16l-6.6-.4L13 22l-2.8-6L3.5 18l3-5.8L2 8l6.6.2z",
};

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]!);
  svg.append(path);
  return svg;
}

export class Transport {
  readonly root: HTMLElement;
  private slider = el("input", { type: "range", min: "0", max: "1000000", step: "1", value: "0", class: "scrub", "aria-label": "Time" });
  private ticks = el("canvas", { class: "scrub-events", "aria-hidden": "true" });
  private clock = el("output", { class: "clock" });
  private playButton = el("button", { type: "button", class: "round primary", title: "Play or pause (space)", "aria-label": "Play" });
  private speedList: HTMLSelectElement;
  private last = 0;
  private wanted = 0; // time while playing, between frames; s

  constructor(private state: State) {
    this.playButton.addEventListener("click", () => state.setPlaying(!state.playing));
    this.slider.addEventListener("input", () => state.seek(state.begin + (Number(this.slider.value) / 1e6) * state.duration));
    this.speedList = el(
      "select",
      { title: "Speed: simulated time per real time (keys + and −)", "aria-label": "Speed, simulated time per real time", onchange: () => (state.speed = Number(this.speedList.value)) },
      ...SPEEDS.map((s) => el("option", { value: String(s) }, speedName(s))),
    );
    this.speedList.value = String(state.speed);
    const button = (name: string, title: string, act: () => void, cls = "round") => el("button", { type: "button", class: cls, title, "aria-label": title, onclick: act }, icon(name));
    this.root = el(
      "div",
      { class: "transport", role: "toolbar", "aria-label": "Playback" },
      button("first", "To the start (Home)", () => state.setFrame(0), "round wide-only"),
      button("back", "One frame back (←)", () => this.step(-1)),
      this.playButton,
      button("next", "One frame on (→)", () => this.step(1)),
      button("impact", "To the next event (E)", () => this.toEvent(1), "round events-only"),
      el("div", { class: "scrubber" }, this.ticks, this.slider),
      this.clock,
      this.speedList,
    );
    new ResizeObserver(() => this.drawTicks()).observe(this.ticks);
    this.update();
    this.showPlaying();
    state.on("play", () => this.showPlaying());
  }

  private step(by: number): void {
    this.state.setPlaying(false);
    this.state.setFrame(this.state.frame + by);
  }

  toEvent(direction: 1 | -1): void {
    const { state } = this;
    const times = state.run.events.map((e) => e.time);
    // The frame of an event may lie a rounding beside it: look beyond the present frame.
    const frames = [...new Set(times.map((t) => state.run.frameAt(t)))].sort((a, b) => a - b);
    const next = direction > 0 ? frames.find((f) => f > state.frame) : frames.reverse().find((f) => f < state.frame);
    state.setPlaying(false);
    if (next !== undefined) state.setFrame(next);
  }

  private showPlaying(): void {
    const { playing } = this.state;
    this.playButton.replaceChildren(icon(playing ? "pause" : "play"));
    this.playButton.setAttribute("aria-label", playing ? "Pause" : "Play");
    if (!playing) return;
    this.last = performance.now();
    this.wanted = this.state.time;
    requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number): void {
    const { state } = this;
    if (!state.playing) return;
    // Someone moved the instant meanwhile: go on from there.
    if (state.run.frameAt(this.wanted) !== state.frame) this.wanted = state.time;
    this.wanted += ((now - this.last) / 1000) * state.speed;
    this.last = now;
    if (this.wanted > state.end) {
      if (!state.loop) {
        state.setFrame(state.run.frames - 1);
        return state.setPlaying(false);
      }
      this.wanted = state.begin + ((this.wanted - state.begin) % state.duration);
    }
    state.seek(this.wanted);
    requestAnimationFrame((t) => this.tick(t));
  }

  changeSpeed(by: number): void {
    const i = SPEEDS.indexOf(this.state.speed);
    this.state.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, i + by))]!;
    this.speedList.value = String(this.state.speed);
  }

  update(): void {
    const { state } = this;
    this.slider.value = String(Math.round(((state.time - state.begin) / state.duration) * 1e6));
    const unit = state.units.of("s", Math.max(Math.abs(state.begin), Math.abs(state.end)));
    const largest = Math.max(Math.abs(state.begin), Math.abs(state.end)) * unit.factor;
    const text = `${new NumberFormat(largest, 6).text(state.time * unit.factor)} ${unit.name}`;
    this.clock.textContent = text;
    this.clock.dataset.time = String(state.time);
    this.slider.setAttribute("aria-valuetext", text);
  }

  /** Another result moves: its events, its length. */
  follow(): void {
    this.root.classList.toggle("no-events", this.state.run.events.length === 0);
    this.drawTicks();
    this.update();
  }

  private drawTicks(): void {
    const { clientWidth: w, clientHeight: h } = this.ticks;
    const ratio = devicePixelRatio;
    this.ticks.width = w * ratio;
    this.ticks.height = h * ratio;
    const context = this.ticks.getContext("2d")!;
    context.scale(ratio, ratio);
    context.fillStyle = colour(1);
    context.globalAlpha = 0.7;
    const { state } = this;
    const inset = 8; // half the thumb
    for (const e of state.run.events) if (e.kind === "touch") context.fillRect(inset + ((e.time - state.begin) / state.duration) * (w - 2 * inset) - 0.5, 0, 1, h);
  }

  key(event: KeyboardEvent): boolean {
    const { state } = this;
    const by = event.shiftKey ? 10 : 1;
    switch (event.key) {
      case " ":
      case "k":
        state.setPlaying(!state.playing);
        return true;
      case "ArrowLeft":
      case ",":
        this.step(-by);
        return true;
      case "ArrowRight":
      case ".":
        this.step(by);
        return true;
      case "Home":
        state.setFrame(0);
        return true;
      case "End":
        state.setPlaying(false);
        state.setFrame(state.run.frames - 1);
        return true;
      case "e":
        this.toEvent(1);
        return true;
      case "E":
        this.toEvent(-1);
        return true;
      case "+":
      case "=":
        this.changeSpeed(1);
        return true;
      case "-":
        this.changeSpeed(-1);
        return true;
      default:
        return false;
    }
  }
}

function speedName(speed: number): string {
  return speed >= 1 ? `× ${speed}` : `× 1/${Math.round(1 / speed)}`;
}
