# SPDX-License-Identifier: Apache-2.0
"""The sync shim (tests/crash/sync_shim.c) as seen from a test: what it is told, what it recorded."""
import os

from lib.programs import program


class Shim:
    def __init__(self, folder, watched):
        self.control_file = os.path.join(folder, "shim.control")
        self.log = os.path.join(folder, "shim.log")
        self.watched = os.path.realpath(watched)
        self.env = {"LD_PRELOAD": program("tests/crash/sync_shim.so"),
                    "ARCHIVOLT_SHIM_FOLDER": self.watched, "ARCHIVOLT_SHIM_LOG": self.log,
                    "ARCHIVOLT_SHIM_CONTROL": self.control_file}

    def control(self, **orders):
        """Replaces all orders: control(sync_delay_ms=500); control() for none."""
        with open(self.control_file + ".new", "w") as file:
            file.writelines(f"{key} {value}\n" for key, value in orders.items())
        os.rename(self.control_file + ".new", self.control_file)

    def events(self, word="sync"):
        """(start ns, end ns, (device, inode), size, path) of each call of this kind, in order."""
        if not os.path.exists(self.log):
            return []
        events = []
        with open(self.log) as file:
            for line in file:
                kind, start, end, device, inode, size, path = line.rstrip("\n").split(" ", 6)
                if kind == word:
                    events.append((int(start), int(end), (int(device), int(inode)), int(size), path))
        return events

    def cut_to_synced(self):
        """What a power cut may leave: each file cut to its size at its last successful sync."""
        synced = {identity: size for _, _, identity, size, _ in self.events()}
        cut = {}
        for folder, _, names in os.walk(self.watched):
            for name in names:
                path = os.path.join(folder, name)
                status = os.stat(path)
                size = synced.get((status.st_dev, status.st_ino), 0)
                if size < status.st_size:
                    os.chmod(path, 0o644)
                    os.truncate(path, size)
                    cut[name] = (status.st_size, size)
        return cut
