#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""reference.py INPUT: results of scipy and statsmodels for the samples in INPUT, as JSON on standard output.

INPUT: {"samples": [[number, …], …], "families": [[p, …], …], "margin": number}; the output also contains it.
reference.py --make FILE writes tests/golden/comparison/reference.json: the results for its own samples.
Exit status 77: the packages are not installed."""
import json
import random
import sys

try:
    import scipy
    import statsmodels
    from scipy import stats
    from statsmodels.stats.multitest import multipletests
    from statsmodels.stats.robust_compare import TrimmedMean
    from statsmodels.stats.weightstats import DescrStatsW
except ImportError as missing:
    print(missing, file=sys.stderr)
    sys.exit(77)


def judged_sample(values, other, margin):
    described = DescrStatsW(values)
    above, below = described.ttost_mean(-margin, margin)[1:]
    trimmed = TrimmedMean(values, 0.2)
    same, turned = values[::2], values[1::2]
    return {
        "p": float(stats.ttest_1samp(values, 0).pvalue),
        "interval": [float(end) for end in described.tconfint_mean(0.05)],
        "two_one_sided": [float(above[1]), float(below[1])],
        "trimmed_mean": float(trimmed.mean_trimmed),
        "winsorised_variance": float(trimmed.var_winsorized),
        "yuen": float(stats.ttest_ind(values, other, equal_var=False, trim=0.2).statistic),
        "two_samples": float(stats.ttest_ind(same, turned, equal_var=True).pvalue),
    }


def expected(given):
    samples = given["samples"]
    out = dict(given)
    out["made_by"] = f"reference.py with scipy {scipy.__version__}, statsmodels {statsmodels.__version__}"
    out["expected"] = [judged_sample(values, samples[i - 1], given["margin"]) for i, values in enumerate(samples)]
    out["holm"] = [[float(p) for p in multipletests(family, method="holm")[1]] for family in given["families"]]
    out["benjamini_hochberg"] = [[float(p) for p in multipletests(family, method="fdr_bh")[1]]
                                 for family in given["families"]]
    out["critical"] = [[level, freedom, float(stats.t.isf(level / 2, freedom))]
                       for level in (0.2, 0.05, 0.0066, 1e-4, 1e-7) for freedom in (1, 2, 2.8, 3, 8.6, 19, 59)]
    out["sign_test"] = [[k, n - k, float(stats.binomtest(k, n, 0.5).pvalue)] for n in range(1, 13) for k in range(n + 1)]
    return out


def made():
    draws = random.Random(1)
    samples = [[draws.gauss(0.02 * (i % 3), 0.03) for _ in range(5 + i)] for i in range(24)]
    families = [[draws.random() ** 3 for _ in range(size)] for size in (1, 2, 3, 12, 36)]
    return {"samples": samples, "families": families, "margin": 0.05}


if sys.argv[1] == "--make":
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(expected(made()), file, indent=1)
        file.write("\n")
else:
    with open(sys.argv[1], encoding="utf-8") as file:
        json.dump(expected(json.load(file)), sys.stdout)
