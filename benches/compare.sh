#!/usr/bin/env bash
# Builds many services with the release binary, and compares with `cp -r` of the same output.
# usage: benches/compare.sh [SERVICES]     (default 1000)
set -euo pipefail
export LC_ALL=C # numbers with a point

services=${1:-1000}
root=$(cd "$(dirname "$0")/.." && pwd)
binary=${SLOSMITH_BINARY:-$root/target/release/slosmith}
if [[ ! -x $binary ]]; then
  cargo build --release --manifest-path "$root/Cargo.toml"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/specs"
for ((i = 0; i < services; i++)); do
  sed "s/name: five,/name: five-$i,/" "$root/benches/five.yaml" >"$work/specs/five-$i.yaml"
done

. "$root/benches/measure.sh"

rows=()
row() { rows+=("$1|$ms|$kib|$2"); }
fresh() { rm -rf "$work/out"; }
fresh_copy() { rm -rf "$work/copy"; }
edit() {
  # Three different texts, so that each run has one spec to build anew.
  edited=$((${edited:-0} + 1))
  sed -i "s/title: .*, owner/title: Edited $edited, owner/" "$work/specs/five-0.yaml"
  stamp=$work/stamp
  touch "$stamp"
}
build=("$binary" build "$work/specs" --out "$work/out")

median fresh "${build[@]}"
files=$(find "$work/out" -type f | wc -l)
bytes=$(find "$work/out" -type f -printf '%s\n' | awk '{n += $1} END {print n}')
row "build, nothing there" "$files"
median : "${build[@]}"
row "build, nothing changed" 0
median edit "${build[@]}"
row "build, one spec changed" "$(find "$work/out" -type f -newer "$stamp" | wc -l)"
median : "${build[@]}" --check
row "build --check" 0
median fresh_copy cp -r "$work/out" "$work/copy"
row "cp -r" "$files"
base=$ms

echo "$services services, $files files, $bytes bytes"
echo
printf '%-26s %10s %8s %12s %14s\n' "" ms "÷ cp -r" "peak MiB" "files written"
for r in "${rows[@]}"; do
  IFS='|' read -r name ms kib written <<<"$r"
  awk -v n="$name" -v t="$ms" -v b="$base" -v k="$kib" -v w="$written" \
    'BEGIN {printf "%-26s %10d %8.2f %12.1f %14d\n", n, t, t / b, k / 1024, w}'
done
