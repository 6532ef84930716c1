# Sourced by the scripts beside it: goes to the checkout and makes .venv there if it is missing or stale.
# Afterwards $python is the interpreter of .venv.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

step() { printf '%s\n' "== $*" >&2; }
fail() { printf '%s\n' "$*" >&2; exit 1; }

# The first Python of at least 3.11 that can make environments.
find_python() {
  local name
  for name in ${PYTHON:+"$PYTHON"} python3.11 python3 python python3.12 python3.13 python3.14; do
    if "$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      printf '%s\n' "$name"
      return
    fi
  done
  fail "Python 3.11 or newer with its venv module is needed (on Debian: apt install python3-venv). PYTHON=/path/to/python names another one."
}

# What an environment depends on: the project file, this place, and the interpreter in it.
stamp() {
  "$python" -c 'import hashlib, os, sys
told = open("pyproject.toml", "rb").read() + f"{os.getcwd()} {sys.version}".encode()
print(hashlib.sha256(told).hexdigest())'
}

# pip in .venv; its words are shown only when it fails.
install() {
  local words
  if ! words=$("$python" -m pip --disable-pip-version-check --no-input --quiet install "$@" 2>&1); then
    printf '%s\n' "$words" >&2
    fail "The packages could not be installed; is the network there?"
  fi
}

python=.venv/bin/python
if ! "$python" -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  found=$(find_python)
  step "Making .venv with $("$found" --version)"
  "$found" -m venv --clear .venv
fi
if [ "$(cat .venv/stamp 2>/dev/null || true)" != "$(stamp)" ]; then
  step "Installing what pyproject.toml asks for"
  install --upgrade 'pip>=25.1' # the first that knows --group
  install --editable . --group dev
  stamp >.venv/stamp
fi
