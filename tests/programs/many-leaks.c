/* Eight places, of which each leaks a datatype, on all ranks. */
#include <mpi.h>

static MPI_Datatype kept[9];

static void vector(int i) {
    MPI_Type_vector(2, 1, i + 2, MPI_INT, &kept[i]);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Type_contiguous(2, MPI_INT, &kept[0]);
    MPI_Type_contiguous(3, MPI_INT, &kept[1]);
    MPI_Type_contiguous(4, MPI_INT, &kept[2]);
    MPI_Type_dup(MPI_INT, &kept[3]);
    MPI_Type_dup(MPI_CHAR, &kept[4]);
    MPI_Type_create_resized(MPI_INT, 0, 8, &kept[5]);
    MPI_Type_create_resized(MPI_INT, 0, 16, &kept[6]);
    vector(7);
    vector(8);
    MPI_Finalize();
    return 0;
}
