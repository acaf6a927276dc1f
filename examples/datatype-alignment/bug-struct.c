// Rank 0 sends particles to all others.
//
// What is wrong: the displacement of the weight and the extent were counted by hand, without the gap that the compiler
// leaves behind the kind.
// The fix: offsetof and sizeof.
//
// ranks: 2
// expect: datatype-alignment ranks 0,1

#include <mpi.h>

struct particle {
    char kind;
    double weight;
};

int main(int argc, char **argv)
{
    static struct particle particles[10];
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, 1};
    MPI_Datatype parts[2] = {MPI_CHAR, MPI_DOUBLE}, type;

    MPI_Init(&argc, &argv);
    MPI_Type_create_struct(2, lengths, places, parts, &type);
    MPI_Type_commit(&type);
    MPI_Datatype packed;
    MPI_Type_create_resized(type, 0, 9, &packed);
    MPI_Type_commit(&packed);
    MPI_Bcast(particles, 10, packed, 0, MPI_COMM_WORLD); //~ datatype-alignment
    MPI_Type_free(&packed);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
