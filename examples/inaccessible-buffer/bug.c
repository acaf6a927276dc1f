// A receive into memory that the program has given back.
//
// What is wrong: the block was unmapped before the message came.
// The fix: it is unmapped afterwards.
//
// ranks: 2
// expect: inaccessible-buffer ranks 1

#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    size_t bytes = 1 << 20;
    double *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    double value = rank;
    munmap(block, bytes);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(block, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); //~ inaccessible-buffer
    munmap(block, bytes);
    MPI_Finalize();
    return 0;
}
