#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the tables that `step_trace` prints: the median step over time, one line for each.

  bench/step_figure.py OUT.svg "label=table.txt" ...
"""

import math
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 400, 64, 16, 16, 44
COLOURS = ("#b03030", "#c08020", "#3060a0", "#208050")


def read(path):
    points = []
    for line in open(path):
        cells = line.split("\t")
        try:
            until, median = float(cells[0]), float(cells[3])
        except (ValueError, IndexError):
            continue
        if median > 0:
            points.append((until, median))
    return points


def main():
    lines = [(label, read(path)) for label, path in (item.split("=", 1) for item in sys.argv[2:])]
    last = max(t for _, points in lines for t, _ in points)
    low = math.floor(math.log10(min(h for _, points in lines for _, h in points)))
    high = math.ceil(math.log10(max(h for _, points in lines for _, h in points)))

    def x(t):
        return LEFT + (WIDTH - LEFT - RIGHT) * t / last

    def y(h):
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - math.log10(h)) / (high - low)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for power in range(low, high + 1):
        at = y(10.0**power)
        out.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{10.0 ** (power + 6):g} µs</text>')
    stride = 10 ** math.floor(math.log10(last))
    for k in range(int(last / stride * 5) + 1):
        t = k * stride / 5
        out.append(f'<path d="M{x(t):.1f} {HEIGHT - BOTTOM}v5" stroke="#444"/>'
                   f'<text x="{x(t):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{1000 * t:g}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">time, ms</text>')
    out.append(f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}" fill="none" stroke="#444"/>')
    for k, (label, points) in enumerate(lines):
        path = "".join(f'{"L" if i else "M"}{x(t):.1f} {y(h):.1f}' for i, (t, h) in enumerate(points))
        colour = COLOURS[k % len(COLOURS)]
        out.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        out.append(f'<path d="M{WIDTH - 270} {TOP + 16 + 18 * k}h24" stroke="{colour}" stroke-width="1.6"/>'
                   f'<text x="{WIDTH - 240}" y="{TOP + 20 + 18 * k}">{label}</text>')
    out.append("</svg>\n")
    with open(sys.argv[1], "w") as file:
        file.write("\n".join(out))


main()
