#!/usr/bin/env bash
# One step of action.yml: runs the check and keeps its status for a later step, so that its verdicts are uploaded first.
# Reads VENV (where it is installed), DATA, POLICY, FORMATS, ARGUMENTS, REPORTS (a folder) and GITHUB_OUTPUT.
set -uo pipefail

sarif="$REPORTS/labeldp-audit.sarif"
report="$REPORTS/labeldp-audit.json"
rm -f "$sarif" "$report"

options=(-f github -f "sarif=$sarif" -f "json=$report")
while IFS= read -r line; do
  line="${line%$'\r'}"
  [[ -n "${line// /}" ]] && options+=(-f "$line")
done <<< "${FORMATS:-}"
while IFS= read -r line; do
  line="${line%$'\r'}"
  [[ -n "${line// /}" ]] && options+=("$line")
done <<< "${ARGUMENTS:-}"
[[ -n "${POLICY:-}" ]] && options+=("--policy=$POLICY")

program="$VENV/bin/labeldp-audit"
[[ -x "$program" ]] || program="$VENV/Scripts/labeldp-audit.exe"

status=0
"$program" check "${options[@]}" -- "$DATA" || status=$?

# What the report says, and not the status alone: that is 0 too where nothing was judged, or with --exit-zero.
[[ -s "$report" ]] || report=""
outcome=error
if [[ -n "$report" ]]; then
  python="${program%/*}/python"
  [[ -x "$python" ]] || python="$python.exe"
  outcome=$("$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["judgement"]["outcome"])' "$report") || outcome=error
fi
if [[ "$outcome" == error && "$status" == 0 ]]; then
  status=3
fi
# For the page of a pull request, which shows no standard error. Nothing from outside stands in this line.
if [[ "$outcome" == error ]]; then
  echo "::error title=labeldp-audit::The check did not run, so nothing was judged. The log of this step says why."
fi
[[ -s "$sarif" ]] || sarif=""
{
  echo "status=$status"
  echo "outcome=$outcome"
  echo "report=$report"
  echo "sarif=$sarif"
} >> "$GITHUB_OUTPUT"
exit 0
