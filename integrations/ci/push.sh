#!/bin/sh
# Publishes the memory of a commit to a hub.
#
#   push.sh [REVISION]
#
# Run it in a clone, after the merge into the branch that counts. MEMDOWN_HUB is the address of the hub, MEMDOWN_HUB_TOKEN
# a token that may write (with a server, or where the role that logs in has no right), MEMDOWN_HUB_PROJECT what the project is
# called there (default: as git's origin), MEMDOWN how memdown is called (default: memdown): the path of a program, or a
# command line as a shell reads it. Exit codes are those of `memdown push`.
set -eu

command=${MEMDOWN:-memdown}

memdown() {
  if [ -f "$command" ] && [ -x "$command" ]; then "$command" "$@"; else eval "$command \"\$@\""; fi
}

if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
  git fetch --quiet --unshallow # the history says which of two commits is the newer one
fi
commit=$(git rev-parse --verify --end-of-options "${1:-HEAD}^{commit}")
if [ -n "${MEMDOWN_HUB_PROJECT:-}" ]; then
  memdown push --commit "$commit" --as "$MEMDOWN_HUB_PROJECT"
else
  memdown push --commit "$commit"
fi
