// Rank 0 writes a number into a file, and rank 1 reads it.
//
// What is wrong: MPI_File_sync need not wait for other ranks: rank 1 may read before rank 0 has written.
// The fix: a barrier behind it, and another MPI_File_sync, by which rank 1 gets what is in the file by then.
//
// ranks: 2
// expect: file-conflict

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, leader = getpid(), step = 0;
    char name[64];
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&leader, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/tmp/mpivet-file-conflict-sync-%d", leader);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    if (rank == 0) {
        step = 7;
        MPI_File_write_at(file, 0, &step, 1, MPI_INT, MPI_STATUS_IGNORE); //~ file-conflict
    }
    MPI_File_sync(file);
    if (rank == 1)
        MPI_File_read_at(file, 0, &step, 1, MPI_INT, MPI_STATUS_IGNORE); //~ file-conflict
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
