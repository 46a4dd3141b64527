#!/usr/bin/env bash
# Runs all checks, also after a failure, and writes their results to one report.
# Reads LINT, DRIFT_FROM, DRIFT_TO, CLOUDWATCH, PROMETHEUS and HTTP_CONFIG; sets the outputs report, sarif and failed.
set -uo pipefail
folder=$RUNNER_TEMP/slosmith-report
mkdir -p "$folder"
rm -f "$folder"/*
report=$folder/report.md
sarif=$folder/slosmith.sarif
failed=""
# comment.sh finds the comment by its first line.
printf '<!-- slosmith -->\n## slosmith\n' >"$report"

# section TITLE FILE LANGUAGE: adds a file, cut to a size that fits into a comment.
section() {
  printf '\n<details><summary>%s</summary>\n\n~~~~~~%s\n' "$1" "$3" >>"$report"
  head -c 15000 "$2" >>"$report"
  (($(wc -c <"$2") > 15000)) && printf '\n... (cut; see the job log for the full text)' >>"$report"
  printf '\n~~~~~~\n\n</details>\n' >>"$report"
}

# rendered TITLE FILE: the same for Markdown, which the comment shows as such.
rendered() {
  printf '\n<details><summary>%s</summary>\n\n' "$1" >>"$report"
  head -c 15000 "$2" >>"$report"
  (($(wc -c <"$2") > 15000)) && printf '\n... (cut; see the job log for the full text)' >>"$report"
  printf '\n\n</details>\n' >>"$report"
}

line() { printf '\n- %s' "$1" >>"$report"; }

slosmith build --check >"$folder/build.txt" 2>&1
code=$?
cat "$folder/build.txt"
case $code in
  0) line "✅ generated files are up to date" ;;
  1) line "❌ generated files are out of date: run \`slosmith build\` and commit the result" ;;
  *) line "❌ the specs have errors" ;;
esac
if ((code != 0)); then
  failed+=" build"
  # The log has the diff.
  ((code == 1)) && slosmith build --check --summary >"$folder/build.txt" 2>/dev/null
  section "slosmith build --check" "$folder/build.txt" text
fi

# The commit that a pull request is merged into is there if the checkout has two commits.
if git rev-parse --quiet --verify HEAD^1 >/dev/null && slosmith diff HEAD^1 --format markdown >"$folder/diff.md"; then
  cat "$folder/diff.md"
  if ! grep --quiet '^### slosmith: no change' "$folder/diff.md"; then
    line "ℹ️ SLOs, alerts or dashboards change: see below"
    rendered "slosmith diff" "$folder/diff.md"
  fi
fi

# Paths are separated by spaces; the shell expands globs.
# shellcheck disable=SC2086
slosmith lint $LINT --format sarif --out "$sarif"
# shellcheck disable=SC2086
slosmith lint $LINT --format concise >"$folder/lint.txt" 2>&1
code=$?
cat "$folder/lint.txt"
case $code in
  0) line "✅ no errors in rules, dashboards and specs" ;;
  1) line "❌ errors in rules, dashboards or specs" ;;
  *) line "❌ some files could not be checked" ;;
esac
if ((code != 0)); then
  failed+=" lint"
  section "slosmith lint" "$folder/lint.txt" text
fi

if [[ -n $DRIFT_FROM && -n $DRIFT_TO ]]; then
  # shellcheck disable=SC2086
  slosmith drift --from "$DRIFT_FROM" --to "$DRIFT_TO" --format markdown $LINT >"$folder/drift.md"
  code=$?
  case $code in
    0) line "✅ the upgrade from vLLM $DRIFT_FROM to $DRIFT_TO breaks no queries" ;;
    1) line "⚠️ the upgrade from vLLM $DRIFT_FROM to $DRIFT_TO breaks queries" ;;
    *) line "❌ the upgrade from vLLM $DRIFT_FROM to $DRIFT_TO could not be checked" && failed+=" drift" ;;
  esac
  ((code == 1)) && section "slosmith drift" "$folder/drift.md" markdown
fi

if [[ $CLOUDWATCH == true ]]; then
  slosmith cloudwatch plan >"$folder/plan.txt" 2>&1
  code=$?
  cat "$folder/plan.txt"
  case $code in
    0) line "✅ CloudWatch matches the specs" ;;
    1) line "ℹ️ CloudWatch differs from the specs: \`slosmith cloudwatch apply\` would change it" ;;
    *) line "❌ CloudWatch could not be compared with the specs" && failed+=" cloudwatch" ;;
  esac
  ((code != 0)) && section "slosmith cloudwatch plan" "$folder/plan.txt" text
fi

if [[ -n $PROMETHEUS ]]; then
  options=(--prometheus "$PROMETHEUS" --format markdown)
  [[ -z $HTTP_CONFIG ]] || options+=(--http-config "$HTTP_CONFIG")
  if git rev-parse --quiet --verify HEAD^1 >/dev/null; then options+=(--against HEAD^1); fi
  if slosmith backtest "${options[@]}" >"$folder/backtest.md"; then
    cat "$folder/backtest.md"
    line "ℹ️ what the alerts would have done in the last 28 days: see below"
    rendered "slosmith backtest" "$folder/backtest.md"
  else
    line "⚠️ no backtest: the job log has the reason"
  fi
fi
echo >>"$report"

# There may be no findings to upload, for example after a path that does not exist.
[[ -s $sarif ]] || sarif=""

{
  echo "report=$report"
  echo "sarif=$sarif"
  echo "failed=${failed# }"
} >>"$GITHUB_OUTPUT"
