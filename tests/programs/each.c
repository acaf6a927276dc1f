/* A job of a test suite. Arguments: what it does, and then how long it sleeps first, in milliseconds.
 * clean, type (a wrong datatype), deadlock, fail (a code of its own), spawn (two more of it, which find a wrong datatype), and
 * in any world that was spawned: type. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void ring(MPI_Comm comm, MPI_Datatype received)
{
    int rank, size, mine, theirs;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    mine = rank;
    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 1, &theirs, 1, received, (rank + size - 1) % size, 1, comm,
                 MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "clean";
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    usleep(1000 * (argc > 2 ? atoi(argv[2]) : 0));
    MPI_Comm parent;
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        ring(MPI_COMM_WORLD, MPI_FLOAT);
        MPI_Comm_disconnect(&parent);
    } else if (!strcmp(what, "spawn")) {
        MPI_Comm children;
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
        MPI_Comm_disconnect(&children);
    } else if (!strcmp(what, "deadlock")) {
        int got;
        MPI_Recv(&got, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        ring(MPI_COMM_WORLD, strcmp(what, "type") ? MPI_INT : MPI_FLOAT);
    }
    MPI_Finalize();
    /* Open MPI ends the ranks that a program without a launcher has spawned together with it. */
    if (!strcmp(what, "spawn"))
        sleep(2);
    return strcmp(what, "fail") ? 0 : 5;
}
