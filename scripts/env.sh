# Sourced by ./memdown and ./test: makes the private environment in .venv once, and again when
# pyproject.toml changes. Usage: prepare NAME REQUIREMENT (a stamp's name, and what pip installs).
# Whoever sources it sets script to its own path. MEMDOWN_VENV names another folder beside .venv, PYTHON another
# interpreter.

here=$(CDPATH= cd -- "$(dirname -- "$script")" && pwd)
venv=$here/${MEMDOWN_VENV:-.venv}

# pip and the environment's own scripts read paths of this checkout; without a locale they would take them for ASCII.
export PYTHONUTF8=1
# Thousands of short processes are started by tests and proofs: compiling the same files in each takes most of the time.
unset PYTHONDONTWRITEBYTECODE

find_python() {
    for candidate in "${PYTHON:-python3}" python3 python python3.14 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    echo "memdown: Python 3.11 or newer is needed and none was found; set PYTHON to its path." >&2
    return 1
}

prepare() {
    stamp=$venv/.installed-$1
    if [ -x "$venv/bin/python" ] && cmp -s "$stamp" "$here/pyproject.toml"; then
        return 0
    fi
    # Whoever may not write here uses what the owner set up, or nothing: it is not ours to make anew.
    place=$venv
    [ -e "$place" ] || place=$here
    if [ ! -w "$place" ]; then
        echo "memdown: $venv is not set up for you and belongs to another user; install memdown with \`pipx install $here\`." >&2
        return 1
    fi
    echo "memdown: setting up ${venv##*/} (once)" >&2
    if ! "$venv/bin/python" -c pass 2>/dev/null; then
        python=$(find_python) || return 1
        "$python" -m venv --clear "$venv" || {
            echo "memdown: $python cannot make a virtual environment; on Debian or Ubuntu: apt install python3-venv." >&2
            return 1
        }
    fi
    install_packages "$1" "$here$2" || {
        echo "memdown: the installation failed; pip says why above." >&2
        return 1
    }
    # Python 3.11 reads path files in the locale's encoding even in UTF-8 mode: a relative path is ASCII wherever this is.
    for path_file in "$venv"/lib/python3.*/site-packages/*memdown*.pth; do
        printf '%s\n' ../../../../src >"$path_file"
    done
    cp "$here/pyproject.toml" "$stamp"
}

# install_packages NAME REQUIREMENT: uv takes a tenth of pip's time for the eighty packages of the tests; where it cannot be had, or
# does not reach the index that pip is set up for, pip does it. What is never loaded is not compiled.
install_packages() {
    if [ "$1" = test ] && "$venv/bin/python" -m pip install --quiet --disable-pip-version-check uv >&2 2>/dev/null; then
        "$venv/bin/python" -m uv pip install --quiet --python "$venv/bin/python" --editable "$2" >&2 2>/dev/null && return 0
    fi
    lazily=
    [ "$1" != test ] || lazily=--no-compile
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check $lazily --editable "$2" >&2
}
