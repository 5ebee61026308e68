# SPDX-License-Identifier: Apache-2.0
"""tests/perf/trend.py tells a slope from noise, whatever a few windows say."""
import random

from lib import check, contains, equal
from perf import trend

equal(trend.theil_sen([1, 3, 5, 7]), (2, 2, 2), "a line")
# Slopes of the six pairs: 3, 1, 8/3, -1, 5/2, 6; in order -1, 1, 5/2, 8/3, 3, 6.
check(abs(trend.theil_sen([0, 3, 2, 8])[0] - (5 / 2 + 8 / 3) / 2) < 1e-12, "the median of six slopes")
line = [100 + step for step in range(101)]
spoilt = [value if step % 5 else -1e9 for step, value in enumerate(line)]  # every fifth window is nonsense
check(abs(trend.theil_sen(spoilt)[0] - 1) < 0.01, trend.theil_sen(spoilt))
check(abs(trend.change(line)[0] - 1) < 1e-9, "from 100 to 200 is a change of 1")
equal(trend.tenths(list(range(100))), [4.5 + 10 * i for i in range(10)])

draw = random.Random(5)
covered = told = 0
for _ in range(200):
    flat = [draw.gauss(1000, 100) for _ in range(60)]
    _, lowest, highest = trend.theil_sen(flat)
    covered += lowest <= 0 <= highest
    told += trend.theil_sen([value - 5 * step for step, value in enumerate(flat)])[2] < 0  # 30 % down, noise 10 %
check(184 <= covered <= 198, f"an interval of 95 % holds the truth {covered} times of 200")
equal(told, 200, "slopes found among 200")
contains(trend.verdict(line), "+100.0% from start to end")
contains(trend.verdict(line), ": a slope")
contains(trend.verdict([1000, 1010] * 20), "noise")
