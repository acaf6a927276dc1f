// Two ranks write their parts of a file together, and rank 1 tells rank 0 that its part is there.
//
// Fixed: rank 0 receives the message after it has written.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, done = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File file;
    char name[1000];
    snprintf(name, sizeof name, "%s.data", argv[0]);
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, 4 * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Recv(&done, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(&done, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_File_close(&file);
    if (rank == 0)
        printf("written\n");
    MPI_Finalize();
    return 0;
}
