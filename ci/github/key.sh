#!/usr/bin/env bash
# Prints what the installed program depends on, so that a cached one is never older than the action.
set -euo pipefail
cd "$GITHUB_ACTION_PATH"
sources=$(find Cargo.lock Cargo.toml build.rs src templates schemas catalog -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
# A program of one image may not start on another.
echo "sources=${ImageOS:-any}-${sources%% *}" >>"$GITHUB_OUTPUT"
