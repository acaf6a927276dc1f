// A ring, and MPI_Address: a function that is no longer in the standard, and that MPICH exports from its library with
// the ABI of MPI 5 without a PMPI twin.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

int MPI_Address(void *location, MPI_Aint *address);

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, value;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &value, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Aint old, now;
    int code = MPI_Address(&value, &old);
    MPI_Get_address(&value, &now);
    printf("rank %d: got %d, %s\n", rank, value, code == MPI_SUCCESS && old == now ? "same address" : "another address");
    MPI_Finalize();
    return 0;
}
