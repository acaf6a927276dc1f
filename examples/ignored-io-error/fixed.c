// The twin of bug.c: there is space, and the program looks at what calls on files return.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static void must(int code)
{
    if (code != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv)
{
    int rank, header[2] = {1, 4};
    double results[4] = {1, 2, 3, 4};
    char name[64];
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "/tmp/mpivet-ignored-io-error-%d-%d", (int)getpid(), rank);
    must(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    must(MPI_File_write_at(file, 0, header, 2, MPI_INT, MPI_STATUS_IGNORE));
    must(MPI_File_write_at(file, 8, results, 4, MPI_DOUBLE, MPI_STATUS_IGNORE));
    must(MPI_File_close(&file));
    MPI_Finalize();
    return 0;
}
