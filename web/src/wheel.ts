// SPDX-License-Identifier: Apache-2.0
// Zooming by the wheel without catching those who only scroll past: the wheel is a diagram's once
// the pointer has moved over it, and the page's again after the page has scrolled.

let scrolled = -1;
addEventListener("scroll", () => (scrolled = performance.now()), { capture: true, passive: true });

/** `zoom` gets the factor (above 1: nearer) and the pointer in pixels of the element; false: nothing left to zoom. */
export function onWheel(element: HTMLElement, zoom: (factor: number, x: number, y: number) => boolean): void {
  let moved = -2;
  element.addEventListener("pointermove", (e) => {
    if (e.movementX !== 0 || e.movementY !== 0) moved = performance.now();
  });
  element.addEventListener("pointerleave", () => (moved = -2));
  element.addEventListener(
    "wheel",
    (e) => {
      if (moved <= scrolled && !e.ctrlKey) return;
      const box = element.getBoundingClientRect();
      const lines = e.deltaMode === 1 ? 33 : 1;
      if (zoom(Math.exp(-Math.max(-300, Math.min(300, e.deltaY * lines)) / 400), e.clientX - box.left, e.clientY - box.top)) e.preventDefault();
    },
    { passive: false },
  );
}

/** A range that is `factor` nearer about a point of it, within `all`; null: all of it. */
export function nearer([low, high]: [number, number], about: number, factor: number, all: [number, number]): [number, number] | null {
  const least = 1e-9 * (all[1] - all[0]);
  const f = Math.max(1 / factor, least / (high - low));
  const out: [number, number] = [Math.max(all[0], about - (about - low) * f), Math.min(all[1], about + (high - about) * f)];
  return out[0] <= all[0] && out[1] >= all[1] ? null : out;
}
