#!/bin/sh
# Print the revision with which CI compares the documents: the last release, or before the first one the revision below.
# Whoever writes another revision here begins a new section of CHANGELOG.md with it (docs/releasing.md).
set -eu
cd "$(dirname "$0")/.."
git rev-parse --git-dir > /dev/null # else git says why it reads no repository
git describe --tags --abbrev=0 2> /dev/null && exit
base=30f48aae63dae9a4f881c371fd8099a62d448e81
git merge-base --is-ancestor "$base" HEAD 2> /dev/null || {
    echo "the clone lacks revision $base: fetch its history (git fetch --unshallow)" >&2
    exit 2
}
echo "$base"
