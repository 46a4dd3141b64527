# How long commands take, and how much memory; `$work` is a temporary folder.
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
  ms=$(awk -v a="$from" -v b="$to" 'BEGIN {printf "%.1f", (b - a) * 1000}')
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
