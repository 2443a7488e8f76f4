"""Tables from ../results/*/*.jsonl: python3 bench/peers/table.py [DIR...]; markdown on stdout.

Any arm may join: one JSON object a line with device, workload, arm, dist, n, ms, useful (sample-steps) and,
for cpu, threads; "family" groups arms into one row (the best of them is shown), by default see family().
"""
import glob
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def family(arm):
    """Row label: tuned variants of one arm share a row."""
    arm = re.sub(r"^cuda-claim32-", "cuda-claim32 ", arm)
    arm = re.sub(r"^cuda-claim\d+\w*-", "cuda-claim* ", arm)
    arm = re.sub(r"^cuda-(own|single)-", r"cuda-\1 ", arm)
    arm = re.sub(r"^c-tile\d+-", "c-tile* ", arm)
    arm = re.sub(r"^c-refill[\d-]+-", "c-refill* ", arm)
    arm = re.sub(r"^c-eager\d+-", "c-eager* ", arm)
    arm = re.sub(r"^c-scalar-", "c-scalar ", arm)
    return arm


def load(dirs):
    rows = {}
    for d in dirs:
        for f in sorted(glob.glob(os.path.join(d, "*.jsonl"))):
            for line in open(f):
                j = json.loads(line)
                if "ms" in j:
                    rows.setdefault((j["device"], j["workload"], j["dist"], j.get("threads", 0)), []).append(j)
    return rows


def size(n):
    return "1e%d" % (len(str(n)) - 1)


def ns(j):
    x = j["ms"] * 1e6 / j["useful"]
    return f"{x:.3g}"


def ms(j):
    return f"{j['ms']:.3g}" if j["ms"] < 1000 else f"{j['ms']:.0f}"


def variant(j):
    m = re.match(r"^(?:cuda-(claim\w+)|c-(tile\w+|refill[\d-]+|eager\w+))-", j["arm"])
    return (m.group(1) or m.group(2)) if m else j["arm"]


def bit_equal(j, ok):
    return ok.get((j["device"], j["workload"], j["arm"]), False)


def main():
    dirs = sys.argv[1:] or sorted(glob.glob(os.path.join(HERE, "..", "results", "*")))
    rows = load(dirs)
    ok = {}
    for cell in rows.values():
        for j in cell:
            if "bits_differ" in j:
                key = (j["device"], j["workload"], j["arm"])
                ok[key] = ok.get(key, True) and j["bits_differ"] == 0 and j["steps_differ"] == 0
    # a tuned variant is the same kernel: it inherits the check of its family
    fam = {}
    for (d, w, a), good in ok.items():
        fam[d, w, family(a)] = fam.get((d, w, family(a)), True) and good
    for cell in rows.values():
        for j in cell:
            key = (j["device"], j["workload"], j["arm"])
            claims = family(j["arm"]).replace("claim*", "claim32")
            ok.setdefault(key, fam.get((j["device"], j["workload"], family(j["arm"])), fam.get((j["device"], j["workload"], claims), False)))
    order = {"uniform": 0, "spread-1000": 1, "spread-100": 2, "orbits": 3}
    bars = []
    for key in sorted(rows, key=lambda k: (k[0] != "gpu", k[1] != "O", order[k[2]], k[3])):
        device, workload, dist, threads = key
        cell = rows[key]
        sizes = sorted({j["n"] for j in cell})
        best, label = {}, {}
        for j in cell:
            k = (family(j["arm"]), j["n"])
            if k not in best or j["ms"] < best[k]["ms"]:
                best[k] = j
        print(f"\n#### {device}, workload {workload}, {dist}" + (f", {threads} core{'s' * (threads > 1)}" if threads else "") + ": ms (ns per useful sample-step)\n")
        print("| arm | " + " | ".join(f"N={size(n)}" for n in sizes) + " |\n|---|" + "---|" * len(sizes))
        for a in sorted({a for a, _ in best}, key=lambda a: min(best[a, n]["ms"] / min(best[b, m]["ms"] for b, m in best if m == n) for n in sizes if (a, n) in best)):
            line = []
            for n in sizes:
                j = best.get((a, n))
                if not j:
                    line.append("")
                    continue
                top = j["ms"] == min(best[b, m]["ms"] for b, m in best if m == n)
                t = f"{ms(j)} ({ns(j)})" + ("" if j["reps"] > 1 else " ¹")
                line.append(f"**{t}**" if top else t)
            print(f"| {a} | " + " | ".join(line) + " |")
        for n in sizes:
            here = [j for j in cell if j["n"] == n]
            same = [j for j in here if bit_equal(j, ok)]
            tools = [j for j in here if not j["arm"].startswith(("cuda-", "c-", "eaglet"))]
            pick = lambda c: min(c, key=lambda j: j["ms"]) if c else None
            bars.append((key, n, pick([j for j in same if not j["arm"].startswith("eaglet")]), pick(here), pick(tools)))
    print("\n### Bars: the fastest arm per cell\n")
    print("\"Same bits\" = every sample of the N=1e3 check equal to the scalar reference in every bit; \"any\" allows FMA; \"tool\" = fastest that is not hand-written C or CUDA.\n")
    print("| cell | N | **bar, same bits**: ms (ns/step) arm | any arithmetic: ms (ns/step) arm | fastest tool: ms arm (times the column before) |\n|---|---|---|---|---|")
    for (device, workload, dist, threads), n, same, any_, tool in bars:
        c = f"{device}{' %d' % threads if threads else ''} {workload} {dist}"
        f = lambda j: f"{ms(j)} ({ns(j)}) {variant(j)}" if j else "-"
        g = f"{ms(tool)} {tool['arm']} ({tool['ms'] / any_['ms']:.3g}x)" if tool else "-"
        print(f"| {c} | {size(n)} | {f(same)} | {f(any_)} | {g} |")


main()
