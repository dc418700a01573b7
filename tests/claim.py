"""Tests as claims, in Python: functions whose names begin with claim_ run in order of appearance; one that raises
is reported and the next goes on. The last line counts them. An argument runs only claims whose name holds it."""

import sys
import traceback


def run(module):
    passed = failed = 0
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    for name, claim in list(vars(module).items()):
        if not name.startswith("claim_") or part not in name:
            continue
        try:
            claim()
            passed += 1
        except Exception:
            traceback.print_exc(file=sys.stdout)
            print(f"FAILED {name.removeprefix('claim_')}", flush=True)
            failed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
