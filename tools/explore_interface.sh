#!/usr/bin/env bash
# Runs tests/serve/explore.py with schemathesis in an environment of its own, on every store that is there.
#     explore_interface.sh BUILD_DIRECTORY [EXAMPLES]
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
place=$build/schemathesis
if [ ! -x "$place/bin/schemathesis" ]; then
    python3 -m venv "$place"
    "$place/bin/pip" install -q schemathesis==4.32.5
fi
stores=(sqlite)
! compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || stores+=(postgresql)
for store in "${stores[@]}"; do
    XP_STORE=$store XP_BINARY_DIR=$build python3 -B tests/serve/explore.py --program "$PWD/$place/bin/schemathesis" \
        --examples "${2:-50}"
done
