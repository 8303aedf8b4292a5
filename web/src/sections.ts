// SPDX-License-Identifier: Apache-2.0
// What the sections of the page share: which lines a diagram has, grids of diagrams, lists to choose from.
import type { Channel, Run } from "./data";
import { el, segments } from "./dom";
import { TimePlot, watcher, type Line, type PlotSpec } from "./plot";
import type { State } from "./state";
import { modeNames } from "./theme";

export class Lines {
  readonly many: boolean;
  constructor(readonly state: State) {
    this.many = state.runs.length > 1;
  }

  /** A channel in every result that has it. One result: a colour per component; several: per result. */
  of(path: string, component: string, tag = ""): Line[] {
    const { many } = this;
    const lines: Line[] = [];
    this.state.runs.forEach((run, r) => {
      const channel = run.channel(path);
      channel?.components.forEach((name, c) => {
        if (component !== "all" && name !== component && channel.width > 1) return;
        const what = [tag, name].filter(Boolean).join(" ") || (many ? "" : leafOf(path));
        lines.push({ run: r, channel, component: c, label: many ? [run.label, what].filter(Boolean).join(" · ") : what, colour: many ? r : c, dash: many && component === "all" ? c % 4 : 0 });
      });
    });
    return lines;
  }
  any(path: string): Channel | undefined {
    return this.state.run.channel(path) ?? this.state.runs.map((r) => r.channel(path)).find(Boolean);
  }
  spec(title: string, path: string, component: string, log = false): PlotSpec | undefined {
    const channel = this.any(path);
    if (!channel) return undefined;
    const words = path.endsWith("/mode") ? modeNames(channel.name) : undefined;
    return { title, hint: `${path}: ${channel.name}${channel.frame ? `, ${channel.frame} axes` : ""}`, unit: channel.unit, lines: this.of(path, component), log, words: words?.size ? words : undefined };
  }
  /** The component that moves most; with several results only this one is shown at first. */
  lively(path: string): string {
    const channel = this.any(path);
    if (!this.many || !channel || channel.width === 1) return "all";
    return channel.components[liveliest(channel)]!;
  }
  components(path: string, value: string, change: (v: string) => void): HTMLElement | undefined {
    const channel = this.any(path);
    if (!channel || channel.width === 1) return undefined;
    return segments("component", [...channel.components.map((c) => [c, c] as [string, string]), ["all", "all"]], value, change);
  }
}

export function liveliest(channel: Channel): number {
  let best = 0;
  for (let c = 1; c < channel.width; ++c) if (channel.range(c) > channel.range(best)) best = c;
  return best;
}
export function leafOf(path: string): string {
  return path.split("/").pop()!.replace(/_/g, " ");
}
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Diagrams in a grid, as many as there are specifications. */
export class PlotGrid {
  readonly root = el("div", { class: "plots" });
  private plots: TimePlot[] = [];
  constructor(private state: State) {}
  show(specs: (PlotSpec | undefined)[]): void {
    const wanted = specs.filter((s): s is PlotSpec => s !== undefined && s.lines.length > 0);
    for (const old of this.plots.splice(wanted.length)) {
      watcher.remove(old);
      old.root.remove();
    }
    wanted.forEach((spec, i) => {
      const plot = this.plots[i];
      if (plot) plot.setSpec(spec);
      else {
        this.plots.push(new TimePlot(this.state, spec));
        this.root.append(this.plots[i]!.root);
      }
    });
  }
}

export function section(id: string, title: string, ...content: (Node | undefined)[]): { root: HTMLElement; tools: HTMLElement } {
  const tools = el("div", { class: "panel-tools" });
  return { root: el("section", { class: "panel", id, "aria-label": title }, el("header", {}, el("h2", {}, title), tools), ...content), tools };
}

/** A part of the page that is drawn by itself. */
export interface Redrawn {
  root: HTMLElement;
  rebuild(): void;
  update(): void;
  reveal(): void;
}

/** Series of the moving result, grouped for a list; those along a beam have a section of their own. */
export function seriesOptions(run: Run, filter: (c: Channel) => boolean): [string, string][] {
  const out: [string, string][] = [];
  for (const channel of run.channels) if (channel.width <= 4 && filter(channel)) channel.components.forEach((_, c) => out.push([`${channel.path}|${c}`, channel.seriesName(c)]));
  return out;
}
export function seriesOf(run: Run, key: string): { channel: Channel; component: number } | undefined {
  const bar = key.lastIndexOf("|");
  const channel = run.channel(key.slice(0, bar));
  return channel && { channel, component: Number(key.slice(bar + 1)) };
}
