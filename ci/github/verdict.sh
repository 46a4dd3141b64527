#!/usr/bin/env bash
# Fails if a check failed; the report is uploaded and written by then.
set -euo pipefail
[[ -z $FAILED ]] || {
  echo "failed: $FAILED" >&2
  exit 1
}
