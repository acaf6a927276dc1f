// Two fields share the datatype of their columns, and each frees its copy of the handle.
//
// What is wrong: the second MPI_Type_free is called for a datatype that exists no more; the copy of the handle did not
// become MPI_DATATYPE_NULL by the first one.
// The fix: one of the fields owns the datatype and frees it.
//
// ranks: 1
// expect: double-free ranks 0

#include <mpi.h>

struct field {
    double cells[4][4];
    MPI_Datatype column;
};

static void release(struct field *f)
{
    MPI_Type_free(&f->column); //~ double-free
}

int main(int argc, char **argv)
{
    static struct field old, new;
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &old.column);
    MPI_Type_commit(&old.column);
    new.column = old.column;
    MPI_Sendrecv(&old.cells[0][3], 1, old.column, rank, 0, &new.cells[0][0], 1, new.column, rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    release(&old);
    release(&new);
    MPI_Finalize();
    return 0;
}
