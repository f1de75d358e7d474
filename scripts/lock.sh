#!/bin/sh
# Pin every requirement with its hashes and without an index address, for every platform at once.
set -eu
cd "$(dirname "$0")/.."
compile="uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header"
$compile pyproject.toml --group dev --extra local --extra search --extra socks --extra tensorboard --extra contract \
    --output-file requirements/dev.txt "$@"
$compile pyproject.toml --group build --group demo --extra local --constraint requirements/dev.txt \
    --output-file requirements/demo.txt "$@"
$compile pyproject.toml --group build --group demo --extra local --extra tensorboard --constraint requirements/dev.txt \
    --output-file requirements/demo-tensorboard.txt "$@"
$compile requirements/tensorflow.in --output-file requirements/tensorflow.txt "$@"
$compile requirements/peers.in --output-file requirements/peers.txt "$@"
$compile requirements/release.in --output-file requirements/release.txt "$@"
$compile requirements/stock-tools.in --output-file requirements/stock-tools.txt "$@"
$compile requirements/uv.in --output-file requirements/uv.txt "$@"
$compile requirements/browser.in --constraint requirements/dev.txt --output-file requirements/browser.txt "$@"
$compile requirements/mutation.in --constraint requirements/dev.txt --output-file requirements/mutation.txt "$@"
for clients in requirements/clients-*.in; do
    $compile "$clients" --output-file "${clients%.in}.txt" "$@"
done
npm install --package-lock-only --omit-lockfile-registry-resolved --no-audit --no-fund --prefix requirements/stock-tools
