// SPDX-License-Identifier: Apache-2.0
// A diagram as a file, on white paper whatever the screen looks like.
import { el, save } from "./dom";
import { drawFigure, type Figure } from "./figure";
import { CanvasPainter, SvgPainter } from "./painter";
import { PdfPainter } from "./pdf";

export type Exportable = Omit<Figure, "width" | "height" | "ink" | "grid" | "paper">;

const PAPER = { width: 720, height: 440, ink: "#1a1a1a", grid: "#e3e3e3", paper: "#ffffff" };

function fileName(title: string, extension: string): string {
  const plain = title.replace(/[^\p{L}\p{N}]+/gu, "_").replace(/^_|_$/g, "");
  return `${plain || "figure"}.${extension}`;
}

function saveSvg(figure: Exportable): void {
  const painter = new SvgPainter(PAPER.width, PAPER.height);
  drawFigure(painter, { ...PAPER, ...figure });
  save(fileName(figure.title ?? "", "svg"), new Blob([painter.toString()], { type: "image/svg+xml" }));
}

function savePdf(figure: Exportable): void {
  const painter = new PdfPainter(PAPER.width, PAPER.height, (160 / 25.4) * (72 / PAPER.width)); // 160 mm wide
  drawFigure(painter, { ...PAPER, ...figure });
  save(fileName(figure.title ?? "", "pdf"), new Blob([painter.toString()], { type: "application/pdf" }));
}

function savePng(figure: Exportable): void {
  const canvas = document.createElement("canvas");
  const sharp = 3; // pixels per unit: 300 dots per inch at 18 cm
  canvas.width = PAPER.width * sharp;
  canvas.height = PAPER.height * sharp;
  const context = canvas.getContext("2d")!;
  context.scale(sharp, sharp);
  drawFigure(new CanvasPainter(context), { ...PAPER, ...figure });
  canvas.toBlob((blob) => blob && save(fileName(figure.title ?? "", "png"), blob), "image/png");
}

/** Buttons that save what `figure` gives. */
export function saveButtons(figure: () => Exportable | undefined): HTMLElement[] {
  const kinds: [string, (figure: Exportable) => void][] = [
    ["SVG", saveSvg],
    ["PDF", savePdf],
    ["PNG", savePng],
  ];
  return kinds.map(([name, how]) =>
    el("button", { type: "button", class: "quiet", title: `Save this diagram as ${name}`, onclick: () => {
      const shown = figure();
      if (shown) how(shown);
    } }, name),
  );
}
