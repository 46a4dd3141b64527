#!/usr/bin/env bash
# slosmith beside other tools on the same work: rules of one objective each for many services (sloth, slokit),
# and judging rules (promtool, pint). Tools that are not installed are named and left out.
# Prints tab-separated values for plot.py.
# usage: benches/compare.sh [SERVICES] >benches/results/compare.tsv     (default 1000)
set -euo pipefail

services=${1:-1000}
. "$(dirname "$0")/measure.sh"

copies() { # TEMPLATE FOLDER
  mkdir "$2"
  for ((i = 0; i < services; i++)); do sed "s/SERVICE/service-$i/" "$1" >"$2/$i.yaml"; done
}
copies "$root/benches/one.yaml" "$work/specs"
copies "$root/benches/one.sloth.yaml" "$work/sloth"
{
  echo "groups:"
  groups "$services" "$root/benches/sloth.yaml"
} >"$work/large.yaml"
sed 's/SERVICE/service/' "$root/benches/sloth.yaml" >"$work/small.yaml"

fresh() {
  rm -rf "$work/out"
  mkdir "$work/out"
}
# run WORK TOOL PREPARE COMMAND...: a row, unless the command is not installed.
run() {
  local what=$1 tool=$2 measured
  if ! command -v "$4" >/dev/null; then
    echo "left out: $tool is not installed" >&2
    return
  fi
  measured=$(measure "${@:3}")
  printf '%s\t%s\t%s\n' "$what" "$tool" "$measured"
}
rules=("$binary" build "$work/specs" --out "$work/out" --target prometheus)

printf 'work\ttool\tmin_ms\tmedian_ms\tmax_ms\tuser_ms\tsys_ms\tpeak_kib\n'
run generate slosmith fresh "${rules[@]}" --no-tests
run generate "slosmith with unit tests" fresh "${rules[@]}"
run generate sloth fresh "${SLOTH:-sloth}" generate --no-log -i "$work/sloth" -o "$work/out"
run generate slokit fresh "${SLOKIT:-slokit}" generate -i "$work/sloth" -o "$work/out/rules.yaml"
for size in large small; do
  run "lint-$size" slosmith : "$binary" lint "$work/$size.yaml"
  run "lint-$size" promtool : "${PROMTOOL:-promtool}" check rules "$work/$size.yaml"
  run "lint-$size" pint : "${PINT:-pint}" --offline lint "$work/$size.yaml"
done
