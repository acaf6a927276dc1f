// Rank 1 reads the results of an earlier run.
//
// What is wrong: the MPI library knows no data representation of this name. Errors of files are only returned by
// default; this program asked for MPI_ERRORS_ARE_FATAL, so that the refused view ends the job.
// The fix: "native".
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
        MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "ours", MPI_INFO_NULL); //~ mpi-error
        MPI_File_read(file, &result, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
        MPI_File_close(&file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
