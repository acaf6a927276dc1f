// A mistake that the process sees by itself; then it lives on for a while, or (with `kill`) not at all. Says when it goes on,
// and whether it reads debug information by itself.

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void tell_if_it_looks_up_lines(int rank)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "libmpivet_symbols.so")) {
            fprintf(stderr, "rank %d looks up lines\n", rank);
            break;
        }
    if (maps)
        fclose(maps);
}

int main(int argc, char **argv)
{
    int rank, in[2], out[2] = {0, 0};
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Irecv(in, 2, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in, 2, MPI_INT, rank, 2, MPI_COMM_WORLD, &requests[1]);
    if (argc > 1 && strcmp(argv[1], "kill") == 0)
        raise(SIGKILL);
    tell_if_it_looks_up_lines(rank);
    sleep(2);
    fprintf(stderr, "rank %d goes on\n", rank);
    MPI_Send(out, 2, MPI_INT, rank, 1, MPI_COMM_WORLD);
    MPI_Send(out, 2, MPI_INT, rank, 2, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
