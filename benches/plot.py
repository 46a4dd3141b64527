#!/usr/bin/env python3
"""Puts what scale.sh and compare.sh measured into docs/performance.md, and draws the curves beside it.

usage: benches/plot.py                      (reads benches/results/*.tsv; needs nothing but Python 3)
       benches/plot.py --pictures FOLDER    (only draws, into this folder)
"""

import csv
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "performance.md"
TASKS = {
    "cold": ("build, nothing there", "#c0392b"),
    "unchanged": ("build, nothing changed", "#2e86c1"),
    "one-changed": ("build, one spec changed", "#8e44ad"),
    "check": ("build --check", "#d68910"),
    "cp": ("cp -r of the output", "#7f8c8d"),
}
WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 84, 200, 20, 50


def read(name):
    path = ROOT / "benches" / "results" / f"{name}.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def decades(values):
    """Powers of ten around all values."""
    low = math.floor(math.log10(min(values)))
    high = max(math.ceil(math.log10(max(values))), low + 1)
    return [10.0**e for e in range(low, high + 1)]


def curves(rows, column, scale, unit):
    """A chart of one column over the number of services; both axes are logarithmic."""
    points = {
        task: [
            (int(r["services"]), float(r[column]) * scale)
            for r in rows
            if r["task"] == task
        ]
        for task in TASKS
    }
    xs = decades([x for line in points.values() for x, _ in line])
    ys = decades([y for line in points.values() for _, y in line])

    def place(value, ticks, start, end):
        share = math.log10(value / ticks[0]) / math.log10(ticks[-1] / ticks[0])
        return round(start + share * (end - start), 1)

    def x(value):
        return place(value, xs, LEFT, WIDTH - RIGHT)

    def y(value):
        return place(value, ys, HEIGHT - BOTTOM, TOP)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for tick in xs:
        out.append(
            f'<line x1="{x(tick)}" x2="{x(tick)}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#ddd"/>'
            f'<text x="{x(tick)}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{tick:,g}</text>'
        )
    for tick in ys:
        out.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tick)}" y2="{y(tick)}" stroke="#ddd"/>'
            f'<text x="{LEFT - 8}" y="{y(tick) + 4}" text-anchor="end">{tick:,g} {unit}</text>'
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    out.append(f'<text x="{middle:g}" y="{HEIGHT - 12}" text-anchor="middle">services</text>')
    lines = [(task, line) for task, line in points.items() if line]
    for place_in_legend, (task, line) in enumerate(lines):
        name, color = TASKS[task]
        path = " ".join(f"{x(a)},{y(b)}" for a, b in line)
        out.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>')
        out += [f'<circle cx="{x(a)}" cy="{y(b)}" r="3" fill="{color}"/>' for a, b in line]
        top = TOP + 20 * place_in_legend + 10
        left = WIDTH - RIGHT + 15
        out.append(
            f'<line x1="{left}" x2="{left + 20}" y1="{top}" y2="{top}" stroke="{color}" stroke-width="2"/>'
            f'<text x="{left + 26}" y="{top + 4}">{name}</text>'
        )
    return "\n".join([*out, "</svg>", ""])


def number(value):
    """Three significant digits are more than a shared machine is good for."""
    value = float(value)
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def table(heads, rows):
    rule = ["---"] + ["---:"] * (len(heads) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [heads, rule, *rows])


def spread(row):
    return [number(row[c]) for c in ("min_ms", "median_ms", "max_ms")]


def rest(row):
    return [number(row["user_ms"]), number(row["sys_ms"]), number(int(row["peak_kib"]) / 1024)]


def scale_table(rows):
    heads = ["", "services", "files", "MB", "min ms", "median ms", "max ms", "÷ cp -r", "user ms", "system ms", "peak MiB"]
    base = {r["services"]: float(r["median_ms"]) for r in rows if r["task"] == "cp"}
    lines = []
    for r in sorted(rows, key=lambda r: (list(TASKS).index(r["task"]), int(r["services"]))):
        ratio = float(r["median_ms"]) / base[r["services"]]
        size = [f'{int(r["services"]):,}', f'{int(r["files"]):,}', number(int(r["bytes"]) / 1e6)]
        lines.append([TASKS[r["task"]][0], *size, *spread(r), f"{ratio:.2f}", *rest(r)])
    return table(heads, lines)


def compare_table(rows):
    heads = ["work", "tool", "min ms", "median ms", "max ms", "÷ slosmith", "user ms", "÷ slosmith", "system ms", "peak MiB"]
    lines = []
    for r in rows:
        ours = next(o for o in rows if o["work"] == r["work"] and o["tool"] == "slosmith")

        def ratio(column):
            return f"{float(r[column]) / max(float(ours[column]), 1):.2f}"

        user, system, peak = rest(r)
        lines.append([r["work"], r["tool"], *spread(r), ratio("median_ms"), user, ratio("user_ms"), system, peak])
    return table(heads, lines)


def main():
    scale, compare = read("scale"), read("compare")
    only = sys.argv[1:2] == ["--pictures"]
    docs = pathlib.Path(sys.argv[2]) if only else ROOT / "docs"
    (docs / "performance-time.svg").write_text(curves(scale, "median_ms", 1, "ms"), encoding="utf-8")
    (docs / "performance-memory.svg").write_text(curves(scale, "peak_kib", 1 / 1024, "MiB"), encoding="utf-8")
    if only:
        return
    page = PAGE.read_text(encoding="utf-8")
    for name, text in [("scale", scale_table(scale)), ("compare", compare_table(compare))]:
        mark = f"<!-- {name} -->"
        page = re.sub(f"{mark}.*?<!-- end -->", lambda _: f"{mark}\n\n{text}\n\n<!-- end -->", page, flags=re.S)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
