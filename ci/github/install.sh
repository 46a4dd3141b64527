#!/usr/bin/env bash
# Installs slosmith from this repository, unless it was restored from the cache.
set -euo pipefail
root=$RUNNER_TEMP/slosmith
if [[ ! -x $root/bin/slosmith ]]; then
  cargo install --locked --features aws --path "$GITHUB_ACTION_PATH" --root "$root"
fi
"$root/bin/slosmith" --version
echo "$root/bin" >>"$GITHUB_PATH"
