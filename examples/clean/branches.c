// One collective operation, called at different places of the source by different ranks, with arguments
// that look different and mean the same.
//
// Correct: collective calls match by their order on the communicator, not by their line; amounts and types
// match by their signatures.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, data[6] = {0}, sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype pair, comb;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_vector(3, 1, 2, MPI_INT, &comb);
    MPI_Type_commit(&pair);
    MPI_Type_commit(&comb);

    if (rank == 0) {
        for (int i = 0; i < 6; i++)
            data[i] = i + 1;
        MPI_Bcast(data, 6, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Bcast(data, 3, pair, 0, MPI_COMM_WORLD);
    } else {
        int wide[12] = {0};
        MPI_Datatype two;
        MPI_Type_create_resized(comb, 0, 6 * sizeof(int), &two);
        MPI_Type_commit(&two);
        MPI_Bcast(wide, 2, two, 0, MPI_COMM_WORLD);
        MPI_Type_free(&two);
        for (int i = 0; i < 6; i++)
            data[i] = wide[2 * i];
    }

    /* two communicators, used in opposite order by nobody, but by different branches */
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    if (rank / 2 == 0) {
        MPI_Allreduce(&data[rank], &sum, 1, MPI_INT, MPI_SUM, half);
        MPI_Barrier(half);
    } else {
        MPI_Barrier(half);
        MPI_Allreduce(&data[rank], &sum, 1, MPI_INT, MPI_MAX, half);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: last %d, sum %d\n", rank, data[5], sum);
    MPI_Comm_free(&half);
    MPI_Type_free(&pair);
    MPI_Type_free(&comb);
    MPI_Finalize();
    return 0;
}
