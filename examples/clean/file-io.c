// A file written and read by all ranks together.
//
// Correct: views, collective and individual accesses, a nonblocking one; the file is deleted in the end.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { N = 10 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    char name[64];
    int pid = getpid();
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "/tmp/mpivet-file-io-%d", pid);

    int out[N], in[N], more[N], sum = 0, total;
    for (int i = 0; i < N; i++)
        out[i] = 100 * rank + i;
    MPI_File file;
    MPI_Offset bytes;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, rank * sizeof out, out, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    MPI_File_get_size(file, &bytes);

    /* the part of the next rank, alone and without waiting */
    MPI_Request request;
    MPI_File_iread_at(file, (rank + 1) % size * sizeof in, in, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    /* every rank sees each size-th integer only */
    MPI_Datatype comb;
    MPI_Type_create_resized(MPI_INT, 0, size * sizeof(int), &comb);
    MPI_Type_commit(&comb);
    MPI_File_set_view(file, rank * sizeof(int), MPI_INT, comb, "native", MPI_INFO_NULL);
    MPI_File_read_all(file, more, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Type_free(&comb);
    if (rank == 0)
        MPI_File_delete(name, MPI_INFO_NULL);

    for (int i = 0; i < N; i++)
        sum += in[i] + 3 * more[i];
    MPI_Reduce(&sum, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d bytes, total %d\n", (int)bytes, total);
    MPI_Finalize();
    return 0;
}
