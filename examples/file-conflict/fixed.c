// The twin of bug.c: offsets are in bytes. Each process then reads what its neighbour has written, behind a sync, a barrier
// and another sync.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { COUNT = 4 };

int main(int argc, char **argv)
{
    int rank, size, leader = getpid();
    double results[COUNT] = {1, 2, 3, 4}, others[COUNT];
    char name[64];
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Bcast(&leader, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/tmp/mpivet-file-conflict-%d", leader);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_Offset step = sizeof results;
    MPI_File_write_at(file, rank * step, results, COUNT, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    MPI_File_read_at(file, (rank + 1) % size * step, others, COUNT, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
