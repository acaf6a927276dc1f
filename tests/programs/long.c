// Goes on for so many rounds of an exchange around the ring of ranks, with objects that come and go, and ends as asked.
// Usage: long ROUNDS [fine | hang | crash]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 1000;
    const char *end = argc > 2 ? argv[2] : "fine";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Comm early;
    MPI_Comm_dup(MPI_COMM_WORLD, &early);
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    int *many = calloc(6000, sizeof *many);
    for (int round = 0; round < rounds; round++) {
        int out[2] = {rank, round}, in[2];
        MPI_Request requests[2];
        MPI_Irecv(in, 1, pair, left, 5, early, &requests[0]);
        MPI_Isend(out, 1, pair, right, 5, early, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (round % 100 == 0) {
            MPI_Comm late;
            MPI_Datatype spread;
            MPI_Comm_dup(early, &late);
            // Its arguments are too long for a record.
            for (int i = 0; i < 6000; i++)
                many[i] = 2 * i;
            MPI_Type_create_indexed_block(6000, 1, many, MPI_INT, &spread);
            MPI_Type_commit(&spread);
            MPI_Barrier(late);
            MPI_Type_free(&spread);
            MPI_Comm_free(&late);
        }
        // A reader that follows the job is not left behind.
        if (!strcmp(end, "hang") && round % 100 == 0)
            usleep(10000);
    }
    if (!strcmp(end, "hang"))
        MPI_Recv(many, 1, MPI_INT, left, 6, early, MPI_STATUS_IGNORE);
    if (!strcmp(end, "crash") && rank == 0) {
        volatile int *nowhere = NULL;
        *nowhere = 1;
    }
    MPI_Type_free(&pair);
    MPI_Comm_free(&early);
    free(many);
    MPI_Finalize();
    return 0;
}
