#!/usr/bin/env bash
# Makes the pages of the Python package from its docstrings, without the network: python_pages.sh PYTHON FOLDER
set -euo pipefail
python=$1
folder=$2
rm -rf "$folder"
"$python" -m pdoc --docformat google -o "$folder" experior experior.envs experior.plot experior.spaces
for page in experior.html experior/plot.html experior/envs.html; do
    [ -s "$folder/$page" ] || { echo "$page was not made" >&2; exit 1; }
done
for name in Model Session ExperiorAgent demonstrate study simulate; do
    grep -q "id=\"$name\"" "$folder/experior.html" || { echo "$name has no entry" >&2; exit 1; }
done
