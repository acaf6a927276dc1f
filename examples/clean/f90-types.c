// Datatypes by Fortran's precision and range, and by size: equal ones on both sides, alone, in structures, in
// distributed arrays, in collective operations, packed.
//
// ranks: 2

#include <mpi.h>
#include <stdio.h>

static void exchange(int rank, const void *out, void *in, int count, MPI_Datatype type)
{
    MPI_Sendrecv(out, count, type, 1 - rank, 0, in, count, type, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double reals[4] = {rank, rank + 0.25, rank + 0.5, rank + 0.75}, got[4];
    float complexes[4] = {rank, 1, 2, 3}, other[4];
    int integers[4] = {rank, 1, 2, 3}, got_integers[4];

    MPI_Datatype real, complex_, integer, sized;
    MPI_Type_create_f90_real(15, 307, &real);
    MPI_Type_create_f90_complex(6, 37, &complex_);
    MPI_Type_create_f90_integer(9, &integer);
    MPI_Type_match_size(MPI_TYPECLASS_REAL, sizeof(double), &sized);

    exchange(rank, reals, got, 4, real);
    exchange(rank, complexes, other, 2, complex_);
    exchange(rank, integers, got_integers, 4, integer);
    exchange(rank, reals, got, 4, sized);
    MPI_Bcast(got, 4, real, 0, MPI_COMM_WORLD);
    double all[8];
    MPI_Allgather(reals, 4, real, all, 4, real, MPI_COMM_WORLD);

    // A structure with such a type, sent as one and received in parts of the same signature.
    struct { double x; int n; } particles[2] = {{0.5, rank}, {1.5, rank}}, received[2];
    MPI_Datatype particle, resized;
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, sizeof(double)};
    MPI_Datatype types[2] = {real, integer};
    MPI_Type_create_struct(2, lengths, places, types, &particle);
    MPI_Type_create_resized(particle, 0, sizeof particles[0], &resized);
    MPI_Type_commit(&resized);
    exchange(rank, particles, received, 2, resized);

    // Seven values in blocks over two processes: four and three.
    int size = 7, distribution = MPI_DISTRIBUTE_BLOCK, argument = MPI_DISTRIBUTE_DFLT_DARG, processes = 2;
    MPI_Datatype share;
    MPI_Type_create_darray(2, rank, 1, &size, &distribution, &argument, &processes, MPI_ORDER_C, real, &share);
    MPI_Type_commit(&share);
    double values[7] = {0};
    if (rank == 1)
        MPI_Send(values, 1, share, 0, 1, MPI_COMM_WORLD);
    else
        MPI_Recv(values, 3, real, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    char packed[64];
    int at = 0;
    if (rank == 0) {
        MPI_Pack(reals, 4, real, packed, sizeof packed, &at, MPI_COMM_WORLD);
        MPI_Send(packed, at, MPI_PACKED, 1, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv(got, 4, real, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("got %g %g and %d\n", got[0], got[3], received[1].n);
    }

    MPI_Type_free(&share);
    MPI_Type_free(&resized);
    MPI_Type_free(&particle);
    MPI_Finalize();
    return 0;
}
