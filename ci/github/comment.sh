#!/usr/bin/env bash
# Writes the report as a comment on the pull request, in place of the one that an earlier run wrote.
# Reads GH_TOKEN, GITHUB_REPOSITORY, PULL_REQUEST and REPORT.
set -euo pipefail
comments=repos/$GITHUB_REPOSITORY/issues
own='.[] | select(.user.type == "Bot" and (.body | startswith("<!-- slosmith -->"))) | .id'
old=$(gh api --paginate "$comments/$PULL_REQUEST/comments" --jq "$own" | head -n 1)
if [[ -n $old ]]; then
  gh api --method PATCH "$comments/comments/$old" --field "body=@$REPORT" --silent
else
  gh api --method POST "$comments/$PULL_REQUEST/comments" --field "body=@$REPORT" --silent
fi
