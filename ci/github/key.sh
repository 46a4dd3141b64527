#!/usr/bin/env bash
# Prints a cache key of the sources and build options: a cached binary is never older than the action.
set -euo pipefail
cd "$GITHUB_ACTION_PATH"
sources=$(find ci/github/install.sh Cargo.lock Cargo.toml build.rs src templates schemas catalog -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
# A binary that was built on one runner image may not start on another.
echo "sources=${ImageOS:-any}-${sources%% *}" >>"$GITHUB_OUTPUT"
