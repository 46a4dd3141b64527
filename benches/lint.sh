#!/usr/bin/env bash
# Lints rules as sloth writes them, 17 for each service, against promtool on the same file.
# usage: benches/lint.sh [SERVICES]     (default 1000)
set -euo pipefail
export LC_ALL=C # numbers with a point

services=${1:-1000}
root=$(cd "$(dirname "$0")/.." && pwd)
binary=${SLOSMITH_BINARY:-$root/target/release/slosmith}
promtool=${PROMTOOL:-promtool}
if [[ ! -x $binary ]]; then
  cargo build --release --manifest-path "$root/Cargo.toml"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$root/benches/measure.sh"

echo "groups:" >"$work/large.yaml"
# One sed for all: the word is replaced by a number that awk counts.
awk -v n="$services" '/^groups:|^#/ {next} {line[++lines] = $0}
  END {for (i = 0; i < n; i++) for (l = 1; l <= lines; l++) {
    text = line[l]; gsub(/SERVICE/, "service-" i, text); print text}}' \
  "$root/benches/sloth.yaml" >>"$work/large.yaml"
sed 's/SERVICE/service/' "$root/benches/sloth.yaml" >"$work/small.yaml"

printf '%-34s %10s %8s %12s\n' "" ms "÷ lint" "peak MiB"
for file in large small; do
  path=$work/$file.yaml
  echo "$(grep -cE '(record|alert): ' "$path") rules, $(stat -c %s "$path") bytes"
  median : "$binary" lint "$path"
  base=$ms
  for name in "slosmith lint" "promtool check rules"; do
    if [[ $name == promtool* ]]; then
      median : "$promtool" check rules "$path"
    fi
    awk -v n="  $name" -v t="$ms" -v b="$base" -v k="$kib" \
      'BEGIN {printf "%-34s %10.1f %8.2f %12.1f\n", n, t, t / b, k / 1024}'
  done
done
"$promtool" --version 2>&1 | head -n 1
