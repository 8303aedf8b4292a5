# SPDX-License-Identifier: Apache-2.0
"""A steel box of eight-node hexahedra with its matrices, as CalculiX would write them: no finite-element program is needed."""

from itertools import product
from pathlib import Path

import numpy as np

CORNERS = [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)]


def write(stem: Path, size=(120.0, 12.0, 10.0), cells=(6, 2, 2), young=210000.0, poisson=0.3, density=7.85e-9):
    """STEM.inp, .dof, .sti, .mas in mm, t, s; node sets BIG (x = 0) and SMALL (the other end)."""
    edge = np.array(size) / cells
    number = {p: k for k, p in enumerate(product(*(range(n + 1) for n in cells)))}
    points = [edge * p - np.array([0, size[1] / 2, size[2] / 2]) for p in number]
    elements = [[number[tuple(np.array(c) + (np.array(k) + 1) // 2)] for k in CORNERS] for c in product(*map(range, cells))]
    lame, shear = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))
    block_k, block_m = np.zeros((24, 24)), np.zeros((8, 8))
    for x in product((-(3**-0.5), 3**-0.5), repeat=3):
        terms = [[1 + s * t for s, t in zip(c, x)] for c in CORNERS]
        shape = np.array([np.prod(t) / 8 for t in terms])
        slope = np.array([[c[d] * np.prod(np.delete(t, d)) / 8 * 2 / edge[d] for d in range(3)] for c, t in zip(CORNERS, terms)])
        weight = np.prod(edge) / 8
        block_m += weight * density * np.outer(shape, shape)
        for i, j in product(range(8), repeat=2):
            block_k[3 * i:3 * i + 3, 3 * j:3 * j + 3] += weight * (
                lame * np.outer(slope[i], slope[j]) + shear * np.outer(slope[j], slope[i]) + shear * (slope[i] @ slope[j]) * np.eye(3))
    nodes = len(points)
    stiffness, mass = np.zeros((3 * nodes, 3 * nodes)), np.zeros((nodes, nodes))
    for element in elements:
        rows = [3 * n + d for n in element for d in range(3)]
        stiffness[np.ix_(rows, rows)] += block_k
        mass[np.ix_(element, element)] += block_m
    mass = np.kron(mass, np.eye(3))

    lines = ["*NODE"] + [f"{k + 1}, {p[0]:.12g}, {p[1]:.12g}, {p[2]:.12g}" for k, p in enumerate(points)]
    lines += ["*ELEMENT, TYPE=C3D8, ELSET=ALL"] + [", ".join(map(str, [e + 1] + [n + 1 for n in nodes_of])) for e, nodes_of in enumerate(elements)]
    for name, x in (("BIG", 0), ("SMALL", size[0])):
        lines += [f"*NSET, NSET={name}"] + [f"{k + 1}," for k, p in enumerate(points) if abs(p[0] - x) < 1e-9]
    stem.with_suffix(".inp").write_text("\n".join(lines) + "\n")
    stem.with_suffix(".dof").write_text("".join(f"{k + 1}.{d}\n" for k in range(nodes) for d in (1, 2, 3)))
    for suffix, matrix in ((".sti", stiffness), (".mas", mass)):
        rows, columns = np.nonzero(np.triu((stiffness != 0) | (mass != 0)))
        stem.with_suffix(suffix).write_text("".join(f"{i + 1} {j + 1} {matrix[i, j]:.13e}\n" for i, j in zip(rows, columns)))
