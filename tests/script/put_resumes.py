# SPDX-License-Identifier: Apache-2.0
"""put -r with --journal goes on after it was interrupted, with several jobs, and stores everything once."""
import json
import os
import signal
import subprocess
import time

from lib import Server, equal, program, run_program

COUNT = 3000

with Server() as server:
    source = os.path.join(server.folder, "source")
    for number in range(COUNT):
        os.makedirs(f"{source}/{number % 30}", exist_ok=True)
        with open(f"{source}/{number % 30}/{number}", "w") as file:
            file.write(f"file {number}\n")
    command = [program(), "--data", server.data, "put", "--jobs", "4", "--journal",
               os.path.join(server.folder, "put.journal"), "-r", source, "/tree"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    done = run_program(command)
    equal(done.status, 0, f"the second try: {done.error_text}")
    out = os.path.join(server.folder, "out")
    server.must("get", "-r", "/tree", out)
    equal(subprocess.run(["diff", "-r", source, out]).returncode, 0)
    stat = json.loads(server.must("--json", "stat", "/tree/0/0").text)
    equal(stat["version"], 1, "stored once")
