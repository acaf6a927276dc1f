// Every rank writes its part of a file that is deleted in the end.
//
// What is wrong: the file is never closed.
// The fix: call MPI_File_close.
//
// ranks: 2
// expect: leak-file ranks 0,1

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    char name[64];
    MPI_File file;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "/tmp/mpivet-leak-file-%d-%d", (int)getpid(), rank);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file); //~ leak-file
    MPI_File_write(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    unlink(name);
    MPI_Finalize();
    return 0;
}
