// SPDX-License-Identifier: Apache-2.0
// Pictures in a row as an animated GIF, which plays wherever a picture is shown: on pages, in slides,
// in mails. One palette for all of them; of each picture only what has changed is stored.

const CLEAR = 255; // the colour of what has not changed

/** Five bits of each channel: as many colours as the eye tells apart in such pictures. */
const bin = (p: Uint8ClampedArray, i: number) => ((p[i]! >> 3) << 10) | ((p[i + 1]! >> 3) << 5) | (p[i + 2]! >> 3);

interface Box {
  bins: number[];
  weight: number;
}

/** Pixels in each bin, and the sums of their channels. */
export interface Counted {
  counts: Float64Array;
  sums: Float64Array;
}
export function count(pixels: Uint8ClampedArray, into: Counted): void {
  for (let i = 0; i < pixels.length; i += 4) {
    const b = bin(pixels, i);
    ++into.counts[b]!;
    for (let k = 0; k < 3; ++k) into.sums[3 * b + k]! += pixels[i + k]!;
  }
}

/** At most 255 colours for the pixels counted, by cutting the box with most of them in two; and the colour of each bin. */
export function palette({ counts, sums }: Counted): { colours: Uint8Array; of: Uint8Array } {
  const channel = (b: number, k: number) => (b >> (10 - 5 * k)) & 31;
  // Rare colours count for more than their share: thin lines are looked at.
  const weight = (b: number) => Math.sqrt(counts[b]!);
  const box = (bins: number[]): Box => ({ bins, weight: bins.reduce((sum, b) => sum + weight(b), 0) });
  const spread = ({ bins }: Box) => [0, 1, 2].map((k) => Math.max(...bins.map((b) => channel(b, k))) - Math.min(...bins.map((b) => channel(b, k))));
  const used: number[] = [];
  counts.forEach((n, b) => n > 0 && used.push(b));
  let boxes = [box(used)];
  while (boxes.length < CLEAR) {
    let worst = -1;
    let most = 0;
    boxes.forEach((one, i) => {
      const badness = one.bins.length > 1 ? one.weight * Math.max(...spread(one)) ** 2 : 0;
      if (badness > most) [worst, most] = [i, badness];
    });
    if (worst < 0) break;
    const one = boxes[worst]!;
    const spreads = spread(one);
    const k = spreads.indexOf(Math.max(...spreads));
    const sorted = [...one.bins].sort((a, b) => channel(a, k) - channel(b, k));
    let [half, sum] = [1, weight(sorted[0]!)];
    while (half < sorted.length - 1 && sum < one.weight / 2) sum += weight(sorted[half++]!);
    boxes.splice(worst, 1, box(sorted.slice(0, half)), box(sorted.slice(half)));
  }
  boxes = boxes.filter((one) => one.bins.length);
  const colours = new Uint8Array(3 * 256);
  const of = new Uint8Array(32768);
  boxes.forEach((one, i) => {
    const total = one.bins.reduce((sum, b) => sum + counts[b]!, 0);
    for (let k = 0; k < 3; ++k) colours[3 * i + k] = Math.round(one.bins.reduce((sum, b) => sum + sums[3 * b + k]!, 0) / total);
    for (const b of one.bins) of[b] = i;
  });
  return { colours, of };
}

/** Numbers below 256 as GIF stores them: Lempel, Ziv and Welch's method in blocks of 255 bytes. */
export function packed(indices: Uint8Array): number[] {
  const out: number[] = [8];
  let block: number[] = [];
  let [bits, count] = [0, 0];
  const put = (code: number, width: number) => {
    bits |= code << count;
    count += width;
    while (count >= 8) {
      block.push(bits & 255);
      bits >>>= 8;
      count -= 8;
      if (block.length === 255) {
        out.push(255, ...block);
        block = [];
      }
    }
  };
  let known = new Map<number, number>();
  let [next, width] = [258, 9];
  put(256, width);
  let prefix = indices[0]!;
  for (let i = 1; i < indices.length; ++i) {
    const key = (prefix << 8) | indices[i]!;
    const code = known.get(key);
    if (code !== undefined) {
      prefix = code;
      continue;
    }
    put(prefix, width);
    if (next === 4096) {
      put(256, width);
      known = new Map();
      [next, width] = [258, 9];
    } else {
      if (next === 1 << width) ++width;
      known.set(key, next++);
    }
    prefix = indices[i]!;
  }
  put(prefix, width);
  if (next === 1 << width && width < 12) ++width; // the reader has counted one more
  put(257, width);
  if (count > 0) block.push(bits & 255);
  if (block.length) out.push(block.length, ...block);
  out.push(0);
  return out;
}

const word = (x: number) => [x & 255, (x >> 8) & 255];

/**
 * A film of `pictures`, `delay` hundredths of a second each, that begins again at its end.
 * `picture(i)` draws number i; it is asked twice, first for the colours.
 */
export async function animatedGif(pictures: number, delay: number, picture: (i: number) => ImageData, tell: (share: number) => void): Promise<Blob> {
  const counted: Counted = { counts: new Float64Array(32768), sums: new Float64Array(3 * 32768) };
  const { counts } = counted;
  const pause = () => new Promise((resume) => setTimeout(resume)); // the page stays alive
  const looks = Math.min(pictures, 24);
  for (let k = 0; k < looks; ++k) {
    count(picture(Math.floor((k * pictures) / looks)).data, counted);
    await pause();
  }
  const { colours, of } = palette(counted);
  const nearest = new Int16Array(32768).fill(-1);
  const colourOf = (b: number): number => {
    if (counts[b]! > 0) return of[b]!;
    if (nearest[b]! >= 0) return nearest[b]!;
    let [best, least] = [0, Infinity];
    for (let i = 0; i < CLEAR; ++i) {
      const d = [0, 1, 2].reduce((sum, k) => sum + (colours[3 * i + k]! - ((b >> (10 - 5 * k)) & 31) * (255 / 31)) ** 2, 0);
      if (d < least) [best, least] = [i, d];
    }
    return (nearest[b] = best);
  };
  const parts: BlobPart[] = [];
  let before: Uint8Array | undefined;
  for (let n = 0; n < pictures; ++n) {
    const { data, width, height } = picture(n);
    if (n === 0)
      parts.push(
        new Uint8Array([...[..."GIF89a"].map((c) => c.charCodeAt(0)), ...word(width), ...word(height), 0xf7, 0, 0, ...colours, 0x21, 0xff, 11, ...[..."NETSCAPE2.0"].map((c) => c.charCodeAt(0)), 3, 1, 0, 0, 0]),
      );
    const now = new Uint8Array(width * height);
    for (let i = 0; i < now.length; ++i) now[i] = colourOf(bin(data, 4 * i));
    // The rectangle in which anything has changed.
    let [x0, y0, x1, y1] = before ? [width, height, -1, -1] : [0, 0, width - 1, height - 1];
    if (before)
      for (let y = 0, i = 0; y < height; ++y)
        for (let x = 0; x < width; ++x, ++i)
          if (now[i] !== before[i]) {
            x0 = Math.min(x0, x);
            x1 = Math.max(x1, x);
            y0 = Math.min(y0, y);
            y1 = y;
          }
    if (x1 < x0) [x0, y0, x1, y1] = [0, 0, 0, 0];
    const [w, h] = [x1 - x0 + 1, y1 - y0 + 1];
    const piece = new Uint8Array(w * h);
    for (let y = 0; y < h; ++y)
      for (let x = 0; x < w; ++x) {
        const i = (y0 + y) * width + x0 + x;
        piece[y * w + x] = before && now[i] === before[i] ? CLEAR : now[i]!;
      }
    parts.push(new Uint8Array([0x21, 0xf9, 4, 5, ...word(delay), CLEAR, 0, 0x2c, ...word(x0), ...word(y0), ...word(w), ...word(h), 0]), new Uint8Array(packed(piece)));
    before = now;
    tell((n + 1) / pictures);
    await pause();
  }
  parts.push(new Uint8Array([0x3b]));
  return new Blob(parts, { type: "image/gif" });
}
