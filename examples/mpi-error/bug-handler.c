// Reads the settings of a simulation. The program has an error handler of its own for files, which ends the job.
//
// What is wrong: there is no file of this name. What the handler says is not much; the report has the
// library's text and the line of the call that failed.
// The fix: look for the file first, or use defaults.
//
// ranks: 2
// expect: mpi-error ranks 1

#include <mpi.h>
#include <stdio.h>

static void give_up(MPI_File *file, int *code, ...)
{
    (void)file;
    (void)code;
    fprintf(stderr, "cannot read the settings\n");
    MPI_Abort(MPI_COMM_WORLD, 7); //~ mpi-error
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Errhandler handler;
    MPI_File_create_errhandler(give_up, &handler);
    MPI_File_set_errhandler(MPI_FILE_NULL, handler);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_File settings;
        MPI_File_open(MPI_COMM_SELF, "/nowhere/settings", MPI_MODE_RDONLY, MPI_INFO_NULL, &settings); //~ mpi-error
        MPI_File_close(&settings);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Errhandler_free(&handler);
    MPI_Finalize();
    return 0;
}
