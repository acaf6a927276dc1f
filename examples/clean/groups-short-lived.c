// Groups are made by the hundred, freed right after use, and turn out to be empty.
//
// Correct: a communicator does not need the group that it was made of (MPI 4.1, 7.3.3). An operation with an empty
// result may return MPI_GROUP_EMPTY itself; who frees every group that an operation returned cannot know (7.3.2).
//
// ranks: 4

#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, size, result, where[4];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 100; round++) {
        MPI_Group world, again, odd, even, both;
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Comm_group(MPI_COMM_WORLD, &again);
        MPI_Group_compare(world, again, &result);
        wrong += result != MPI_IDENT;
        MPI_Group_free(&again);
        MPI_Group_incl(world, 2, (int[]){3, 1}, &odd);
        MPI_Group_range_excl(world, 1, (int[][3]){{1, 3, 2}}, &even);
        MPI_Group_union(even, odd, &both);
        MPI_Group_compare(world, both, &result);
        wrong += result != MPI_SIMILAR;
        MPI_Group_translate_ranks(odd, 2, (int[]){0, 1}, even, where);
        wrong += where[0] != MPI_UNDEFINED;
        MPI_Group_free(&both);
        if (round % 25 == 0) {
            MPI_Comm half;
            MPI_Comm_create(MPI_COMM_WORLD, rank % 2 ? odd : even, &half);
            MPI_Group_free(&odd);
            MPI_Group_free(&even);
            MPI_Group_free(&world);
            int sum = 0;
            MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
            wrong += sum != (rank % 2 ? 4 : 2);
            MPI_Comm_free(&half);
        } else {
            MPI_Group_free(&even);
            MPI_Group_free(&world);
            MPI_Group_free(&odd);
        }
    }
    MPI_Group world, first, second, none;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, (int[]){0, 1}, &first);
    MPI_Group_difference(world, first, &second);
    MPI_Group_free(&world);
    MPI_Group_intersection(first, second, &none);
    MPI_Group_size(none, &size);
    wrong += size != 0;
    MPI_Group_free(&none);
    MPI_Group_incl(first, 0, NULL, &none);
    MPI_Group_compare(none, MPI_GROUP_EMPTY, &result);
    wrong += result != MPI_IDENT;
    MPI_Group_free(&none);
    MPI_Group_free(&first);
    MPI_Group_free(&second);
    MPI_Finalize();
    return wrong != 0;
}
