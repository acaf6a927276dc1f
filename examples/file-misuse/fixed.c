// The twin of bug.c: the file is opened for reading and writing.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    char name[64];
    double result = 3.5, first;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "/tmp/mpivet-file-misuse-%d-%d", (int)getpid(), rank);
    fclose(fopen(name, "w"));
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_read_at(file, 0, &first, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_write_at(file, 0, &result, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    unlink(name);
    MPI_Finalize();
    return 0;
}
