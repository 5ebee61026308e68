# SPDX-License-Identifier: Apache-2.0
"""Assertions that say what was seen, and threads that pass their failures on."""
from concurrent.futures import ThreadPoolExecutor


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def shortened(value):
    text = repr(value)
    return text if len(text) <= 400 else f"{text[:300]}… ({len(text)} characters)"


def equal(seen, wanted, about=""):
    check(seen == wanted, f"{about}{': ' if about else ''}saw {shortened(seen)}, wanted {shortened(wanted)}")


def contains(text, part, about=""):
    check(part in text, f"{about}{': ' if about else ''}no {part!r} in {shortened(text)}")


def fails_with(done, status, about=""):
    """A command ended with this exit status and said why on standard error."""
    equal(done.status, status, f"{about or done.arguments} (stderr: {done.error_text})")
    check(done.error_text.strip(), f"{about or done.arguments}: failed without a word")


def in_parallel(count, function, threads=None):
    """The results of function(0) … function(count - 1), run by so many threads."""
    with ThreadPoolExecutor(threads or count) as pool:
        return list(pool.map(function, range(count)))
