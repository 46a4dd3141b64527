#!/usr/bin/env bash
# Writes the report as a comment on the pull request, in place of the one that an earlier run wrote.
# Reads GH_TOKEN, GITHUB_REPOSITORY, PULL_REQUEST and REPORT.
set -euo pipefail

# The token of a pull request from a fork or from Dependabot can only read: the checks count without the comment.
give_up() {
  echo "::warning::the comment could not be written; does the job have \`pull-requests: write\`?"
  exit 0
}

comments=repos/$GITHUB_REPOSITORY/issues
# A comment of somebody else that begins like ours is left alone: only its author can change it.
own='.[] | select(.body | startswith("<!-- slosmith -->")) | .id'
old=$(gh api --paginate "$comments/$PULL_REQUEST/comments" --jq "$own") || give_up
old=$(head -n 1 <<<"$old")
if [[ -n $old ]] && gh api --method PATCH "$comments/comments/$old" --field "body=@$REPORT" --silent; then
  exit 0
fi
gh api --method POST "$comments/$PULL_REQUEST/comments" --field "body=@$REPORT" --silent || give_up
