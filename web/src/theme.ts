// SPDX-License-Identifier: Apache-2.0
// Colours that people with any colour vision can tell apart (Okabe and Ito 2008), in a shade that
// reads on paper and one that reads on a dark screen.

const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#b0569a", "#c98a00", "#3f8fce", "#5b5b5b", "#7a4fbf"];
const DARK = ["#56b4e9", "#ff8c42", "#2fc79a", "#e39bc9", "#f0c04a", "#9ecbff", "#c4c4c4", "#b79cf2"];
export const DASHES: number[][] = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
export function colour(index: number): string {
  const list = isDark() ? DARK : LIGHT;
  return list[index % list.length]!;
}
export function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// Contact modes have colours of their own: free flight, impact, following, stick, and what further models add.
const MODES_LIGHT = ["#93a4b5", "#d6003c", "#6f9400", "#14213d", "#8a5a44"];
const MODES_DARK = ["#7d8fa3", "#ff4d6d", "#a7d129", "#fffbe6", "#c89f84"];
export function modeColour(mode: number): string {
  return (isDark() ? MODES_DARK : MODES_LIGHT)[Math.min(Math.max(Math.round(mode), 0), 4)]!;
}
/** All of them, for the test that results and modes are told apart. */
export const PALETTES = { light: LIGHT, dark: DARK, modesLight: MODES_LIGHT, modesDark: MODES_DARK };

/** What the numbers of a mode mean, as the result says: "0 free flight, 1 impact, 2 following". */
export function modeNames(longName: string): Map<number, string> {
  return new Map([...longName.matchAll(/(\d+) ([^,]+)/g)].map((m) => [Number(m[1]), m[2]!.trim()]));
}
