# What the benchmarks share: the release binary, a temporary folder, and how long commands take and how much memory.
# `$SLOSMITH_BINARY` names another binary, `$RUNS` says how often each command runs.
# shellcheck shell=bash
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
binary=${SLOSMITH_BINARY:-$root/target/dist/slosmith}
[[ -x $binary ]] || cargo build --profile dist --manifest-path "$root/Cargo.toml"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C # numbers with a point
RUNS=${RUNS:-5}

if [[ ! -x /usr/bin/time ]]; then
  echo "needs /usr/bin/time (Debian: apt-get install time)" >&2
  exit 2
fi

# groups COPIES TEMPLATE: its groups once for each of so many services. A name of a series takes no hyphen.
groups() {
  awk -v n="$1" '/^groups:|^#/ {next} {line[++lines] = $0}
    END {for (i = 0; i < n; i++) for (l = 1; l <= lines; l++) {
      text = line[l]; gsub(/SERVICE:/, "service" i ":", text); gsub(/SERVICE/, "service-" i, text); print text}}' "$2"
}

# measure PREPARE COMMAND...: one line of tab-separated numbers: elapsed ms (least, median, most),
# user ms and system ms (medians), peak KiB (most). PREPARE runs before each run and is not measured.
# A command may end with 1, because it found something; anything else ends the script.
measure() {
  local prepare=$1 from to status
  shift
  : >"$work/runs"
  for ((run = 0; run < RUNS; run++)); do
    $prepare
    sync # what earlier runs wrote is no business of this one
    from=$EPOCHREALTIME
    /usr/bin/time -f '%U %S %M' -o "$work/time" "$@" >"$work/out.txt" 2>"$work/err.txt" && status=0 || status=$?
    to=$EPOCHREALTIME
    if ((status > 1)); then
      echo "$* ended with $status:" >&2
      tail -n 5 "$work/err.txt" >&2
      return 2
    fi
    echo "$from $to $(tail -n 1 "$work/time")" >>"$work/runs"
  done
  awk -v OFS='\t' '
    {w[NR] = ($2 - $1) * 1000; u[NR] = $3 * 1000; s[NR] = $4 * 1000; if ($5 > k) k = $5}
    function sorted(a, n,   i, j, t) {
      for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j] < a[j - 1]; j--) {t = a[j]; a[j] = a[j - 1]; a[j - 1] = t}
    }
    END {
      sorted(w, NR); sorted(u, NR); sorted(s, NR); m = int((NR + 1) / 2)
      printf "%.1f\t%.1f\t%.1f\t%.0f\t%.0f\t%d\n", w[1], w[m], w[NR], u[m], s[m], k
    }' "$work/runs"
}
