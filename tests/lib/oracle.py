# SPDX-License-Identifier: Apache-2.0
"""What a client knows of a server that may be killed at any moment.

Each path is owned by one thread. Its knowledge is the set of states that are possible: exactly one
after an answer, the old and the new one while a request is out, or when its answer never came. A
state is None (absent) or (seed, size) of bytes that content() makes again. verify() asks the
server and is satisfied with any possible state, whole, byte for byte; what it saw is then known.
A move is two paths that change together. Every step is appended to a file before it is taken.
"""
import json
import random

from lib.check import check


def content(state):
    seed, size = state
    return random.Random(seed).randbytes(size)


class Oracle:
    def __init__(self, journal):
        self.possible = {}  # path → list of states
        self.moves = []     # (from, to, state) whose answer never came
        self.journal = open(journal, "a", buffering=1)

    def note(self, *words):
        self.journal.write(json.dumps(words) + "\n")

    def known(self, path):
        """The one state of a path; None when absent."""
        states = self.possible.get(path, [None])
        check(len(states) == 1, f"{path}: not known: {states}")
        return states[0]

    def settled(self, path):
        return len(self.possible.get(path, [None])) == 1

    def begin(self, path, state, word):
        self.note("begin", word, path, state)
        self.possible[path] = [self.known(path), state]

    def done(self, path):
        """The answer came: the new state holds."""
        self.possible[path] = self.possible[path][-1:]
        self.note("done", path, self.possible[path][0])

    def refused(self, path):
        """The server said no: the old state holds."""
        self.possible[path] = self.possible[path][:1]
        self.note("refused", path)

    def begin_move(self, source, target):
        state = self.known(source)
        self.note("begin", "move", source, target, state)
        self.possible[source] = [state, None]
        self.possible[target] = [None, state]
        self.moves.append((source, target, state))

    def done_move(self, source, target):
        self.done(source)
        self.done(target)
        self.moves = [move for move in self.moves if move[:2] != (source, target)]

    def live(self, prefix=""):
        return [path for path, states in list(self.possible.items())
                if path.startswith(prefix) and len(states) == 1 and states[0] is not None]

    def verify(self, read, paths=None):
        """read(path) → bytes, or None when absent. Returns the number of paths looked at."""
        looked = list(paths if paths is not None else self.possible)
        for path in looked:
            seen = read(path)
            states = self.possible[path]
            match = [state for state in states
                     if (seen is None) == (state is None)
                     and (state is None or (len(seen) == state[1] and content(state) == seen))]
            check(match, f"{path}: saw {'nothing' if seen is None else f'{len(seen)} bytes'}, "
                         f"possible were {states}")
            if len(states) > 1:
                self.note("seen", path, match[0])
            self.possible[path] = match[:1]
        for source, target, state in self.moves:
            check((self.known(source) is None) != (self.known(target) is None),
                  f"a move of {source} to {target} left both or neither")
        self.moves = []
        return len(looked)

    def forget_absent(self, keep):
        """Bounds the memory: of the paths known to be absent, keeps the newest."""
        absent = [path for path, states in self.possible.items() if states == [None]]
        for path in absent[:max(0, len(absent) - keep)]:
            del self.possible[path]
