#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a bifurcation diagram: reads a study with h5py, writes an SVG that any browser opens.

usage: diagram.py STUDY.h5 SERIES OUT.svg
"""

import sys

import h5py

result, series, picture = sys.argv[1:]
with h5py.File(result) as study:
    name, values = next(iter(study["inputs"].items()))
    inputs = values[:][study["section/row"][:]]  # of each recorded turn
    outputs = study["section/" + series][:]
    unit = study["section/" + series].attrs["unit"]

width, height, margin = 720, 480, 50


def place(x, low, high, length):
    return margin + (x - low) / (high - low or 1) * (length - 2 * margin)


dots = "".join(
    f'<circle cx="{place(x, inputs.min(), inputs.max(), width):.1f}" '
    f'cy="{height - place(y, outputs.min(), outputs.max(), height):.1f}" r="1"/>\n'
    for x, y in zip(inputs, outputs))
with open(picture, "w") as file:
    file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
               f'font-size="13">\n<rect width="100%" height="100%" fill="white"/>\n{dots}'
               f'<text x="{margin}" y="{height - 15}">{name}: {inputs.min():g} to {inputs.max():g}</text>\n'
               f'<text x="{margin}" y="25">{series}: {outputs.min():.4g} to {outputs.max():.4g} {unit}</text>\n</svg>\n')
print(f"{picture}: {len(inputs)} points")
