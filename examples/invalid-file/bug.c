// A file of parameters that does not exist is read.
//
// What is wrong: errors of files do not end the program, nobody looks at the result of MPI_File_open, and the handle is
// MPI_FILE_NULL.
// The fix: the result is looked at.
//
// ranks: 2
// expect: invalid-file

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);

    MPI_File file = MPI_FILE_NULL;
    int found = MPI_File_open(MPI_COMM_WORLD, "/nowhere/parameters", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_Offset size = 0;
    if (size == 0)
        MPI_File_get_size(file, &size); //~ invalid-file
    else
        printf("no parameters\n");
    MPI_Finalize();
    return found == MPI_SUCCESS && size > 0;
}
