# SPDX-License-Identifier: Apache-2.0
"""/livez, /readyz, /metrics and Server-Timing say what they should, without a login."""
import re

from lib import Server, check, contains, equal

with Server() as server, server.connect(authorization=None) as connection:
    equal(connection.request("GET", "/livez").status, 200)
    equal(connection.request("GET", "/readyz").status, 200)
    answer = server.put("/f", b"x" * 10240)
    contains(answer.header("Server-Timing", ""), "dur=", "Server-Timing of a write")
    metrics = connection.request("GET", "/metrics")
    equal(metrics.status, 200)
    for line in metrics.text.splitlines():
        check(line == "" or line.startswith("# ") or
              re.fullmatch(r'[a-zA-Z_:][a-zA-Z0-9_:]*(\{[^{}]*\})? [-+0-9.eE]+|.* (NaN|\+Inf)', line), f"not Prometheus: {line!r}")
    check(len(metrics.text.splitlines()) > 20, "hardly any metric")
    for _ in range(3):
        contains(server.log_text(), '"')
