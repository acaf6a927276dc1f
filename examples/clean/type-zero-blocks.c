// Types with empty blocks, and types of nothing at all.
//
// Correct: a block of length zero adds nothing to the signature, wherever it lies and whatever its type is; counts of
// zero are allowed in all constructors (MPI 4.1, 5.1.2).
//
// ranks: 2

#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, data[8] = {0}, count, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype sparse, mixed, nothing, empty_struct, around_nothing;
    MPI_Type_indexed(5, (int[]){0, 2, 0, 1, 0}, (int[]){1000000, 1, 3, 6, -1000000}, MPI_INT, &sparse);
    MPI_Type_create_struct(3, (int[]){0, 3, 0}, (MPI_Aint[]){-80, 0, 4},
                           (MPI_Datatype[]){MPI_DOUBLE, MPI_INT, MPI_CHAR}, &mixed);
    MPI_Type_contiguous(0, MPI_DOUBLE, &nothing);
    MPI_Type_create_struct(0, NULL, NULL, NULL, &empty_struct);
    MPI_Type_create_struct(2, (int[]){4, 3}, (MPI_Aint[]){0, 0}, (MPI_Datatype[]){nothing, MPI_INT}, &around_nothing);
    MPI_Datatype *types[] = {&sparse, &mixed, &nothing, &empty_struct, &around_nothing};
    for (int t = 0; t < 5; t++)
        MPI_Type_commit(types[t]);

    if (rank == 0) {
        for (int i = 0; i < 8; i++)
            data[i] = i;
        MPI_Send(data, 1, sparse, 1, 0, MPI_COMM_WORLD);
        MPI_Send(data, 1, mixed, 1, 1, MPI_COMM_WORLD);
        MPI_Send(NULL, 7, nothing, 1, 2, MPI_COMM_WORLD);
        MPI_Send(NULL, 3, empty_struct, 1, 3, MPI_COMM_WORLD);
        MPI_Send(data, 1, around_nothing, 1, 4, MPI_COMM_WORLD);
    } else {
        MPI_Status status;
        MPI_Recv(data, 1, mixed, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += data[0] != 1 || data[1] != 2 || data[2] != 6;
        MPI_Recv(data, 1, sparse, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += data[1] != 0 || data[2] != 1 || data[6] != 2;
        MPI_Recv(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        wrong += count != 0;
        MPI_Recv(NULL, 1, nothing, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(data, 3, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += data[0] != 0 || data[1] != 1 || data[2] != 2;
    }
    MPI_Type_size(empty_struct, &size);
    wrong += size != 0;
    for (int t = 0; t < 5; t++)
        MPI_Type_free(types[t]);
    MPI_Finalize();
    return wrong != 0;
}
