// SPDX-License-Identifier: Apache-2.0
// Diagrams below the window are drawn while nothing else happens, so that none is blank when the page
// is scrolled, printed, or photographed at its full length.

const waiting = new Set<() => void>();
let running = false;

export function drawAhead(draw: () => void): void {
  waiting.add(draw);
  if (running) return;
  running = true;
  const idle = typeof requestIdleCallback === "function" ? (f: () => void) => requestIdleCallback(f, { timeout: 400 }) : (f: () => void) => setTimeout(f, 30);
  const next = () => {
    const [first] = waiting;
    if (first) {
      waiting.delete(first);
      first();
    }
    running = waiting.size > 0;
    document.documentElement.toggleAttribute("data-drawn", !running);
    if (running) idle(next);
  };
  idle(next);
}
