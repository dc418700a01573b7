#!/usr/bin/env bash
# Makes sure that what some purposes need is there: install_packages.sh build test …
#
# Each need is a Debian package and a probe. What the probe finds is left alone, wherever it came from, so that
# nothing happens (and no network is touched) when all is there. What is missing is installed with apt-get, as
# root or through sudo; where that cannot be done, the script says what to install and fails.
set -euo pipefail

has_command() { command -v "$1" >/dev/null 2>&1; }
has_module() { has_command pkg-config && pkg-config --exists "$1" 2>/dev/null; }
has_file() { [ -e "$1" ]; }
has_header() { has_command gcc && echo "#include <$1>" | gcc -E -x c - >/dev/null 2>&1; }
has_venv() { has_command "$1" && "$1" -c 'import ensurepip, venv' >/dev/null 2>&1; }
has_server() { # Debian keeps the programs of each version in a folder of their own
    has_command "$1" || compgen -G "/usr/lib/postgresql/*/bin/$1" >/dev/null
}
has_python_header() {
    has_command python3 && [ -e "$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')/$1" ]
}
has_runtime() { # the sanitizer and fuzzer runtimes of clang
    has_command clang && compgen -G "$(clang -print-runtime-dir 2>/dev/null || true)/libclang_rt.fuzzer*" >/dev/null ||
        { has_command clang && compgen -G "$(clang -print-resource-dir)/lib/linux/libclang_rt.fuzzer*" >/dev/null; }
}

# package, probe, the probe's argument
needs() {
    case $1 in
    build)
        echo "gcc command gcc"
        echo "libc6-dev header stdio.h"
        echo "cmake command cmake"
        echo "ninja-build command ninja"
        echo "pkg-config command pkg-config"
        echo "libjansson-dev module jansson"
        echo "libsqlite3-dev module sqlite3"
        echo "zlib1g-dev module zlib"
        echo "libhdf5-dev module hdf5"
        echo "libmicrohttpd-dev module libmicrohttpd"
        echo "libssl-dev module libcrypto"
        echo "libpq-dev module libpq"
        echo "librandom123-dev header Random123/philox.h"
        echo "gnuplot-nox command gnuplot"
        ;;
    test)
        echo "libgsl-dev module gsl"
        echo "g++ command g++"
        echo "locales file /usr/share/i18n/locales/de_DE"
        echo "curl command curl"
        needs python
        needs package
        ;;
    bench)
        echo "wrk command wrk"
        needs database
        needs python
        ;;
    mpi) # studies over several processes; tests skip what needs it
        echo "openmpi-bin command mpirun"
        echo "libopenmpi-dev command mpicc"
        ;;
    python) echo "python3 command python3" ;;
    environment) echo "python3-venv venv python3" ;; # for what comes from PyPI
    package) # of Python: headers for the extension module, virtual environments
        echo "python3-dev python_header Python.h"
        needs environment
        ;;
    # These two are large: not for every `make test`, which skips what needs them.
    database) echo "postgresql server postgres" ;;
    browser) echo "chromium command chromium" ;;
    clang) echo "clang command clang" ;;
    format) echo "clang-format command clang-format" ;;
    lint) echo "clang-tidy command clang-tidy" ;;
    fuzz)
        needs clang
        echo "libclang-rt-dev runtime clang"
        ;;
    coverage) echo "gcovr command gcovr" ;;
    all)
        for purpose in build test database mpi browser clang format lint fuzz coverage; do
            needs "$purpose"
        done
        ;;
    *)
        echo "install_packages.sh: unknown purpose '$1' (build test database mpi browser python environment package clang format lint fuzz coverage all)" >&2
        return 1
        ;;
    esac
}

wanted=$(for purpose in "$@"; do needs "$purpose" || exit 1; done | sort -u)
find_missing() {
    missing=()
    while read -r package probe argument; do
        if [ -n "$package" ] && ! "has_$probe" "$argument"; then
            missing+=("$package")
        fi
    done <<<"$wanted"
}

find_missing
[ ${#missing[@]} -gt 0 ] || exit 0

say_what_to_install() {
    {
        echo "$1"
        if has_command apt-get; then
            echo "Install these packages and try again:"
            echo "    sudo apt-get install --no-install-recommends ${missing[*]}"
        else
            echo "Install what these Debian packages hold, under the names your system has for them, and try again:"
            echo "    ${missing[*]}"
        fi
    } >&2
    exit 1
}

has_command apt-get || say_what_to_install "Some tools or libraries are missing."
if [ "$(id -u)" = 0 ]; then
    root=()
elif has_command sudo && sudo -n true 2>/dev/null; then
    root=(sudo -n)
elif has_command sudo && [ -t 0 ] && [ -t 2 ]; then
    root=(sudo)
else
    say_what_to_install "Some packages are missing, and installing them needs root."
fi

echo "installing: ${missing[*]}"
apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
# A list that cannot be refreshed (an unreachable extra source) need not stop the installation.
"${apt[@]}" update || echo "apt-get update failed; trying with the package lists as they are" >&2
"${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null ||
    say_what_to_install "apt-get could not install everything."
hash -r
find_missing
[ ${#missing[@]} -eq 0 ] || say_what_to_install "Packages are installed, but their contents are not found."
