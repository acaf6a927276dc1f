// A program that asks for MPI_THREAD_MULTIPLE writes its results into one file, one behind the other.
//
// What is wrong: the displacement of a view is in bytes, and each process takes the number of its results: they overlap.
// The fix: multiply by the size of the results.
//
// ranks: 2
// expect: file-conflict

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
    MPI_Offset at = rank * COUNT;
    MPI_File_set_view(file, at, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
    MPI_File_write(file, results, COUNT, MPI_DOUBLE, MPI_STATUS_IGNORE); //~ file-conflict
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
