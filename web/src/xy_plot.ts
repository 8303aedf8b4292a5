// SPDX-License-Identifier: Apache-2.0
// Diagrams whose abscissa is not time: phase portraits and spectra, drawn on a plain canvas.
import { drawAhead } from "./ahead";
import { el } from "./dom";
import { saveButtons, type Exportable } from "./export";
import { drawFigure, type Axis, type Mapping } from "./figure";
import { CanvasPainter } from "./painter";
import { css } from "./theme";
import { onWheel } from "./wheel";

type Range = [number, number];

/** A line that belongs to the instant. */
export interface Live {
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  colour: string;
}

/** The value at a share of an axis, and back. */
const along = (a: Axis, share: number) => (a.log ? 10 ** (Math.log10(a.min) + share * Math.log10(a.max / a.min)) : a.min + share * (a.max - a.min));

export class XYPlot {
  readonly root: HTMLElement;
  readonly tools = el("div", { class: "panel-tools" });
  private canvas = el("canvas", { role: "img" });
  private title = el("span", { class: "plot-title" });
  private mapping: Mapping | undefined;
  private still = document.createElement("canvas");
  private seen = false;
  private stale = true;
  private view: [Range, Range] | undefined; // zoomed in

  /** `figure` is asked for when something changed; `now` gives the points of the instant. */
  constructor(
    label: string,
    private figure: () => Exportable | undefined,
    private now: () => { x: number; y: number; colour: string }[] = () => [],
    /** Told where the reader clicked, and how to measure distances on the screen. */
    private clicked?: (at: { x: number; y: number }, mapping: Mapping) => void,
    private live: () => Live[] = () => [],
  ) {
    this.root = el(
      "figure",
      { class: "plot", "data-plot": label },
      el(
        "figcaption",
        {},
        this.title,
        el(
          "span",
          { class: "plot-tools" },
          ...saveButtons(() => this.exported()),
        ),
      ),
      this.tools,
      el("div", { class: "plot-box tall" }, this.canvas),
    );
    this.canvas.setAttribute("aria-label", label);
    if (this.clicked) this.canvas.style.cursor = "crosshair";
    this.listen();
    drawAhead(this.ahead);
    new ResizeObserver(() => this.rebuild()).observe(this.canvas.parentElement!);
    new IntersectionObserver(
      (e) => {
        this.seen = e[e.length - 1]!.isIntersecting;
        if (this.seen && this.stale) this.rebuild();
        else this.update();
      },
      { rootMargin: "200px" },
    ).observe(this.root);
  }

  private ahead = () => {
    if (!this.stale || !this.root.isConnected) return;
    const seen = this.seen;
    this.seen = true;
    this.rebuild();
    this.seen = seen;
  };

  /** Wheel zooms about the pointer, drag moves what is zoomed, double click shows all. */
  private listen(): void {
    const { canvas } = this;
    const zoomTo = (view: [Range, Range] | undefined) => {
      this.view = view;
      this.rebuild();
    };
    onWheel(canvas, (factor, px, py) => {
      const m = this.mapping;
      if (!m || (factor < 1 && !this.view)) return false;
      const shares: Range = [(px - m.left) / m.width, 1 - (py - m.top) / m.height];
      if (shares.some((s) => s < 0 || s > 1)) return false;
      const view = m.axes.map((axis, i) => {
        const about = shares[i]!;
        return [along(axis, about - about / factor), along(axis, about + (1 - about) / factor)] as Range;
      }) as [Range, Range];
      const all = this.figure();
      const whole = all && [all.x, all.y].every((axis, i) => view[i]![0] <= axis.min && view[i]![1] >= axis.max);
      zoomTo(whole ? undefined : view);
      return true;
    });
    let from: { x: number; y: number; view: [Range, Range] } | undefined;
    let moved = false;
    canvas.addEventListener("pointerdown", (e) => {
      moved = false;
      if (e.pointerType === "mouse" && this.view) from = { x: e.offsetX, y: e.offsetY, view: this.view };
    });
    canvas.addEventListener("pointermove", (e) => {
      const m = this.mapping;
      if (!from || !m) return;
      if (Math.hypot(e.offsetX - from.x, e.offsetY - from.y) > 4) moved = true;
      const by: Range = [-(e.offsetX - from.x) / m.width, (e.offsetY - from.y) / m.height];
      zoomTo(from.view.map(([low, high], i) => [along({ ...m.axes[i]!, min: low, max: high }, by[i]!), along({ ...m.axes[i]!, min: low, max: high }, 1 + by[i]!)] as Range) as [Range, Range]);
    });
    for (const end of ["pointerup", "pointerleave"]) canvas.addEventListener(end, () => (from = undefined));
    canvas.addEventListener("dblclick", () => zoomTo(undefined));
    canvas.addEventListener("click", (e) => {
      if (!moved && this.mapping) this.clicked?.({ x: e.offsetX, y: e.offsetY }, this.mapping);
    });
  }

  /** Draw now, whether it can be seen or not: the page is being printed. */
  reveal(): void {
    this.seen = true;
    this.rebuild();
  }

  private exported(): Exportable | undefined {
    const figure = this.shown();
    return figure && { ...figure, curves: [...figure.curves, ...this.live().map((l) => ({ ...l, width: 2 }))] };
  }

  /** The diagram, or the part of it that is zoomed. */
  private shown(): Exportable | undefined {
    const figure = this.figure();
    if (!figure || !this.view) return figure;
    const [x, y] = this.view;
    return { ...figure, x: { ...figure.x, min: x[0], max: x[1] }, y: { ...figure.y, min: y[0], max: y[1] } };
  }
  /** Something else is shown: all of it. */
  reset(): void {
    this.view = undefined;
    this.rebuild();
  }

  rebuild(): void {
    this.stale = true;
    const box = this.canvas.parentElement!;
    const { clientWidth: width, clientHeight: height } = box;
    if (!this.seen) drawAhead(this.ahead);
    if (!this.seen || width < 50 || height < 50) return;
    const figure = this.shown();
    this.root.hidden = !figure;
    if (!figure) return;
    this.title.textContent = figure.title ?? "";
    const ratio = devicePixelRatio;
    this.still.width = width * ratio;
    this.still.height = height * ratio;
    const context = this.still.getContext("2d")!;
    context.scale(ratio, ratio);
    this.mapping = drawFigure(new CanvasPainter(context), {
      ...figure,
      title: undefined,
      width,
      height,
      ink: css("ink-soft"),
      grid: css("grid"),
      paper: css("paper"),
    });
    this.canvas.width = this.still.width;
    this.canvas.height = this.still.height;
    this.stale = false;
    this.update();
  }

  update(): void {
    const m = this.mapping;
    if (!this.seen || this.stale || !m) return;
    const context = this.canvas.getContext("2d")!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.still, 0, 0);
    const ratio = devicePixelRatio;
    context.scale(ratio, ratio);
    context.save();
    context.beginPath();
    context.rect(m.left, m.top, m.width, m.height);
    context.clip();
    for (const line of this.live()) {
      context.strokeStyle = line.colour;
      context.lineWidth = 2;
      context.beginPath();
      for (let i = 0; i < line.x.length; ++i) context.lineTo(m.x(line.x[i]!), m.y(line.y[i]!));
      context.stroke();
    }
    context.restore();
    for (const point of this.now()) {
      context.fillStyle = point.colour;
      context.strokeStyle = css("paper");
      context.lineWidth = 2;
      context.beginPath();
      context.arc(m.x(point.x), m.y(point.y), 5, 0, 7);
      context.fill();
      context.stroke();
    }
  }
}
