#!/usr/bin/env bash
# Judges 17,000 rules, half as sloth writes them and half as teams that run vLLM do, on one core, beside `promtool check rules`.
# Prints tab-separated values: elapsed ms (least, median, most), user and system ms, peak KiB.
# usage: benches/lint.sh [COPIES]     (default 500 of each file, of 17 rules)
set -euo pipefail

copies=${1:-500}
. "$(dirname "$0")/measure.sh"

{
  echo "groups:"
  groups "$copies" "$root/benches/sloth.yaml"
  groups "$copies" "$root/benches/vllm.yaml"
} >"$work/rules.yaml"

printf 'tool\tmin_ms\tmedian_ms\tmax_ms\tuser_ms\tsys_ms\tpeak_kib\n'
printf 'slosmith\t%s\n' "$(measure : taskset -c 0 "$binary" lint "$work/rules.yaml")"
printf 'promtool\t%s\n' "$(measure : taskset -c 0 "${PROMTOOL:-promtool}" check rules "$work/rules.yaml")"
