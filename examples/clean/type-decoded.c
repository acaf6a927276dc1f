// A type is taken apart, and built again from its parts.
//
// Correct: MPI_Type_get_contents returns new handles of derived types, which have to be freed, and those of predefined
// types, which must not be (MPI 4.1, 5.1.13).
//
// ranks: 2

#include <mpi.h>

static MPI_Datatype rebuild(MPI_Datatype type)
{
    int integers, addresses, types, combiner, numbers[8];
    MPI_Aint places[4];
    MPI_Datatype parts[4], result = MPI_DATATYPE_NULL;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED)
        return type;
    MPI_Type_get_contents(type, integers, addresses, types, numbers, places, parts);
    MPI_Datatype inner[4];
    for (int i = 0; i < types; i++)
        inner[i] = rebuild(parts[i]);
    if (combiner == MPI_COMBINER_VECTOR)
        MPI_Type_vector(numbers[0], numbers[1], numbers[2], inner[0], &result);
    else if (combiner == MPI_COMBINER_STRUCT)
        MPI_Type_create_struct(numbers[0], numbers + 1, places, inner, &result);
    else if (combiner == MPI_COMBINER_RESIZED)
        MPI_Type_create_resized(inner[0], places[0], places[1], &result);
    else
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < types; i++) {
        if (inner[i] == parts[i])
            continue; /* a predefined type */
        MPI_Type_free(&parts[i]);
        MPI_Type_free(&inner[i]);
    }
    return result;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0, data[20];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype vector, pieces, sized, again;
    MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
    MPI_Type_create_struct(2, (int[]){1, 2}, (MPI_Aint[]){0, 16}, (MPI_Datatype[]){vector, MPI_INT}, &pieces);
    MPI_Type_create_resized(pieces, 0, 32, &sized);
    again = rebuild(sized);
    MPI_Type_commit(&sized);
    MPI_Type_commit(&again);
    for (int i = 0; i < 20; i++)
        data[i] = rank == 0 ? i : -1;
    if (rank == 0)
        MPI_Send(data, 2, sized, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(data, 2, again, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 16; i++) {
        int sent = i % 8 == 0 || i % 8 == 2 || i % 8 == 4 || i % 8 == 5;
        wrong += data[i] != (sent || rank == 0 ? i : -1);
    }
    MPI_Datatype *types[] = {&vector, &pieces, &sized, &again};
    for (int t = 0; t < 4; t++)
        MPI_Type_free(types[t]);
    MPI_Finalize();
    return wrong != 0;
}
