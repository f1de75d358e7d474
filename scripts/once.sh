#!/bin/sh
# Run a command, unless it has succeeded while these files were as they are: scripts/once.sh "FILES AND FOLDERS" COMMAND
# CI runs it always.
set -eu
files=$1
shift
state=.cache/once/$(echo "$*" | git hash-object --stdin)
names=$(find $files -type f ! -path '*/__pycache__/*' | sort)
now=$( (echo "$names"; echo "$names" | git hash-object --no-filters --stdin-paths) | git hash-object --stdin)
[ -z "${CI:-}" ] && [ "$(cat "$state" 2> /dev/null)" = "$now" ] && exit
"$@"
mkdir -p "${state%/*}"
echo "$now" > "$state"
