// One mistake in the arguments of one call, by its name: arrays that are not there, arrays that are too short, what may be
// there once. 1 rank.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int is(const char *name, const char *wanted)
{
    return strcmp(name, wanted) == 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const char *name = argc > 1 ? argv[1] : "";
    int x = 1, y, one = 1, zero = 0, two[2] = {1, 1}, no[2] = {0, 0}, *volatile missing = NULL;
    MPI_Request *volatile no_requests = NULL;
    MPI_Status *volatile no_statuses = NULL;
    MPI_Comm comm;
    MPI_Group group, other;
    MPI_Comm_group(MPI_COMM_WORLD, &group);

    if (is(name, "periods"))
        MPI_Cart_create(MPI_COMM_WORLD, 2, two, missing, 0, &comm);
    if (is(name, "recvcounts"))
        MPI_Gatherv(&x, 1, MPI_INT, &y, missing, &zero, MPI_INT, 0, MPI_COMM_WORLD);
    if (is(name, "displs"))
        MPI_Allgatherv(&x, 1, MPI_INT, &y, &one, missing, MPI_INT, MPI_COMM_WORLD);
    if (is(name, "ranks"))
        MPI_Group_translate_ranks(group, 1, &zero, group, missing);
    if (is(name, "requests"))
        MPI_Waitall(2, no_requests, MPI_STATUSES_IGNORE);
    if (is(name, "request"))
        MPI_Wait(no_requests, MPI_STATUS_IGNORE);
    if (is(name, "statuses") || is(name, "status")) {
        MPI_Request requests[2];
        MPI_Isend(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&y, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[1]);
        if (is(name, "statuses"))
            MPI_Waitall(2, requests, no_statuses);
        MPI_Wait(&requests[1], no_statuses);
    }
    if (is(name, "attach")) {
        static char space[2][1000];
        MPI_Buffer_attach(space[0], 1000);
        MPI_Buffer_attach(space[1], 1000);
    }
    if (is(name, "range"))
        MPI_Group_range_excl(group, 2, (int[2][3]){{0, 0, 1}, {0, 0, 1}}, &other);
    if (is(name, "cart-short") || is(name, "cart-null")) {
        MPI_Cart_create(MPI_COMM_WORLD, 2, two, no, 0, &comm);
        if (is(name, "cart-short"))
            MPI_Cart_get(comm, 1, &x, &y, &zero);
        MPI_Cart_get(comm, 2, two, missing, no);
    }
    if (is(name, "graph-short") || is(name, "neighbors-short")) {
        MPI_Graph_create(MPI_COMM_WORLD, 1, &one, &zero, 0, &comm);
        if (is(name, "graph-short"))
            MPI_Graph_get(comm, 1, 0, &x, &y);
        MPI_Graph_neighbors(comm, 0, 0, &y);
    }
    MPI_Finalize();
    return 0;
}
