# Stands for /home/work/run_train.sh, with which the commands of custom images begin: it starts the rest of the command.
exec "$@"
