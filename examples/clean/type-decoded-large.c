// A type is taken apart by the functions for large counts (MPI 4.1, 5.1.13), as mpi4py does it.
//
// Correct: MPI_Type_get_contents_c returns new handles of derived types, each of which has to be freed; the types that were given
// to build the whole stay what they are.
//
// ranks: 2
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)

#include <mpi.h>

static void look_into(MPI_Datatype type)
{
    int combiner, numbers[8];
    MPI_Count integers, addresses, counts, types, large[8];
    MPI_Aint places[8];
    MPI_Datatype parts[4];

    MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED)
        return;
    MPI_Type_get_contents_c(type, integers, addresses, counts, types, numbers, places, large, parts);
    for (MPI_Count i = 0; i < types; i++) {
        look_into(parts[i]);
        MPI_Type_get_envelope_c(parts[i], &integers, &addresses, &counts, &types, &combiner);
        if (combiner != MPI_COMBINER_NAMED)
            MPI_Type_free(&parts[i]);
    }
}

int main(int argc, char **argv)
{
    int data[8] = {0};
    MPI_Datatype pair, again, two;

    MPI_Init(&argc, &argv);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_dup(pair, &again);
    MPI_Type_vector_c(2, 1, 2, again, &two);
    for (int i = 0; i < 3; i++) {
        look_into(two);
        look_into(again);
    }
    MPI_Type_commit(&two);
    MPI_Bcast(data, 1, two, 0, MPI_COMM_WORLD);
    MPI_Type_free(&pair);
    MPI_Type_free(&again);
    MPI_Type_free(&two);
    MPI_Finalize();
    return 0;
}
