# SPDX-License-Identifier: Apache-2.0
"""Idempotency-Key: a retry gets the first answer and makes no second item: at once, together, later, after a kill."""
from lib import equal, in_parallel
from lib.deposits import ENTRY_TYPE, METS_2, archive, entry_document, mets_package, refused

PACKAGE = mets_package()


def location(answer):
    return dict(answer.headers)["Location"]


def post_2(a, body, headers, who="anna"):
    return a.request("POST", f"/swordv2/collection/{a.open}", body, headers, who)


def one_item(a, make, about):
    """make() twice: one item, one answer."""
    before = len(a.items())
    first, second = make(), make()
    equal((first.status, second.status), (201, 201), about)
    equal((location(first), len(a.items()) - before), (location(second), 1), about)
    return first


with archive() as a:
    def key(value):
        return {"Idempotency-Key": value}

    first = one_item(a, lambda: a.deposit(PACKAGE, key('"8e03978e"')), "SWORD 1.3")
    equal(location(a.deposit(PACKAGE, key("8e03978e"))), location(first), "with or without quotes")
    one_item(a, lambda: post_2(a, PACKAGE, {"Content-Type": "application/zip", "Packaging": METS_2,
                                            "Content-Disposition": "attachment; filename=p.zip", **key("two")}), "SWORD 2")
    one_item(a, lambda: post_2(a, entry_document(), {"Content-Type": ENTRY_TYPE, "In-Progress": "true", **key("entry")}), "an entry")

    dump = a.dump()
    other = mets_package("Another")
    refused(a.deposit(other, key("8e03978e")), 422, "ErrorBadRequest", "other bytes")
    refused(a.deposit(PACKAGE, {"X-On-Behalf-Of": "mia", **key("8e03978e")}), 422, "ErrorBadRequest", "for somebody else")
    refused(a.deposit(PACKAGE, key("")), 400, "ErrorBadRequest")
    refused(a.deposit(PACKAGE, key("x" * 256)), 400, "ErrorBadRequest")
    equal(a.deposit(PACKAGE, {"X-No-Op": "true", **key("dry")}).status, 201)
    equal(a.dump(), dump)
    equal(a.deposit(other, key("dry")).status, 201, "a dry run takes no key")
    equal(a.deposit(b"no zip", key("later")).status, 400)
    equal(a.deposit(PACKAGE, key("later")).status, 201, "a refusal takes no key")

    equal(a.deposit(PACKAGE, key("mine"), who="mia").status, 201)
    before = len(a.items())
    equal(a.deposit(PACKAGE, key("mine")).status, 201)
    equal(len(a.items()) - before, 1, "a key is its sender's own")

    reviewed = a.collection("Reviewed", "--review")
    answers = [a.deposit(PACKAGE, key("8e03978e"), where=reviewed) for _ in range(2)]
    equal([answer.status for answer in answers], [202, 202], "a key is of one collection; the first status")
    equal(len({location(answer) for answer in answers}), 1)

    before = len(a.items())
    answers = in_parallel(16, lambda _: a.deposit(PACKAGE, key("together")))
    equal({(answer.status, location(answer)) for answer in answers}, {(201, location(answers[0]))})
    equal(len(a.items()) - before, 1, "16 at once")

    a.server.kill()
    a.server.start()
    equal(location(a.deposit(PACKAGE, key("together"))).split("/")[-1], location(answers[0]).split("/")[-1], "after a kill")
    a.server.kill()
    a.server.must("rebuild")
    a.server.start()
    equal(location(a.deposit(PACKAGE, key("together"))).split("/")[-1], location(answers[0]).split("/")[-1], "after a rebuild")
