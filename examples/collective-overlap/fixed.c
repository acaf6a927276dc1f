// Each rank broadcasts its parameters to all others and goes on; rank 0 gathers parts of different lengths.
//
// Correct: what the pending broadcasts use is only read, the parts follow each other, and MPI_IN_PLACE says that input and
// result are in one place.
//
// ranks: 3

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, parameters[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 0, 1, 2}}, news, total = 1;
    int part[3] = {0, 0, 0}, all[7], counts[3] = {2, 3, 2}, displacements[3] = {0, 2, 5};
    MPI_Request requests[3];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int root = 0; root < 3; root++)
        MPI_Ibcast(parameters[root], 4, MPI_INT, root, MPI_COMM_WORLD, &requests[root]);
    MPI_Sendrecv(&parameters[rank][3], 1, MPI_INT, (rank + 1) % 3, 0, &news, 1, MPI_INT, (rank + 2) % 3, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Gatherv(part, counts[rank], MPI_INT, all, counts, displacements, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
