#!/bin/sh
# A remote shell for Open MPI: runs the command here, with nothing of the caller's environment, as on another node.
shift
while [ "${1#-}" != "$1" ]; do shift; done
exec env -i PATH="$PATH" HOME="$HOME" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 /bin/sh -c "$*"
