// The twin of bug-struct.c: the displacements are taken from the structure.
//
// ranks: 2

#include <mpi.h>
#include <stddef.h>

struct particle {
    int id;
    double mass;
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Datatype parts[] = {MPI_INT, MPI_DOUBLE}, type, whole;
    MPI_Aint places[] = {offsetof(struct particle, id), offsetof(struct particle, mass)};
    MPI_Type_create_struct(2, (int[]){1, 1}, places, parts, &type);
    MPI_Type_create_resized(type, 0, sizeof(struct particle), &whole);
    MPI_Type_commit(&whole);
    struct particle some[5] = {{1, 2}};
    MPI_Bcast(some, 5, whole, 0, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    MPI_Type_free(&whole);
    MPI_Finalize();
    return 0;
}
