// File accesses of nothing, with a view whose holes belong to others, and a split collective around a computation.
//
// Correct: counts of zero need no buffer; a file type may have holes and is independent of the type in memory; the view
// keeps types that were freed; MPI_MODE_DELETE_ON_CLOSE removes the file (MPI 4.1, 14.2 to 14.4).
//
// ranks: 3

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

enum { BLOCKS = 4 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, count, process = (int)getpid();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    char name[64];
    snprintf(name, sizeof name, "/tmp/rare-accesses-%d", process);
    MPI_File file;
    if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Datatype every_third, spaced;
    MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &every_third);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spaced);
    MPI_Type_commit(&every_third);
    MPI_Type_commit(&spaced);
    MPI_File_set_view(file, (MPI_Offset)(rank * sizeof(int)), MPI_INT, every_third, "native", MPI_INFO_NULL);
    MPI_Type_free(&every_third);

    int out[2 * BLOCKS], in[BLOCKS];
    for (int i = 0; i < 2 * BLOCKS; i++)
        out[i] = 100 * rank + i, in[i / 2] = 1;
    MPI_File_write_at_all_begin(file, 0, out, BLOCKS, spaced);
    double unrelated = 0;
    for (int i = 0; i < 100; i++)
        unrelated += in[i % BLOCKS]; /* another buffer: that of the access is out of bounds for reading too */
    MPI_Status status;
    MPI_File_write_at_all_end(file, out, &status);
    MPI_Get_count(&status, spaced, &count);
    wrong += count != BLOCKS || unrelated != 100;
    MPI_File_read_at_all(file, 0, rank == 1 ? NULL : in, rank == 1 ? 0 : BLOCKS, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < BLOCKS && rank != 1; i++)
        wrong += in[i] != 100 * rank + 2 * i;
    MPI_File_write(file, NULL, 0, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_read_at(file, sizeof(int), in, sizeof(int), MPI_BYTE, MPI_STATUS_IGNORE);
    wrong += in[0] != 100;
    MPI_File_close(&file);
    MPI_Type_free(&spaced);
    MPI_Barrier(MPI_COMM_WORLD);
    wrong += access(name, F_OK) == 0;
    MPI_Finalize();
    return wrong != 0;
}
