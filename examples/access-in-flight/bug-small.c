// Two ranks exchange the edges of their fields, forty values, beside other data of theirs.
//
// What is wrong: rank 1 computes the edge that it is still sending. No page of memory belongs to the edge alone.
// The fix: MPI_Waitall first.
//
// ranks: 2
// options: --precise
// expect: access-in-flight ranks 1

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 40 };

struct field {
    double inner[LENGTH];
    double edge[LENGTH];
    double others[LENGTH];
};

static void compute(struct field *field)
{
    for (int i = 0; i < LENGTH; i++)
        field->inner[i] += field->others[i];
}

static void finish(struct field *field)
{
    field->edge[LENGTH / 2] += 1;                                                   //~ access-in-flight
}

int main(int argc, char **argv)
{
    struct field *field;
    MPI_Request requests[2];
    static double got[LENGTH];
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    field = calloc(1, sizeof *field);
    MPI_Irecv(got, LENGTH, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(field->edge, LENGTH, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]); //~ access-in-flight
    compute(field);
    if (rank == 1)
        finish(field);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    finish(field);
    if (got[0] + field->edge[0] < 0)
        printf("%g\n", got[0]);
    free(field);
    MPI_Finalize();
    return 0;
}
