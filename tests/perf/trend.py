# SPDX-License-Identifier: Apache-2.0
"""Is there a slope, or only noise? The Theil-Sen line through equally spaced windows, with an interval.

The slope is the median of the slopes between all pairs of windows (Theil 1950, Sen 1968): up to 29 % of the windows may be anything.
The interval is Sen's, from the distribution of Kendall's S without ties: it assumes nothing about the noise but that windows do not
depend on each other. Where neighbours disturb several windows in a row it is too narrow.
"""
import math
import statistics

Z_95 = 1.959964


def theil_sen(values, z=Z_95):
    """(slope, lowest, highest) a step between one value and the next; three values at least."""
    count = len(values)
    slopes = sorted((values[j] - values[i]) / (j - i) for i in range(count) for j in range(i + 1, count))
    spread = z * math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    lowest = max(0, math.floor((len(slopes) - spread) / 2) - 1)
    highest = min(len(slopes) - 1, math.ceil((len(slopes) + spread) / 2))
    return statistics.median(slopes), slopes[lowest], slopes[highest]


def change(values):
    """(change, lowest, highest) from the first to the last value, as parts of where the line begins."""
    steps = len(values) - 1
    slope, lowest, highest = theil_sen(values)
    start = statistics.median(value - slope * step for step, value in enumerate(values))
    return tuple(each * steps / start for each in (slope, lowest, highest))


def verdict(values):
    """In words: "-3.1% from start to end (95 %: -5.0% to -1.2%): a slope"."""
    middle, lowest, highest = change(values)
    word = "noise, as far as can be told" if lowest <= 0 <= highest else "a slope"
    return f"{middle:+.1%} from start to end (95 %: {lowest:+.1%} to {highest:+.1%}): {word}"


def tenths(values, middle=statistics.median):
    """The median, or what is asked for, of each tenth."""
    count = len(values)
    return [middle(values[count * i // 10:count * (i + 1) // 10]) for i in range(10)]
