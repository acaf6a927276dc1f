// Reductions of every kind: predefined, located, user-defined, in place, scattered, prefix, local.
//
// Correct: a user-defined operation that does not commute; the result of MPI_Exscan on rank 0 is undefined
// and not used; MPI_Reduce has a receive buffer at the root only; a count of zero.
//
// ranks: 4

#include <mpi.h>
#include <stdio.h>

typedef struct {
    int a, b; /* x -> a x + b */
} Map;

static void compose(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    Map *first = in, *then = inout;
    for (int i = 0; i < *len; i++)
        then[i] = (Map){first[i].a * then[i].a, first[i].b * then[i].a + then[i].b};
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Datatype map;
    MPI_Type_contiguous(2, MPI_INT, &map);
    MPI_Type_commit(&map);
    MPI_Op then;
    MPI_Op_create(compose, 0, &then);
    Map mine = {rank + 1, rank}, all, before = {1, 0};
    MPI_Allreduce(&mine, &all, 1, map, then, MPI_COMM_WORLD);
    MPI_Exscan(&mine, &before, 1, map, then, MPI_COMM_WORLD);
    if (rank == 0)
        before = (Map){1, 0};
    MPI_Reduce_local(&before, &mine, 1, map, then);
    MPI_Op_free(&then);
    MPI_Type_free(&map);

    struct {
        double value;
        int where;
    } candidate = {(rank * 7) % 5, rank}, best;
    MPI_Allreduce(&candidate, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);

    int sum = rank, bits = 0, scan = rank + 1, parts[8], block = 0, pieces[4] = {2, 0, 1, 3}, piece[3] = {0};
    MPI_Reduce(rank == 1 ? MPI_IN_PLACE : &sum, rank == 1 ? &sum : NULL, 1, MPI_INT, MPI_SUM, 1,
               MPI_COMM_WORLD);
    int bit = 1 << rank;
    MPI_Allreduce(&bit, &bits, 1, MPI_INT, MPI_BOR, MPI_COMM_WORLD);
    MPI_Scan(MPI_IN_PLACE, &scan, 1, MPI_INT, MPI_PROD, MPI_COMM_WORLD);
    for (int i = 0; i < 8; i++)
        parts[i] = rank + i;
    MPI_Reduce_scatter_block(parts, &block, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter(parts, piece, pieces, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);

    printf("rank %d: %d %d, %d %d, %.0f at %d, %d %d %d, %d %d\n", rank, all.a, all.b, mine.a, mine.b,
           best.value, best.where, rank == 1 ? sum : 0, bits, scan, block, piece[0]);
    MPI_Finalize();
    return 0;
}
