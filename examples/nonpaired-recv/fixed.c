// Load balancing in a ring: who has too much work gives some to the right-hand neighbour.
//
// Fixed: the ranks first learn who gives, and receive only where a gift will come.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;

    int work = rank == 0 ? 9 : 3, gift = 0;
    int gives = work > 6, who_gives[size];
    MPI_Allgather(&gives, 1, MPI_INT, who_gives, 1, MPI_INT, MPI_COMM_WORLD);
    if (gives) {
        int surplus = work - 6;
        MPI_Send(&surplus, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
        work -= surplus;
    }
    if (who_gives[left]) {
        MPI_Recv(&gift, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work += gift;
    }
    printf("rank %d has %d pieces of work\n", rank, work);
    MPI_Finalize();
    return 0;
}
