// Communicators that not everybody gets: MPI_COMM_NULL from all calls that may return it.
//
// Correct: MPI_GROUP_EMPTY in MPI_Comm_create, MPI_UNDEFINED in the splits, and ranks that do not fit on a grid give
// MPI_COMM_NULL (MPI 4.1, 7.4.2 and 8.5.1), which is compared and left alone.
//
// ranks: 4

#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, sum, dims[2] = {0, 1}, kept[2] = {1, 0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm comms[6];
    MPI_Group world, low;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, (int[][3]){{0, 2, 1}}, &low);
    MPI_Comm_create(MPI_COMM_WORLD, rank < 3 ? low : MPI_GROUP_EMPTY, &comms[0]);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 3 ? MPI_UNDEFINED : 0, -rank, &comms[1]);
    MPI_Comm_split_type(MPI_COMM_WORLD, rank < 3 ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, 0, MPI_INFO_NULL, &comms[2]);
    MPI_Dims_create(3, 2, dims);
    wrong += dims[0] != 3 || dims[1] != 1;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, (int[]){0, 0}, 0, &comms[3]);
    MPI_Graph_create(MPI_COMM_WORLD, 3, (int[]){1, 2, 2}, (int[]){1, 0}, 0, &comms[4]);
    comms[5] = MPI_COMM_NULL;
    if (rank < 3) {
        MPI_Comm line;
        MPI_Comm_create_group(MPI_COMM_WORLD, low, 17, &comms[5]); /* collective over the group only */
        MPI_Cart_sub(comms[3], kept, &line);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, line);
        wrong += sum != 3;
        MPI_Comm_free(&line);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&low);
    for (int i = 0; i < 6; i++) {
        wrong += (comms[i] == MPI_COMM_NULL) != (rank == 3);
        if (comms[i] == MPI_COMM_NULL)
            continue;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comms[i]);
        wrong += sum != 3;
        MPI_Comm_free(&comms[i]);
    }
    MPI_Finalize();
    return wrong != 0;
}
