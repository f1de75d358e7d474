#!/bin/sh
# Run a part of the tests with the lowest versions that pyproject.toml allows, in an environment of their own.
# The builder of the site has an environment and pins of its own.
set -eu
cd "$(dirname "$0")/.."
lowest=.cache/lowest
extras=cli,contract,emulator,obs,openstack,postgresql,search,tensorboard
.venv/bin/python -m venv --clear --without-pip "$lowest"
.venv/bin/uv pip install --quiet --python "$lowest/bin/python" --resolution lowest-direct --editable ".[$extras]" --group dev
"$lowest/bin/modelarts" contract run --documents v2 --operation listAlgorithms
exec "$lowest/bin/python" -m pytest "$@" \
    tests/overlays/test_cli.py tests/overlays/test_client.py tests/overlays/test_config.py tests/overlays/test_obs.py \
    tests/overlays/test_transport.py tests/overlays/cli/test_job_metrics.py \
    tests/emulator/storage/test_store_protocol.py tests/emulator/tuning/test_live_search.py \
    tests/emulator/v2/test_training_jobs.py tests/contract/modelarts_contract/commands
