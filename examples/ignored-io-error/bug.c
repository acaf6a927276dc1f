// Each process writes a header and its results.
//
// What is wrong: the device is full, and nobody looks at what MPI_File_write_at returns. Errors of files are only
// returned by default: the program ends as if its results were written.
// The fix: look at what calls on files return.
//
// ranks: 2
// mpi: mpich (Open MPI 4.1 returns MPI_SUCCESS for a write that found no space)
// expect: ignored-io-error

#include <mpi.h>

int main(int argc, char **argv)
{
    int header[2] = {1, 4};
    double results[4] = {1, 2, 3, 4};
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_SELF, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, 0, header, 2, MPI_INT, MPI_STATUS_IGNORE); //~ ignored-io-error
    MPI_File_write_at(file, 8, results, 4, MPI_DOUBLE, MPI_STATUS_IGNORE); //~ ignored-io-error
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
