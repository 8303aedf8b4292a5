// SPDX-License-Identifier: Apache-2.0
// A diagram as PDF: lines as lines, text as text in Helvetica, which every reader of PDF has. Words
// with letters that its encoding lacks are drawn as fine pictures of themselves.
import type { Lettering, Painter, Pen } from "./painter";
import { FONT } from "./painter";

// Advance widths of Helvetica from the blank to ~, in thousandths of its size.
const WIDTHS =
  "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584"
    .split(" ")
    .map(Number);
// What stands for letters outside Latin 1: their codes in WinAnsiEncoding. A minus is as long as an en dash.
const CODES: Record<string, number> = { "−": 0x96, "–": 0x96, "—": 0x97, "…": 0x85, "‘": 0x91, "’": 0x92, "“": 0x93, "”": 0x94, "•": 0x95 };

/** Codes of a text in WinAnsiEncoding; nothing if it has letters that are not there. */
function encoded(text: string): number[] | undefined {
  const out: number[] = [];
  for (const c of text) {
    const code = CODES[c] ?? c.codePointAt(0)!;
    if (code < 32 || (code > 126 && code < 160 && CODES[c] === undefined) || code > 255) return undefined;
    out.push(code);
  }
  return out;
}
const widthOf = (codes: number[]) => codes.reduce((sum, code) => sum + (WIDTHS[code - 32] ?? 556), 0) / 1000;

const f3 = (x: number) => String(Math.round(x * 1000) / 1000);
const rgb = (colour: string) => {
  const probe = document.createElement("canvas").getContext("2d")!;
  probe.fillStyle = colour;
  const hex = String(probe.fillStyle); // "#rrggbb" of any colour without transparency
  return [1, 3, 5].map((k) => f3(parseInt(hex.slice(k, k + 2), 16) / 255)).join(" ");
};

export class PdfPainter implements Painter {
  private body: string[] = [];
  private images: string[] = [];
  /** `scale`: points of the paper for each unit of the drawing. */
  constructor(private width: number, private height: number, private scale: number) {}

  rect(x: number, y: number, w: number, h: number, fill: string): void {
    this.body.push(`${rgb(fill)} rg ${f3(x)} ${f3(y)} ${f3(w)} ${f3(h)} re f`);
  }
  private pen(pen: Pen): string {
    return `${rgb(pen.colour)} RG ${f3(pen.width ?? 1)} w 1 j [${(pen.dash ?? []).map(f3).join(" ")}] 0 d`;
  }
  line(x: ArrayLike<number>, y: ArrayLike<number>, pen: Pen): void {
    const path: string[] = [];
    let down = false;
    for (let i = 0; i < x.length; ++i) {
      const ok = isFinite(x[i]!) && isFinite(y[i]!);
      if (ok) path.push(`${f3(x[i]!)} ${f3(y[i]!)} ${down ? "l" : "m"}`);
      down = ok;
    }
    if (path.length) this.body.push(`${this.pen(pen)} ${path.join(" ")} S`);
  }
  circle(x: number, y: number, r: number, fill: string | null, pen?: Pen): void {
    const k = 0.5522847498 * r; // four cubics that are round to 0.03 %
    const arc = (...p: number[]) => `${p.map(f3).join(" ")} c`;
    const path = `${f3(x + r)} ${f3(y)} m ${arc(x + r, y + k, x + k, y + r, x, y + r)} ${arc(x - k, y + r, x - r, y + k, x - r, y)} ${arc(x - r, y - k, x - k, y - r, x, y - r)} ${arc(x + k, y - r, x + r, y - k, x + r, y)} h`;
    this.body.push(`${fill ? `${rgb(fill)} rg ` : ""}${pen ? `${this.pen(pen)} ` : ""}${path} ${fill && pen ? "B" : fill ? "f" : "S"}`);
  }
  text(text: string, x: number, y: number, style: Lettering): void {
    const codes = encoded(text);
    const [c, s] = [Math.cos(style.angle ?? 0), Math.sin(style.angle ?? 0)];
    const share = { left: 0, center: 0.5, right: 1 }[style.align ?? "left"];
    const back = share * this.textWidth(text, style.size);
    const low = 0.35 * style.size; // from the middle of the letters down to their line
    const at = [x - back * c - low * s, y - back * s + low * c];
    if (!codes) return this.picture(text, x, y, style);
    const word = codes.map((code) => `\\${code.toString(8).padStart(3, "0")}`).join("");
    // The page is drawn with y downwards: letters are turned back.
    this.body.push(`BT ${rgb(style.colour)} rg /F${style.bold ? 2 : 1} ${f3(style.size)} Tf ${[c, s, s, -c, at[0]!, at[1]!].map(f3).join(" ")} Tm (${word}) Tj ET`);
  }
  textWidth(text: string, size: number): number {
    const codes = encoded(text);
    if (codes) return widthOf(codes) * size;
    const probe = document.createElement("canvas").getContext("2d")!;
    probe.font = `${size}px ${FONT}`;
    return probe.measureText(text).width;
  }
  /** Text as a mask, eight times as fine as its units. */
  private picture(text: string, x: number, y: number, style: Lettering): void {
    const fine = 8;
    const [w, h] = [Math.ceil(this.textWidth(text, style.size)) + 2, Math.ceil(1.6 * style.size)];
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [w * fine, h * fine];
    const context = canvas.getContext("2d", { willReadFrequently: true })!;
    context.scale(fine, fine);
    context.font = `${style.bold ? "600 " : ""}${style.size}px ${FONT}`;
    context.textBaseline = "middle";
    context.fillText(text, 1, h / 2);
    const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
    let bits = "";
    for (let row = 0; row < canvas.height; ++row)
      for (let column = 0; column < canvas.width; column += 8) {
        let byte = 0;
        for (let k = 0; k < 8; ++k) if (column + k < canvas.width && pixels[4 * (row * canvas.width + column + k) + 3]! > 127) byte |= 128 >> k;
        bits += byte.toString(16).padStart(2, "0");
      }
    const name = `/I${this.images.length}`;
    this.images.push(`<< /Type /XObject /Subtype /Image /Width ${canvas.width} /Height ${canvas.height} /ImageMask true /BitsPerComponent 1 /Decode [1 0] /Filter /ASCIIHexDecode /Length ${bits.length + 1} >>\nstream\n${bits}>\nendstream`);
    const [c, s] = [Math.cos(style.angle ?? 0), Math.sin(style.angle ?? 0)];
    const left = -{ left: 0, center: 0.5, right: 1 }[style.align ?? "left"] * (w - 2) - 1;
    // A unit square with its picture upright: from its lower left corner.
    const [ox, oy] = [x + left * c - (h / 2) * s, y + left * s + (h / 2) * c];
    this.body.push(`q ${rgb(style.colour)} rg ${[w * c, w * s, h * s, -h * c, ox, oy].map(f3).join(" ")} cm ${name} Do Q`);
  }
  clip(x: number, y: number, w: number, h: number): void {
    this.body.push(`q ${f3(x)} ${f3(y)} ${f3(w)} ${f3(h)} re W n`);
  }
  unclip(): void {
    this.body.push("Q");
  }

  /** The file: every character is one byte. */
  toString(): string {
    const { scale } = this;
    const [w, h] = [this.width * scale, this.height * scale];
    const content = `q ${f3(scale)} 0 0 ${f3(-scale)} 0 ${f3(h)} cm\n${this.body.join("\n")}\nQ`;
    const font = (name: string) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
    const pictures = this.images.map((_, i) => `/I${i} ${7 + i} 0 R`).join(" ");
    const objects = [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${f3(w)} ${f3(h)}] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> /XObject << ${pictures} >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      font("Helvetica"),
      font("Helvetica-Bold"),
      ...this.images,
    ];
    let out = "%PDF-1.4\n";
    const places = objects.map((object, i) => {
      const at = out.length;
      out += `${i + 1} 0 obj\n${object}\nendobj\n`;
      return at;
    });
    const table = out.length;
    out += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("")}`;
    return `${out}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`;
  }
}
