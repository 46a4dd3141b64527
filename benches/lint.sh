#!/usr/bin/env bash
# Judges 17,000 rules, half as sloth writes them and half as teams that run vLLM do, on one core, beside `promtool check rules`.
# Prints tab-separated values: elapsed ms (least, median, most), user and system ms, peak KiB.
# usage: benches/lint.sh [COPIES]     (default 500 of each file, of 17 rules)
set -euo pipefail

copies=${1:-500}
root=$(cd "$(dirname "$0")/.." && pwd)
binary=${SLOSMITH_BINARY:-$root/target/release/slosmith}
[[ -x $binary ]] || cargo build --release --manifest-path "$root/Cargo.toml"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$root/benches/measure.sh"

# rules TEMPLATE: its groups once for each copy. A name of a series takes no hyphen.
rules() {
  awk -v n="$copies" '/^groups:|^#/ {next} {line[++lines] = $0}
    END {for (i = 0; i < n; i++) for (l = 1; l <= lines; l++) {
      text = line[l]; gsub(/SERVICE:/, "service" i ":", text); gsub(/SERVICE/, "service-" i, text); print text}}' "$1"
}
{
  echo "groups:"
  rules "$root/benches/sloth.yaml"
  rules "$root/benches/vllm.yaml"
} >"$work/rules.yaml"

printf 'tool\tmin_ms\tmedian_ms\tmax_ms\tuser_ms\tsys_ms\tpeak_kib\n'
printf 'slosmith\t%s\n' "$(measure : taskset -c 0 "$binary" lint "$work/rules.yaml")"
printf 'promtool\t%s\n' "$(measure : taskset -c 0 "${PROMTOOL:-promtool}" check rules "$work/rules.yaml")"
