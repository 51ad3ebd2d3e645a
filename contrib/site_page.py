"""site_page.py - the page and the JSON file of contrib/site.

The page begins with a summary for a reader who decides whether to install coll/irr: a recommendation, the speedups of
auto in each series, and what was not measured. A speedup is the median time of Open MPI divided by the median time of
the row. auto is faster in a case (one length of one series) if the confidence interval of its speedup is above 1.
"""
import html
import json
import math
import os
import statistics
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)
from chart import bench     # noqa: E402

PENDING, DONE, CUT, FAILED = "not measured", "measured", "cut short", "failed"
SURE = 0.95     # least probability of the interval of a median
LEAST_GAIN = 1.05   # the least median speedup for which coll/irr is worth installing
SPREAD = ("low_us", "high_us"), "Vertical lines: 95 % confidence intervals of the medians."
STYLE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>coll/irr on a cluster</title><style>
body { font: 15px/1.45 sans-serif; max-width: 980px; margin: 2em auto; padding: 0 1em; color: #222; }
h1 { margin-bottom: 0.3em; } h2 { margin-top: 2em; border-bottom: 1px solid #ddd; }
.summary { background: #f2f7fb; border-left: 5px solid #0072b2; padding: 0.6em 1.2em; }
.summary.no { background: #f7f7f7; border-color: #888; } .summary.bad { background: #fdf0ea; border-color: #d55e00; }
.verdict { font-size: 19px; font-weight: bold; }
table { border-collapse: collapse; margin: 1em 0; }
td, th { padding: 3px 12px 3px 0; text-align: right; vertical-align: top; }
th { border-bottom: 2px solid #ccc; } td { border-bottom: 1px solid #eee; }
.words td, .words th, td:first-child, th:first-child { text-align: left; }
.faster { color: #00694c; font-weight: bold; } .slower { color: #b34700; font-weight: bold; }
small { color: #666; white-space: nowrap; }
pre { background: #f4f4f4; padding: 1em; overflow-x: auto; font-size: 12px; }
svg { width: 100%; height: auto; }
</style></head><body>
"""


# ---- statistics ----


def interval_of(values):
    """Returns the ends of a confidence interval of the median by order statistics, or None if there are too few."""
    values = sorted(values)
    outside, found = 0, None
    for i in range(len(values) // 2):
        outside += 2 * math.comb(len(values), i) / 2 ** len(values)
        if outside > 1 - SURE:
            break
        found = values[i], values[-1 - i]
    return found


def verdict_of(row):
    """Returns the class of a row that is not host: faster, slower, or empty."""
    low, high = row["host_ratio_low"], row["host_ratio_high"]
    if low is None or high is None:
        return ""
    return "faster" if low > 1 else "slower" if high < 1 else ""


def cases_of(site):
    """Yields the cases of a site: series, length, and the rows by their algorithms."""
    for one in site["series"]:
        for unit in one["result"]["results"] if one["result"] else []:
            yield one, unit, {row["algorithm"]: row for row in unit["rows"]}


def is_right(result):
    """True if no byte was wrong, also if there is no result."""
    return not result or all(row["verified"] for unit in result["results"] for row in unit["rows"])


# ---- words ----


def size(length):
    text = bench.size_text(length)
    return f"{text[:-1]} {'KM'['km'.index(text[-1])]}iB" if text[-1] in "km" else f"{text} B"


def sizes(lengths):
    return ", ".join(map(size, lengths)) if lengths else "-"


def plural(count, noun):
    return f"{count} {noun}{'' if count == 1 else 's'}"


def outcome_of(one):
    """Returns the state of a series in words, for the terminal and the page."""
    done = len(one["result"]["results"]) if one["result"] else 0
    text = f"{done} of {plural(len(one['lengths']), 'length')}"
    text += "" if one["state"] == DONE else f", {one['state']}" + (f": {one['note']}" if one["note"] else "")
    return text + ("" if not done else ", all bytes right" if is_right(one["result"]) else ", WRONG BYTES")


def missing_of(one):
    """Returns the lengths of a series that are not measured."""
    done = [unit["unit"] for unit in one["result"]["results"]] if one["result"] else []
    return [length for length in one["lengths"] if length not in done]


def ranks_of(site, one):
    return one["ranks"] or site["ranks"][0]


def title_of(site, one):
    return f"{one['name']}, {ranks_of(site, one)} ranks"


# ---- summary ----


def recommend(site):
    """Returns the recommendation: a class of the style, and a sentence."""
    autos = [rows["auto"] for _, _, rows in cases_of(site) if "auto" in rows]
    gains = [row["host_ratio"] for row in autos if verdict_of(row) == "faster"]
    slower = sum(verdict_of(row) == "slower" for row in autos)
    if not all(is_right(one["result"]) for one in site["series"]):
        return "bad", "Do not install coll/irr here: some received bytes were wrong. Please report it."
    if not autos:
        return "no", "Nothing has been measured yet."
    if gains and statistics.median(gains) >= LEAST_GAIN and len(gains) > slower:
        return "", "Yes, coll/irr is worth installing here, for the exchanges below."
    if gains:
        return "no", "Perhaps: the gains of coll/irr are small or few here. Measure your applications."
    return "no", "No: coll/irr gained nothing in these measurements."


def statements(site):
    """Yields the sentences after the recommendation."""
    autos = [(one, unit, rows["auto"]) for one, unit, rows in cases_of(site) if "auto" in rows]
    if not autos:
        return
    gains = sorted(row["host_ratio"] for _, _, row in autos if verdict_of(row) == "faster")
    losses = sorted(row["host_ratio"] for _, _, row in autos if verdict_of(row) == "slower")
    yield (f"Without any configuration (auto), coll/irr was faster than Open MPI in {len(gains)} of "
           f"{plural(len(autos), 'case')}, slower in {len(losses)}, and not measurably different in "
           f"{len(autos) - len(gains) - len(losses)}.")
    if gains:
        one, unit, row = max((case for case in autos if verdict_of(case[2]) == "faster"),
                             key=lambda case: case[2]["host_ratio"])
        yield (f"Where it was faster, its median speedup was {statistics.median(gains):.2f}. The largest was "
               f"{row['host_ratio']:.2f} (interval {row['host_ratio_low']:.2f} to {row['host_ratio_high']:.2f}): "
               f"{title_of(site, one)}, {size(unit['unit'])}.")
    if losses:
        yield (f"Where it was slower, its median speedup was {statistics.median(losses):.2f}, and the least "
               f"{losses[0]:.2f}.")
    named = sum(verdict_of(rows["auto"]) != "faster" and
                any(verdict_of(row) == "faster" for name, row in rows.items() if name not in ("host", "auto"))
                for _, _, rows in cases_of(site) if "auto" in rows)
    if named:
        yield (f"In {named} more {'case' if named == 1 else 'cases'} an algorithm by name was faster "
               "(coll_irr_alltoallv_algorithm).")
    yield ("A case is one length of an exchange on one number of ranks. It is faster or slower if the 95 % confidence "
           "interval of its speedup lies above or below 1.")


def missing(site):
    """Yields what was not measured."""
    if site.get("note"):
        yield site["note"]
    for one in site["series"]:
        if one["state"] != DONE:
            yield (f"{title_of(site, one)}, {sizes(missing_of(one))}" +
                   (f": {one['note']}." if one["note"] else "."))
    open_cases = [f"{title_of(site, one)}, {size(unit['unit'])}" for one, unit, rows in cases_of(site)
                  if "auto" in rows and rows["auto"]["choice"] and not rows["auto"]["choice"]["settled"]]
    if open_cases:
        yield (f"auto after its first trial, which was not over in {plural(len(open_cases), 'case')}: "
               f"{'; '.join(open_cases[:4])}{' and others' if len(open_cases) > 4 else ''}.")
    if max((nodes or 1 for nodes in site["nodes"]), default=1) == 1:
        yield "Exchanges between nodes: all ranks were on one node."
    if any(ranks > site["processors"] * (nodes or 1) for ranks, nodes in zip(site["ranks"], site["nodes"])):
        yield "Ranks with a processor each: there were more ranks than processors, so times vary more."
    if site["machine_note"]:
        yield f"The constants of the machine: {site['machine_note']}."
    yield "Other numbers of ranks, longer messages, and MPI_Alltoall."
    yield "Applications: irr_jobs -- COMMAND times whole jobs with coll/irr and without it."


def gains_row(site, one):
    """Returns the row of a series in the table of the summary."""
    units = [(unit["unit"], row) for unit in one["result"]["results"] for row in unit["rows"]
             if row["algorithm"] == "auto"]
    kinds = {kind: [length for length, row in units if verdict_of(row) == kind] for kind in ("faster", "slower")}
    ratios = [row["host_ratio"] for _, row in units if row["host_ratio"]]
    served = dict.fromkeys(row["choice"]["strategy"] for _, row in units if row["choice"])
    return "".join(f"<td>{html.escape(text)}</td>" for text in (
        title_of(site, one), sizes(kinds["faster"]), sizes(kinds["slower"]),
        f"{min(ratios):.2f} to {max(ratios):.2f}" if ratios else "-", ", ".join(served) or "-"))


def summary_of(site):
    kind, sentence = recommend(site)
    rows = "".join(f"<tr>{gains_row(site, one)}</tr>" for one in site["series"]
                   if one["result"] and any(row["algorithm"] == "auto" for row in one["result"]["results"][0]["rows"]))
    table = ("<table class=words><tr><th>exchange</th><th>auto is faster at</th><th>auto is slower at</th>"
             f"<th>speedups</th><th>served at the end by</th></tr>{rows}</table>") if rows else ""
    return (f'<div class="summary {kind}"><p class="verdict">{html.escape(sentence)}</p>'
            f"{''.join(f'<p>{html.escape(text)}</p>' for text in statements(site))}{table}"
            f"<p><b>Not measured:</b></p><ul>"
            f"{''.join(f'<li>{html.escape(text)}</li>' for text in missing(site))}</ul></div>")


# ---- series ----


def cell_of(row):
    """Returns the cell of a row: its median with its interval and, unless it is host, its speedup with its interval."""
    interval = interval_of(row["times_us"])
    text = f"{row['median_us']:.2f}"
    text += f"<br><small>{interval[0]:.2f} to {interval[1]:.2f}</small>" if interval else ""
    if row["algorithm"] == "host" or not row["host_ratio"]:
        return f"<td>{text}</td>"
    low, high = row["host_ratio_low"], row["host_ratio_high"]
    spread = f" <small>({low:.2f} to {high:.2f})</small>" if low is not None and high is not None else ""
    return f'<td>{text}<br><span class="{verdict_of(row)}">{row["host_ratio"]:.2f}</span>{spread}</td>'


def table_of(result):
    head = "".join(f"<th>{html.escape(row['algorithm'])}</th>" for row in result["results"][0]["rows"])
    lines = "".join(f"<tr><td>{size(unit['unit'])}</td><td>{unit['iterations']}</td>"
                    f"{''.join(map(cell_of, unit['rows']))}</tr>" for unit in result["results"])
    return f"<table><tr><th>longest message</th><th>iterations</th>{head}</tr>{lines}</table>"


def served_of(result):
    """Returns a table of what served auto, and why; empty without auto."""
    lines = "".join(f"<tr><td>{size(unit['unit'])}</td><td>{html.escape(row['choice']['strategy'])}</td>"
                    f"<td>{html.escape(row['choice']['reason'])}</td></tr>"
                    for unit in result["results"] for row in unit["rows"] if row["choice"])
    head = "<tr><th>longest message</th><th>auto: served at the end by</th><th></th></tr>"
    return f"<table class=words>{head}{lines}</table>" if lines else ""


def drawn(result):
    """Returns a result with the ends of the interval of each median, which the plot shows."""
    def with_ends(row):
        low, high = interval_of(row["times_us"]) or (row["min_us"], row["max_us"])
        return {**row, "low_us": low, "high_us": high}
    return {**result, "results": [{**unit, "rows": list(map(with_ends, unit["rows"]))} for unit in result["results"]]}


def section_of(site, one):
    title = f"<h2>{html.escape(title_of(site, one))}</h2>"
    note = f"<p><b>{html.escape(outcome_of(one))}.</b></p>" if one["state"] != DONE or not is_right(one["result"]) else ""
    if not one["result"]:
        return title + note
    return (f"{title}{note}<p>A cell has the median time in microseconds (lower is better) with its 95 % confidence "
            f"interval, then the speedup over Open MPI (host; above 1, the algorithm is faster) with its interval."
            f"</p>{bench.draw(drawn(one['result']), SPREAD)}{table_of(one['result'])}{served_of(one['result'])}")


# ---- files ----


def page_of(site):
    nodes = ", ".join(f"{ranks} ranks on {plural(nodes, 'node') if nodes else 'an unknown number of nodes'}"
                      for ranks, nodes in zip(site["ranks"], site["nodes"]))
    facts = [("Open MPI", site["mpi"]), ("coll/irr", site["version"]), ("jobs", nodes),
             ("processor of the first host", site["processor"]), ("processors of the first host", site["processors"]),
             ("minutes", f"{site['minutes']:.1f} of {site['budget']:g}")]
    rows = "".join(f"<tr><td>{name}</td><td>{html.escape(str(value))}</td></tr>" for name, value in facts)
    machine = f"<h2>Constants of the machine</h2><pre>{html.escape(site['machine'])}</pre>" if site["machine"] else ""
    return (f"{STYLE}<h1>coll/irr on a cluster</h1>{summary_of(site)}"
            f"<table class=words>{rows}</table>"
            "<p>In these jobs auto ran with coll_irr_setup_share 1000, so that its trials began at once, in iterations "
            "before the measured ones. By default trials begin later in a job.</p>"
            f"{''.join(section_of(site, one) for one in site['series'])}{machine}</body></html>\n")


def without_samples(result):
    """Returns a result without the time of each iteration, which would make the file long."""
    rows = [{**unit, "rows": [{**{key: value for key, value in row.items() if key not in ("times_us", "counters")},
                               "median_interval_us": interval_of(row["times_us"])} for row in unit["rows"]]}
            for unit in result["results"]]
    return {**result, "results": rows}


def json_of(site):
    jobs = [{**(without_samples(one["result"]) if one["result"] else {"name": one["name"], "results": []}),
             "ranks": ranks_of(site, one), "state": one["state"], "note": one["note"]} for one in site["series"]]
    keys = ["program", "version", "mpi", "processor", "processors", "nodes", "budget", "minutes", "machine"]
    summary = [recommend(site)[1], *statements(site)]
    return json.dumps({**{key: site[key] for key in keys}, "summary": summary, "not_measured": list(missing(site)),
                       "jobs": jobs}, indent=1) + "\n"
