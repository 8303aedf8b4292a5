# SPDX-License-Identifier: Apache-2.0
"""One table and its plots from the rows of bench/yardsticks, bench/peers and work_precision.

usage: table.py OUT_FOLDER < rows

A row is `row<TAB>case<TAB>who<TAB>setting<TAB>value<TAB>CPU seconds<TAB>evaluations`. The reference of a case
is its row with who = reference. "ours" is the least CPU time of Freeplay at that error or a smaller one; where it
was never that accurate, its most accurate run stands in and the ratio is marked with *.
"""
import math
import pathlib
import sys
from collections import defaultdict

COLOURS = ["#1b6ca8", "#c8553d", "#588157", "#8d5a97", "#e09f3e", "#444444", "#2a9d8f", "#b56576"]


def read_rows(lines):
    cases = defaultdict(list)
    reference = {}
    for line in lines:
        fields = line.rstrip("\n").split("\t")
        if len(fields) != 7 or fields[0] != "row":
            continue
        _, case, who, setting, value, cpu, evaluations = fields
        if who == "reference":
            reference[case] = float(value)
        else:
            cases[case].append((who, setting, float(value), float(cpu), int(evaluations)))
    return cases, reference


def ours_at(rows, error):
    """Least CPU time of Freeplay with at most this error; and whether it is that accurate at all."""
    mine = [(e, cpu) for who, _, e, cpu, _ in rows if who == "freeplay"]
    good = [cpu for e, cpu in mine if e <= error]
    if good:
        return min(good), True
    return (min(mine)[1], False) if mine else (math.nan, False)


def decade_label(k):
    return f"1e{k:d}"


def plot(path, title, rows):
    """Error against CPU time, both logarithmic, one line for each program."""
    points = [(e, cpu) for _, _, e, cpu, _ in rows if e > 0 and cpu > 0]
    if len(points) < 2:
        return False
    width, height, left, bottom, top, right = 760, 480, 70, 50, 40, 210
    lows = [math.floor(math.log10(min(p[k] for p in points))) for k in (0, 1)]
    highs = [math.ceil(math.log10(max(p[k] for p in points))) for k in (0, 1)]
    highs = [max(h, l + 1) for h, l in zip(highs, lows)]
    x = lambda e: left + (math.log10(e) - lows[0]) / (highs[0] - lows[0]) * (width - left - right)
    y = lambda t: height - bottom - (math.log10(t) - lows[1]) / (highs[1] - lows[1]) * (height - bottom - top)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>', f'<text x="{left}" y="22" font-size="15">{title}</text>']
    for k in range(lows[0], highs[0] + 1):
        at = x(10.0 ** k)
        out.append(f'<path d="M{at:.1f} {top}V{height - bottom}" stroke="#ddd"/>'
                   f'<text x="{at:.1f}" y="{height - bottom + 16}" text-anchor="middle">{decade_label(k)}</text>')
    for k in range(lows[1], highs[1] + 1):
        at = y(10.0 ** k)
        out.append(f'<path d="M{left} {at:.1f}H{width - right}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{decade_label(k)}</text>')
    out.append(f'<text x="{(left + width - right) / 2}" y="{height - 12}" text-anchor="middle">error at the end, m</text>'
               f'<text x="16" y="{height / 2}" transform="rotate(-90 16 {height / 2})" text-anchor="middle">CPU time, s</text>')
    names = list(dict.fromkeys(r[0] for r in rows))
    for k, name in enumerate(names):
        colour = COLOURS[k % len(COLOURS)]
        line = [(x(e), y(cpu)) for who, _, e, cpu, _ in rows if who == name and e > 0 and cpu > 0]
        out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="1.6" points="'
                   + " ".join(f"{a:.1f},{b:.1f}" for a, b in line) + '"/>')
        out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in line]
        out.append(f'<text x="{width - right + 12}" y="{top + 18 * (k + 1)}" fill="{colour}">{name}</text>')
    path.write_text("\n".join(out + ["</svg>"]) + "\n")
    return True


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    cases, reference = read_rows(sys.stdin)
    if not cases:
        sys.exit("table.py: no rows")
    print(f"{'case':<30} {'who':<26} {'setting':<16} {'error m':>9} {'CPU s':>10} {'evaluations':>12} {'ratio to ours':>14}")
    for case, rows in cases.items():
        if case not in reference:  # one evaluation: times only
            mine = {r[1]: r[3] for r in rows if r[0] == "freeplay"}
            for who, setting, _, cpu, _ in rows:
                ours = mine.get(setting, min(mine.values(), default=None))  # same setting, else the only one
                ratio = f"{cpu / ours:.2f}" if ours else ""
                print(f"{case:<30} {who:<26} {setting:<16} {'':>9} {cpu:>10.3g} {'':>12} {ratio:>14}")
            continue
        rows = [(who, setting, abs(value - reference[case]), cpu, n) for who, setting, value, cpu, n in rows]
        for who, setting, error, cpu, n in rows:
            ours, reached = ours_at(rows, error)
            ratio = f"{cpu / ours:.2f}" + ("" if reached else "*")
            print(f"{case:<30} {who:<26} {setting:<16} {error:>9.1e} {cpu:>10.4f} {n or '':>12} {ratio:>14}")
        name = "".join(c if c.isalnum() else "_" for c in case) + ".svg"
        if plot(folder / name, case, rows):
            print(f"plot: {folder / name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
