#!/usr/bin/env bash
# Writes the report as a comment on the pull request. Replaces the comment of an earlier run.
# Reads GH_TOKEN, GITHUB_REPOSITORY, PULL_REQUEST and REPORT.
set -euo pipefail

# Pull requests from forks and from Dependabot have a read-only token: then the checks run without a comment.
give_up() {
  echo "::warning::cannot write the comment; give the job the permission \`pull-requests: write\`"
  exit 0
}

comments=repos/$GITHUB_REPOSITORY/issues
# A comment of another author with the same first line stays: only its author can change it.
own='.[] | select(.body | startswith("<!-- slosmith -->")) | .id'
old=$(gh api --paginate "$comments/$PULL_REQUEST/comments" --jq "$own") || give_up
old=$(head -n 1 <<<"$old")
if [[ -n $old ]] && gh api --method PATCH "$comments/comments/$old" --field "body=@$REPORT" --silent; then
  exit 0
fi
gh api --method POST "$comments/$PULL_REQUEST/comments" --field "body=@$REPORT" --silent || give_up
