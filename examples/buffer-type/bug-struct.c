// All processes get the particles of process 0, with a datatype for the structure.
//
// What is wrong: the displacements of the datatype are those of a structure without gaps. The compiler has put the mass at
// byte 8, where a double may lie, and not at byte 4.
// The fix: the displacements are taken from the structure.
//
// ranks: 2
// expect: buffer-type ranks 0,1
// allow: datatype-alignment

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
    MPI_Aint places[] = {0, sizeof(int)};
    MPI_Type_create_struct(2, (int[]){1, 1}, places, parts, &type);
    MPI_Type_create_resized(type, 0, sizeof(struct particle), &whole);
    MPI_Type_commit(&whole);
    struct particle some[5] = {{1, 2}};
    MPI_Bcast(some, 5, whole, 0, MPI_COMM_WORLD); //~ buffer-type
    MPI_Type_free(&type);
    MPI_Type_free(&whole);
    MPI_Finalize();
    return 0;
}
