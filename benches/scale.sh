#!/usr/bin/env bash
# Builds 1 to 10,000 services with the release binary: from nothing, with nothing changed, with one spec
# changed, and under --check, beside `cp -r` of the same output. Prints tab-separated values for plot.py.
# usage: benches/scale.sh [SPEC [SERVICES...]] >benches/results/scale.tsv
#   SPEC is one.yaml unless given; its service name is replaced. 10,000 copies of it need 1 GB.
set -euo pipefail

. "$(dirname "$0")/measure.sh"
spec=${1:-$root/benches/one.yaml}
sizes=("${@:2}")
[[ ${#sizes[@]} -gt 0 ]] || sizes=(1 10 100 1000 10000)

# row TASK PREPARE COMMAND...
row() {
  local measured
  measured=$(measure "${@:2}")
  printf '%s\t%s\t%s\t%s\t%s\n' "$n" "$files" "$bytes" "$1" "$measured"
}
fresh() { rm -rf "$work/out"; }
fresh_copy() { rm -rf "$work/copy"; }
edit() {
  # A new title each time, so that each run has one spec to build anew.
  edited=$((${edited:-0} + 1))
  sed -i "s/title: [^,]*/title: Edited $edited/" "$work/specs/1.yaml"
}

printf 'services\tfiles\tbytes\ttask\tmin_ms\tmedian_ms\tmax_ms\tuser_ms\tsys_ms\tpeak_kib\n'
for n in "${sizes[@]}"; do
  rm -rf "$work/specs" "$work/out" "$work/copy"
  mkdir "$work/specs"
  for ((i = 1; i <= n; i++)); do
    sed -E "0,/name: [^,}]*/s//name: svc-$i/" "$spec" >"$work/specs/$i.yaml"
  done
  build=("$binary" build "$work/specs" --out "$work/out")
  "${build[@]}" 2>/dev/null
  files=$(find "$work/out" -type f | wc -l)
  bytes=$(find "$work/out" -type f -printf '%s\n' | awk '{n += $1} END {print n}')
  row cold fresh "${build[@]}"
  row unchanged : "${build[@]}"
  row one-changed edit "${build[@]}"
  row check : "${build[@]}" --check
  row cp fresh_copy cp -r "$work/out" "$work/copy"
done
