# Runs a command once for each card of a node, as ascend.py says. Its words: the number of cards, the rank of the first
# one, the number of the job's cards, the rank table, and the command. A trapped SIGTERM ends `wait` early, so it waits
# as long as the process exists; the exit code is that of the first card that failed.
cards=$1 first=$2 size=$3 card=0 code=0 pids=
export RANK_TABLE_FILE="$4"
shift 4
trap : TERM
while [ "$card" -lt "$cards" ]; do
    DEVICE_ID=$card ASCEND_DEVICE_ID=$card RANK_ID=$((first + card)) RANK_SIZE=$size "$@" &
    pids="$pids $!" card=$((card + 1))
done
for pid in $pids; do
    while wait "$pid"; status=$?; kill -0 "$pid" 2> /dev/null; do :; done
    [ "$code" -ne 0 ] || code=$status
done
exit "$code"
