#!/usr/bin/env bash
# The steps of CI for a client of ModelArts, on any machine; copy this file into your project.
#   bash modelarts-ci.sh install   install the toolkit from $TOOLKIT, and what the file $REQUIREMENTS lists
#   bash modelarts-ci.sh tests     test on the emulator: a call that breaks the documented contract fails its test
#   bash modelarts-ci.sh diff      say what the version of the toolkit at $NEXT breaks, compared with the installed one;
#                                  without $NEXT, in a project with documents of its own: what they break since $OLD
#   bash modelarts-ci.sh nightly   read the real service of the MODELARTS_* variables, and change nothing there:
#                                  $RATE requests per second (1), documents $DOCUMENTS (iam,v1,v2)
# Further words after `tests` are arguments of pytest.
# Reports are in the folder `reports`: JUnit as *.xml, and summary.md.
set -euo pipefail

STEPS="install, tests, diff or nightly"

# End with 2 if a variable has no value.
need() {
    if [ -z "${!1:-}" ]; then echo "$1 is not set: $2" >&2; exit 2; fi
}

step=${1:-}
need step "name a step: $STEPS"
shift
mkdir -p reports

# Run a command; keep what it prints, also in the summary. The exit status is the command's.
kept() {
    local status=0
    "$@" 2>&1 | tee "reports/$step.txt" || status=$?
    { printf '## %s\n\n```text\n' "$step"; tail -n 40 "reports/$step.txt"; printf '```\n'; } >> reports/summary.md
    return $status
}

case $step in
install)
    need TOOLKIT "name an address of git, or file:///..."
    python -m pip install --quiet "modelarts-toolkit[local,contract] @ $TOOLKIT" pytest
    if [ -n "${REQUIREMENTS:-}" ]; then python -m pip install --quiet --requirement "$REQUIREMENTS"; fi
    ;;
tests) kept python -m pytest --override-ini modelarts_contract=true --junit-xml reports/tests.xml "$@" ;;
diff)
    if [ -n "${NEXT:-}" ]; then
        OLD=installed NEW=$(mktemp -d)
        python -m pip install --quiet --no-deps --target "$NEW" "modelarts-toolkit @ $NEXT"
    fi
    kept modelarts contract diff "${OLD:-main:openapi}" "${NEW:-openapi}"
    ;;
nightly)
    need MODELARTS_ENDPOINT "name the address of the service"
    status=0
    kept modelarts contract run --service "$MODELARTS_ENDPOINT" \
        --yes --rate "${RATE:-1}" --documents "${DOCUMENTS:-iam,v1,v2}" --report reports/nightly || status=$?
    if [ -f reports/nightly/junit.xml ]; then cp reports/nightly/junit.xml reports/nightly.xml; fi
    exit $status
    ;;
*)
    echo "$step is not a step: name $STEPS" >&2
    exit 2
    ;;
esac
