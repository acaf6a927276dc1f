// Rank 0 starts a job with whichever of three ranks reports first; the others get their orders from it or from each
// other.
//
// Fixed: rank 3 reports at once. One of the three is enough.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, report[3], order = 5, first;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request request[3];
        for (int i = 0; i < 3; i++)
            MPI_Irecv(&report[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &request[i]);
        MPI_Waitany(3, request, &first, MPI_STATUS_IGNORE);
        MPI_Send(&order, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(&order, 1, MPI_INT, 3, 1, MPI_COMM_WORLD);
        MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
        printf("reports: %d %d %d\n", report[0], report[1], report[2]);
    } else {
        int from = rank == 2 ? 1 : 0;
        if (rank == 3)
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&order, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); 
        if (rank != 3)
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Send(&order, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
