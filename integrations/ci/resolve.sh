#!/bin/sh
# Merges the base of a pull request into its branch where only memory files conflict, and pushes the merge.
#
#   resolve.sh BASE BRANCH [REMOTE]
#
# Run it in a clone with the history of both. MEMDOWN is how memdown is called (default: memdown): the path of a program,
# or a command line as a shell reads it. What was merged how goes to standard output as Markdown, for a comment. Exit
# codes: 0 merged and pushed, or nothing to do; 1 something else conflicts too, so that nothing was changed; 2 wrong
# usage; more when git or memdown failed.
set -eu

if [ $# -lt 2 ]; then
  echo "usage: resolve.sh BASE BRANCH [REMOTE]" >&2
  exit 2
fi
base=$1 branch=$2 remote=${3:-origin} command=${MEMDOWN:-memdown}

memdown() {
  if [ -f "$command" ] && [ -x "$command" ]; then "$command" "$@"; else eval "$command \"\$@\""; fi
}

git fetch --quiet "$remote" "+refs/heads/$base:refs/remotes/$remote/$base" "+refs/heads/$branch:refs/remotes/$remote/$branch"
git checkout --quiet --detach "refs/remotes/$remote/$branch"

report=$(mktemp)
trap 'rm -f "$report"' EXIT
if git merge --no-edit --no-verify "refs/remotes/$remote/$base" >/dev/null 2>"$report"; then
  if [ ! -s "$report" ]; then # nothing was left to memdown, so a hosting service can merge it, too
    git checkout --quiet --detach "refs/remotes/$remote/$branch"
    echo "Nothing conflicts with \`$base\`."
    exit 0
  fi
else
  memdown resolve --keep-both >>"$report" || test $? -eq 1
  left=$(git diff --name-only --diff-filter=U)
  if [ -n "$left" ]; then
    git merge --abort
    echo "Not merged with \`$base\`: these need a person."
    echo
    echo "$left" | sed 's/.*/- `&`/'
    exit 1
  fi
  git commit --quiet --no-edit --no-verify
fi
git push --quiet "$remote" "HEAD:refs/heads/$branch"

echo "Merged \`$base\` into \`$branch\`: only memory files were in conflict, and each was merged entry by entry."
echo
echo '```text'
cat "$report"
echo '```'
