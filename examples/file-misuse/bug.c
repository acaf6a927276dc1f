// Each process adds its result to the results of an earlier run.
//
// What is wrong: the file is opened for reading only. Errors of files are only returned by default.
// The fix: MPI_MODE_RDWR.
//
// ranks: 2
// expect: file-misuse

#include <mpi.h>

int main(int argc, char **argv)
{
    double result = 3.5, first;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_SELF, argv[0], MPI_MODE_RDONLY, MPI_INFO_NULL, &file); //~ file-misuse
    MPI_File_read_at(file, 0, &first, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_write_at(file, 0, &result, 1, MPI_DOUBLE, MPI_STATUS_IGNORE); //~ file-misuse
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
