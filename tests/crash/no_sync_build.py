# SPDX-License-Identifier: Apache-2.0
# full
# timeout: 600
# build: omit_sync
"""A build with every sync left out is caught by cut_to_synced.py: the test of that test."""
import os
import re
import subprocess
import sys

from lib import check

script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cut_to_synced.py")
done = subprocess.run([sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
print(done.stdout[-3000:])
check(re.search(r"acknowledged [1-9]", done.stdout), "that build did not even acknowledge anything")
check(done.returncode != 0, "a build without a single sync passed cut_to_synced.py")
