# SPDX-License-Identifier: Apache-2.0
# not a test: what ocfl_validators.py is held against
"""A small valid OCFL 1.1 root (layout 0003) and the faults that validators must notice in it.

TABLE lists (name, the validators that must reject, a function that breaks a root at a path).
The project's own `verify` and `fsck` are held against the same table through volumes.
"""
import hashlib
import json
import os
import shutil

LAYOUT = "0003-hash-and-id-n-tuple-storage-layout"
ALL = {"rocfl", "ocfl-py", "ocfl-java"}
IDS = [f"urn:uuid:00000000-0000-8000-8000-00000000000{n}" for n in range(3)]


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def read(path):
    with open(path, "rb") as file:
        return file.read()


def object_path(root, identifier):
    digest = hashlib.sha256(identifier.encode()).hexdigest()
    encoded = "".join(c if c.isalnum() or c in "-_" else f"%{ord(c):02x}" for c in identifier)
    return os.path.join(root, digest[0:3], digest[3:6], digest[6:9], encoded)


def write_inventory(path, folder, inventory):
    data = json.dumps(inventory, ensure_ascii=False).encode()
    where = os.path.join(path, folder)
    write(os.path.join(where, "inventory.json"), data)
    write(os.path.join(where, "inventory.json.sha512"),
          hashlib.sha512(data).hexdigest() + " inventory.json\n")


def version(state):
    return {"created": "2026-01-01T00:00:00Z", "message": "test", "state": state,
            "user": {"name": "tester", "address": "urn:uuid:00000000-0000-8000-8000-0000000000ff"}}


def build_object(root, identifier, contents):
    """One version for each of contents, each replacing the file before."""
    path = object_path(root, identifier)
    write(os.path.join(path, "0=ocfl_object_1.1"), "ocfl_object_1.1\n")
    inventory = {"id": identifier, "type": "https://ocfl.io/1.1/spec/#inventory",
                 "digestAlgorithm": "sha512", "head": "", "manifest": {}, "versions": {}}
    for number, content in enumerate(contents, 1):
        digest = hashlib.sha512(content).hexdigest()
        write(os.path.join(path, f"v{number}/content/1.txt"), content)
        inventory["manifest"][digest] = [f"v{number}/content/1.txt"]
        inventory["versions"][f"v{number}"] = version({digest: ["files/Zürich – 宗谷.txt"]})
        inventory["head"] = f"v{number}"
        write_inventory(path, f"v{number}", inventory)
    write_inventory(path, "", inventory)


def build_valid(root):
    write(os.path.join(root, "0=ocfl_1.1"), "ocfl_1.1\n")
    write(os.path.join(root, "ocfl_layout.json"),
          json.dumps({"extension": LAYOUT, "description": "hashed n-tuples"}))
    write(os.path.join(root, "extensions", LAYOUT, "config.json"),
          json.dumps({"extensionName": LAYOUT, "digestAlgorithm": "sha256", "tupleSize": 3,
                      "numberOfTuples": 3}))
    build_object(root, IDS[0], [b"one"])
    build_object(root, IDS[1], [b"first", b"second"])
    build_object(root, IDS[2], [b""])


def content(root):
    return os.path.join(object_path(root, IDS[0]), "v1/content/1.txt")


def flip_content_byte(root):
    write(content(root), b"onf")


def drop_sidecar(root):
    os.unlink(os.path.join(object_path(root, IDS[0]), "inventory.json.sha512"))


def add_stray_content(root):
    write(os.path.join(object_path(root, IDS[0]), "v1/content/stray.txt"), "stray")


def drop_content(root):
    os.unlink(content(root))


def move_object(root):
    path = object_path(root, IDS[0])
    other = os.path.join(root, "aaa/bbb/ccc", os.path.basename(path))
    os.makedirs(os.path.dirname(other))
    os.rename(path, other)
    os.removedirs(os.path.dirname(path))


def add_stray_in_hierarchy(root):
    write(os.path.join(os.path.dirname(object_path(root, IDS[0])), "stray.txt"), "stray")


def let_root_inventory_differ(root):
    path = object_path(root, IDS[1])
    for name in ("inventory.json", "inventory.json.sha512"):
        shutil.copy(os.path.join(path, "v1", name), os.path.join(path, name))
    inventory = json.loads(read(os.path.join(path, "v2/inventory.json")))
    inventory["versions"]["v2"]["message"] = "another"
    write_inventory(path, "", inventory)


def add_empty_directory(root):
    os.makedirs(os.path.join(root, "ddd/eee"))


def drop_root_declaration(root):
    os.unlink(os.path.join(root, "0=ocfl_1.1"))


def rewrite_old_state(root):
    path = object_path(root, IDS[1])
    inventory = json.loads(read(os.path.join(path, "inventory.json")))
    inventory["versions"]["v1"]["state"] = inventory["versions"]["v2"]["state"]
    write_inventory(path, "v2", inventory)
    write_inventory(path, "", inventory)


def leave(root):
    pass


TABLE = [
    ("valid root", set(), leave),
    ("content byte flipped", ALL, flip_content_byte),
    ("sidecar dropped", ALL, drop_sidecar),
    ("stray file in content", ALL, add_stray_content),
    ("content file missing", ALL, drop_content),
    ("object at wrong path for the layout", {"ocfl-java"}, move_object),
    ("stray file in hierarchy", {"rocfl", "ocfl-py"}, add_stray_in_hierarchy),
    ("root inventory differs from head copy", ALL, let_root_inventory_differ),
    ("empty directory in hierarchy", {"rocfl", "ocfl-py"}, add_empty_directory),
    ("root declaration missing", ALL, drop_root_declaration),
    ("old version state rewritten in head", ALL, rewrite_old_state),
]
