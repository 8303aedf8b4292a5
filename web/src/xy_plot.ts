// SPDX-License-Identifier: Apache-2.0
// Diagrams whose abscissa is not time: phase portraits and spectra, drawn on a plain canvas.
import { el } from "./dom";
import { savePng, saveSvg, type Exportable } from "./export";
import { drawFigure, type Mapping } from "./figure";
import { CanvasPainter } from "./painter";
import { css } from "./theme";

export class XYPlot {
  readonly root: HTMLElement;
  readonly tools = el("div", { class: "panel-tools" });
  private canvas = el("canvas", { role: "img" });
  private title = el("span", { class: "plot-title" });
  private mapping: Mapping | undefined;
  private still = document.createElement("canvas");
  private seen = false;
  private stale = true;

  /** `figure` is asked for when something changed; `now` gives the points of the instant. */
  constructor(
    label: string,
    private figure: () => Exportable | undefined,
    private now: () => { x: number; y: number; colour: string }[] = () => [],
    /** Told where the reader clicked, and how to measure distances on the screen. */
    private clicked?: (at: { x: number; y: number }, mapping: Mapping) => void,
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
          el("button", { type: "button", class: "quiet", title: "Save this diagram as SVG", onclick: () => this.export(saveSvg) }, "SVG"),
          el("button", { type: "button", class: "quiet", title: "Save this diagram as PNG", onclick: () => this.export(savePng) }, "PNG"),
        ),
      ),
      this.tools,
      el("div", { class: "plot-box tall" }, this.canvas),
    );
    this.canvas.setAttribute("aria-label", label);
    if (this.clicked) {
      this.canvas.style.cursor = "crosshair";
      this.canvas.addEventListener("click", (e) => this.mapping && this.clicked!({ x: e.offsetX, y: e.offsetY }, this.mapping));
    }
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

  /** Draw now, whether it can be seen or not: the page is being printed. */
  reveal(): void {
    this.seen = true;
    this.rebuild();
  }

  private export(how: (figure: Exportable) => void): void {
    const figure = this.figure();
    if (figure) how(figure);
  }

  rebuild(): void {
    this.stale = true;
    const box = this.canvas.parentElement!;
    const { clientWidth: width, clientHeight: height } = box;
    if (!this.seen || width < 50 || height < 50) return;
    const figure = this.figure();
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
