// SPDX-License-Identifier: Apache-2.0
// SI inside, the reader's units on the screen. "auto" takes the prefix that gives readable numbers.

export interface DisplayUnit {
  name: string; // as shown: "mm", "m/s²"
  factor: number; // shown = stored * factor
}

const DEG = 180 / Math.PI;

// First the SI unit, then what a reader may prefer; `prefixes` says which of them "auto" may take.
const TABLE: Record<string, { title: string; units: DisplayUnit[]; auto: string[] }> = {
  s: { title: "time", units: u("s", 1, "ms", 1e3, "µs", 1e6), auto: ["s", "ms", "µs"] },
  m: { title: "length", units: u("m", 1, "mm", 1e3, "µm", 1e6, "nm", 1e9), auto: ["m", "mm", "µm", "nm"] },
  rad: { title: "angle", units: u("rad", 1, "deg", DEG), auto: ["rad"] },
  "m/s": { title: "speed", units: u("m/s", 1, "mm/s", 1e3), auto: ["m/s", "mm/s"] },
  "rad/s": { title: "angular speed", units: u("rad/s", 1, "deg/s", DEG, "rpm", 30 / Math.PI), auto: ["rad/s"] },
  "m/s^2": { title: "acceleration", units: u("m/s²", 1, "mm/s²", 1e3, "g", 1 / 9.80665), auto: ["m/s²"] },
  "rad/s^2": { title: "angular acceleration", units: u("rad/s²", 1, "deg/s²", DEG), auto: ["rad/s²"] },
  N: { title: "force", units: u("N", 1, "mN", 1e3, "kN", 1e-3, "MN", 1e-6), auto: ["MN", "kN", "N", "mN"] },
  "N m": { title: "moment", units: u("N m", 1, "N mm", 1e3, "kN m", 1e-3), auto: ["kN m", "N m", "N mm"] },
  J: { title: "energy", units: u("J", 1, "µJ", 1e6, "mJ", 1e3, "kJ", 1e-3), auto: ["kJ", "J", "mJ", "µJ"] },
  Pa: { title: "pressure", units: u("Pa", 1, "kPa", 1e-3, "MPa", 1e-6, "GPa", 1e-9), auto: ["GPa", "MPa", "kPa", "Pa"] },
  Hz: { title: "frequency", units: u("Hz", 1, "kHz", 1e-3), auto: ["kHz", "Hz"] },
};

function u(...pairs: (string | number)[]): DisplayUnit[] {
  const out: DisplayUnit[] = [];
  for (let i = 0; i < pairs.length; i += 2) out.push({ name: pairs[i] as string, factor: pairs[i + 1] as number });
  return out;
}

/** "m/s^2" as it is printed: "m/s²". */
export function prettyUnit(unit: string): string {
  return unit === "1" ? "" : unit.replace(/\^2/g, "²").replace(/\^3/g, "³").replace(/\^-1/g, "⁻¹");
}

export class Units {
  /** Stored unit -> name of the wanted one; absent: auto. */
  private wanted = new Map<string, string>();

  static known(unit: string): { title: string; units: DisplayUnit[] } | undefined {
    return TABLE[unit];
  }
  static all(): string[] {
    return Object.keys(TABLE);
  }
  choice(unit: string): string {
    return this.wanted.get(unit) ?? "auto";
  }
  choose(unit: string, name: string): void {
    if (name === "auto") this.wanted.delete(unit);
    else this.wanted.set(unit, name);
  }
  /** "auto", "si" or "engineer" (mm, deg, rpm, N, ms). */
  preset(name: string): void {
    this.wanted.clear();
    if (name === "si") for (const key of Units.all()) this.wanted.set(key, TABLE[key]!.units[0]!.name);
    if (name === "engineer") {
      const liked: Record<string, string> = { s: "ms", m: "mm", rad: "deg", "rad/s": "rpm", "m/s": "m/s", N: "N" };
      for (const [unit, wanted] of Object.entries(liked)) this.wanted.set(unit, wanted);
    }
  }

  /** How to show a quantity whose largest value is `scale` (SI). */
  of(unit: string, scale: number): DisplayUnit {
    const entry = TABLE[unit];
    if (!entry) return { name: prettyUnit(unit), factor: 1 };
    const byName = (name: string) => entry.units.find((x) => x.name === name)!;
    const wanted = this.wanted.get(unit);
    if (wanted) return byName(wanted);
    const candidates = entry.auto.map(byName);
    if (!(scale > 0) || !isFinite(scale)) return entry.units[0]!;
    // The largest unit in which the largest value is at least 1; the smallest unit for the rest.
    const sorted = [...candidates].sort((a, b) => a.factor - b.factor);
    return sorted.find((x) => scale * x.factor >= 1) ?? sorted[sorted.length - 1]!;
  }
}

/** How to print the numbers of one quantity: six digits of its largest value, the same for all. */
export class NumberFormat {
  private decimals: number;
  private exponent: number;

  constructor(largest: number, digits = 6) {
    const order = largest > 0 && isFinite(largest) ? Math.floor(Math.log10(largest)) : 0;
    this.exponent = order > 6 || order < -3 ? order : 0;
    this.decimals = Math.min(Math.max(digits - 1 - (order - this.exponent), 0), 15);
  }
  text(value: number): string {
    const scaled = this.exponent ? value / 10 ** this.exponent : value;
    const digits = scaled.toFixed(this.decimals);
    const plain = /^-0\.?0*$/.test(digits) ? digits.slice(1) : digits;
    return (this.exponent ? `${plain}e${this.exponent}` : plain).replace("-", "−").replace("e-", "e−");
  }
}

/** A number for a table: four digits. */
export function brief(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e5 || size < 1e-3 ? value.toExponential(3).replace("e+", "e") : value.toPrecision(4);
  return text.replace(/-/g, "−");
}
