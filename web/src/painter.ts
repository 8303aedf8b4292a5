// SPDX-License-Identifier: Apache-2.0
// One drawing surface with two ends: a canvas for the screen and PNG, and SVG for papers.

export interface Pen {
  colour: string;
  width?: number;
  dash?: number[];
}
export interface Lettering {
  size: number;
  colour: string;
  align?: "left" | "center" | "right";
  angle?: number; // rad, about the anchor
  bold?: boolean;
}
export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

export interface Painter {
  rect(x: number, y: number, w: number, h: number, fill: string): void;
  /** A polyline; NaN interrupts it. Clipped to the box given by `clip`. */
  line(x: ArrayLike<number>, y: ArrayLike<number>, pen: Pen): void;
  circle(x: number, y: number, r: number, fill: string | null, pen?: Pen): void;
  /** `y` is the baseline's middle. */
  text(text: string, x: number, y: number, style: Lettering): void;
  textWidth(text: string, size: number): number;
  clip(x: number, y: number, w: number, h: number): void;
  unclip(): void;
}

export class CanvasPainter implements Painter {
  constructor(private ctx: CanvasRenderingContext2D) {}
  rect(x: number, y: number, w: number, h: number, fill: string): void {
    this.ctx.fillStyle = fill;
    this.ctx.fillRect(x, y, w, h);
  }
  private pen(pen: Pen): void {
    this.ctx.strokeStyle = pen.colour;
    this.ctx.lineWidth = pen.width ?? 1;
    this.ctx.setLineDash(pen.dash ?? []);
    this.ctx.lineJoin = "round";
  }
  line(x: ArrayLike<number>, y: ArrayLike<number>, pen: Pen): void {
    this.pen(pen);
    this.ctx.beginPath();
    let down = false;
    for (let i = 0; i < x.length; ++i) {
      const ok = isFinite(x[i]!) && isFinite(y[i]!);
      if (ok) down ? this.ctx.lineTo(x[i]!, y[i]!) : this.ctx.moveTo(x[i]!, y[i]!);
      down = ok;
    }
    this.ctx.stroke();
    this.ctx.setLineDash([]);
  }
  circle(x: number, y: number, r: number, fill: string | null, pen?: Pen): void {
    this.ctx.beginPath();
    this.ctx.arc(x, y, Math.max(r, 0), 0, 2 * Math.PI);
    if (fill) {
      this.ctx.fillStyle = fill;
      this.ctx.fill();
    }
    if (pen) {
      this.pen(pen);
      this.ctx.stroke();
      this.ctx.setLineDash([]);
    }
  }
  text(text: string, x: number, y: number, style: Lettering): void {
    const { ctx } = this;
    ctx.save();
    ctx.translate(x, y);
    if (style.angle) ctx.rotate(style.angle);
    ctx.font = `${style.bold ? "600 " : ""}${style.size}px ${FONT}`;
    ctx.textAlign = style.align ?? "left";
    ctx.textBaseline = "middle";
    ctx.fillStyle = style.colour;
    ctx.fillText(text, 0, 0);
    ctx.restore();
  }
  textWidth(text: string, size: number): number {
    this.ctx.font = `${size}px ${FONT}`;
    return this.ctx.measureText(text).width;
  }
  clip(x: number, y: number, w: number, h: number): void {
    this.ctx.save();
    this.ctx.beginPath();
    this.ctx.rect(x, y, w, h);
    this.ctx.clip();
  }
  unclip(): void {
    this.ctx.restore();
  }
}

const escape = (text: string) =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!).replace(/[\u0000-\u0008\u000b-\u001f]/g, "\ufffd");
const f2 = (x: number) => String(Math.round(x * 100) / 100);

export class SvgPainter implements Painter {
  private parts: string[] = [];
  private clips = 0;
  private measure = document.createElement("canvas").getContext("2d")!;
  constructor(private width: number, private height: number) {}
  rect(x: number, y: number, w: number, h: number, fill: string): void {
    this.parts.push(`<rect x="${f2(x)}" y="${f2(y)}" width="${f2(w)}" height="${f2(h)}" fill="${fill}"/>`);
  }
  private pen(pen: Pen): string {
    const dash = pen.dash?.length ? ` stroke-dasharray="${pen.dash.join(" ")}"` : "";
    return `stroke="${pen.colour}" stroke-width="${pen.width ?? 1}"${dash}`;
  }
  line(x: ArrayLike<number>, y: ArrayLike<number>, pen: Pen): void {
    let path = "";
    let down = false;
    for (let i = 0; i < x.length; ++i) {
      const ok = isFinite(x[i]!) && isFinite(y[i]!);
      if (ok) path += `${down ? "L" : "M"}${f2(x[i]!)} ${f2(y[i]!)}`;
      down = ok;
    }
    if (path) this.parts.push(`<path d="${path}" fill="none" stroke-linejoin="round" ${this.pen(pen)}/>`);
  }
  circle(x: number, y: number, r: number, fill: string | null, pen?: Pen): void {
    this.parts.push(`<circle cx="${f2(x)}" cy="${f2(y)}" r="${f2(r)}" fill="${fill ?? "none"}" ${pen ? this.pen(pen) : ""}/>`);
  }
  text(text: string, x: number, y: number, style: Lettering): void {
    const anchor = { left: "start", center: "middle", right: "end" }[style.align ?? "left"];
    const turn = style.angle ? ` transform="rotate(${f2((style.angle * 180) / Math.PI)} ${f2(x)} ${f2(y)})"` : "";
    this.parts.push(
      `<text x="${f2(x)}" y="${f2(y)}" dy="0.35em" font-size="${style.size}" fill="${style.colour}" text-anchor="${anchor}"${style.bold ? ' font-weight="600"' : ""}${turn}>${escape(text)}</text>`,
    );
  }
  textWidth(text: string, size: number): number {
    this.measure.font = `${size}px ${FONT}`;
    return this.measure.measureText(text).width;
  }
  clip(x: number, y: number, w: number, h: number): void {
    const id = `clip${++this.clips}`;
    this.parts.push(`<clipPath id="${id}"><rect x="${f2(x)}" y="${f2(y)}" width="${f2(w)}" height="${f2(h)}"/></clipPath><g clip-path="url(#${id})">`);
  }
  unclip(): void {
    this.parts.push("</g>");
  }
  toString(): string {
    return (
      `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" ` +
      `viewBox="0 0 ${this.width} ${this.height}" font-family="${escape(FONT)}">\n${this.parts.join("\n")}\n</svg>\n`
    );
  }
}
