# SPDX-License-Identifier: Apache-2.0
"""A tar volume as a list of entries that a test may change, and written back; ustar only."""
BLOCK = 512


class Entry:
    def __init__(self, header, data):
        self.header, self.data = bytearray(header), data

    @property
    def name(self):
        name, prefix = (bytes(self.header[a:b]).split(b"\0")[0].decode() for a, b in ((0, 100), (345, 500)))
        return f"{prefix}/{name}" if prefix else name

    def rename(self, name):
        """Splits as ustar does: at a slash, name to 100 bytes, prefix to 155."""
        data = name.encode()
        cut = 0 if len(data) <= 100 else data.index(b"/", len(data) - 101) + 1
        self.header[0:100] = data[cut:].ljust(100, b"\0")
        self.header[345:500] = data[:max(0, cut - 1)].ljust(155, b"\0")

    def bytes(self):
        self.header[124:136] = b"%011o\0" % len(self.data)
        self.header[148:156] = b" " * 8
        self.header[148:156] = b"%06o\0 " % sum(self.header)
        return bytes(self.header) + self.data + b"\0" * (-len(self.data) % BLOCK)


def read_entries(path):
    """The entries, and what follows the last one (end of archive, or nothing)."""
    with open(path, "rb") as file:
        data = file.read()
    entries, at = [], 0
    while at < len(data) and data[at] != 0:
        size = int(data[at + 124:at + 136].split(b"\0")[0], 8)
        entries.append(Entry(data[at:at + BLOCK], data[at + BLOCK:at + BLOCK + size]))
        at += BLOCK + size + -size % BLOCK
    return entries, data[at:]


def write_entries(path, entries, rest):
    with open(path, "wb") as file:
        file.write(b"".join(entry.bytes() for entry in entries) + rest)
