#!/bin/sh
# Print the revision with which CI compares the documents: the last release; before there is one, the revision from
# which this branch comes; on the main branch itself, the one before the last change of the documents.
set -eu
cd "$(dirname "$0")/.."
git describe --tags --abbrev=0 2> /dev/null && exit
head=$(git rev-parse HEAD)
base=$(git merge-base HEAD origin/main 2> /dev/null || echo "$head")
if [ "$base" = "$head" ]; then
    last=$(git log -1 --format=%H -- generated/modelarts_openapi)
    base=$(git rev-parse --verify "$last^") || { echo "the clone has no history: fetch it (git fetch --unshallow)" >&2; exit 2; }
fi
echo "$base"
