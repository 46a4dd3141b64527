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

# Runs a command; sets `ms` (elapsed) and `kib` (peak memory).
measure() {
  local from to
  if [[ -x /usr/bin/time ]]; then
    from=$EPOCHREALTIME
    /usr/bin/time -f %M -o "$work/peak" "$@" >/dev/null 2>"$work/said"
    to=$EPOCHREALTIME
    kib=$(tail -n 1 "$work/peak")
  else
    # The kernel remembers the peak until the process is gone: look often.
    from=$EPOCHREALTIME
    "$@" >/dev/null 2>"$work/said" &
    local pid=$! seen
    kib=0
    while seen=$(awk '/^VmHWM/ {print $2}' "/proc/$pid/status" 2>/dev/null) && [[ -n $seen ]]; do
      kib=$seen
      sleep 0.01
    done
    wait "$pid"
    to=$EPOCHREALTIME
  fi
  ms=$(awk -v a="$from" -v b="$to" 'BEGIN {printf "%.0f", (b - a) * 1000}')
}

# The middle of three runs; `$1` prepares each.
median() {
  local prepare=$1 times=() peaks=()
  shift
  for _ in 1 2 3; do
    $prepare
    sync # what earlier runs wrote is no business of this one
    measure "$@"
    times+=("$ms") peaks+=("$kib")
  done
  ms=$(printf '%s\n' "${times[@]}" | sort -n | sed -n 2p)
  kib=$(printf '%s\n' "${peaks[@]}" | sort -n | tail -n 1)
}

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
