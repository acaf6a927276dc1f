// Rank 1 appends its result to the results of an earlier run.
//
// What is wrong: the file is opened for reading only. Errors of files are only returned by default; this
// program asked for MPI_ERRORS_ARE_FATAL, so that the refused write ends the job.
// The fix: MPI_MODE_WRONLY.
//
// ranks: 2
// expect: mpi-error ranks 1

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        double result = 3.5;
        MPI_File file;
        MPI_File_open(MPI_COMM_SELF, argv[0], MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
        MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
        MPI_File_write(file, &result, 1, MPI_DOUBLE, MPI_STATUS_IGNORE); //~ mpi-error
        MPI_File_close(&file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
