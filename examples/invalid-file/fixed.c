// A file of parameters is read, if there is one.
//
// Correct: errors of files do not end the program, and so the result of MPI_File_open is looked at.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);

    MPI_File file = MPI_FILE_NULL;
    int found = MPI_File_open(MPI_COMM_WORLD, "/nowhere/parameters", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_Offset size = 0;
    if (found == MPI_SUCCESS)
        MPI_File_get_size(file, &size);
    else
        printf("no parameters\n");
    MPI_Finalize();
    return found == MPI_SUCCESS && size > 0;
}
