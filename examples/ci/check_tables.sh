#!/bin/sh
# Checks each table that is named, and ends with the worst of what came of it: sh check_tables.sh tables/*.csv
# Reports stay in labeldp-report/, one folder for each table, named by its path.
worst=0
for table in "$@"; do
  name=$(printf '%s' "$table" | sed 's|^[./]*||')
  labeldp-audit check --output "labeldp-report/$name" -- "$table"
  status=$?
  case "$status" in
    0) said="the policy holds" ;;
    1) said="the policy is violated" ;;
    4) said="nobody knows: more rows are needed" ;;
    130 | 141 | 143) exit "$status" ;;
    *) said="the table could not be checked" ;;
  esac
  echo "$name: $said" >&2
  # 4 is less than 1: what is not known is not known to be wrong.
  case "$worst,$status" in
    0,* | 4,[!04]* | 1,[!014]*) worst=$status ;;
  esac
done
exit "$worst"
