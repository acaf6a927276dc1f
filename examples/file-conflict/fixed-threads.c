// The corrected twin of bug-threads.c: the displacement is in bytes.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { COUNT = 4 };

int main(int argc, char **argv)
{
    int rank, level, leader = getpid();
    double results[COUNT] = {1, 2, 3, 4};
    char name[64];
    MPI_File file;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&leader, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/tmp/mpivet-file-conflict-threads-%d", leader);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_Offset at = rank * (MPI_Offset)sizeof results;
    MPI_File_set_view(file, at, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    MPI_File_write(file, results, COUNT, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
