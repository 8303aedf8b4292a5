// SPDX-License-Identifier: Apache-2.0
// What the whole page agrees on: the instant, the units, the zoom, which result moves.
import type { Run } from "./data";
import { Units } from "./units";

type Topic = "time" | "play" | "view" | "zoom" | "theme";

export class State {
  readonly units = new Units();
  /** Index of the result that moves in 3D and carries the cursor. */
  primary = 0;
  /** Results shown in the plots. */
  readonly shown: boolean[];
  /** Plots show the difference from this result; -1: they show values. */
  reference = -1;
  frame = 0;
  playing = false;
  /** Simulated seconds per second. */
  speed = 1;
  loop = true;
  zoom: [number, number] | null = null;

  private listeners = new Map<Topic, (() => void)[]>();

  constructor(readonly runs: Run[]) {
    this.shown = runs.map(() => true);
    const worn = runs.findIndex((r) => !r.ideal);
    this.primary = worn < 0 ? 0 : worn;
    this.speed = niceSpeed(this.duration / 10);
  }

  get run(): Run {
    return this.runs[this.primary]!;
  }
  get time(): number {
    return this.run.time[this.frame] ?? 0;
  }
  get begin(): number {
    return this.run.time[0] ?? 0;
  }
  get end(): number {
    return this.run.time[this.run.frames - 1] ?? 0;
  }
  get duration(): number {
    return this.end - this.begin || 1;
  }

  on(topic: Topic, listener: () => void): void {
    this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), listener]);
  }
  tell(topic: Topic): void {
    for (const listener of this.listeners.get(topic) ?? []) listener();
  }

  setFrame(frame: number): void {
    const next = Math.max(0, Math.min(this.run.frames - 1, frame));
    if (next === this.frame) return;
    this.frame = next;
    this.tell("time");
  }
  seek(time: number): void {
    this.setFrame(this.run.frameAt(time));
  }
  setPrimary(index: number): void {
    const time = this.time;
    this.primary = index;
    this.frame = this.run.frameAt(time);
    this.tell("view");
    this.tell("time");
  }
  setPlaying(playing: boolean): void {
    if (playing && this.frame >= this.run.frames - 1) this.setFrame(0);
    this.playing = playing;
    this.tell("play");
  }
  setZoom(zoom: [number, number] | null): void {
    this.zoom = zoom;
    this.tell("zoom");
  }
}

export const SPEEDS = [1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

function niceSpeed(wanted: number): number {
  let best = SPEEDS[0]!;
  for (const s of SPEEDS) if (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted))) best = s;
  return best;
}
