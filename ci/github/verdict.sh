#!/usr/bin/env bash
# Fails if a check failed. Runs after the report is uploaded and the comment is written.
set -euo pipefail
[[ -z $FAILED ]] || {
  echo "failed: $FAILED" >&2
  exit 1
}
