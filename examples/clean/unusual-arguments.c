// Correct: arguments that look wrong and are not, because MPI does not look at them there, or because the standard
// gives them a meaning.
//
// ranks: 4

#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static void sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
    MPI_Aint lb, extent;
    MPI_Type_get_extent(*type, &lb, &extent);
    for (int i = 0; i < *count * (int)(extent / sizeof(double)); i++)
        ((double *)inout)[i] += ((double *)in)[i];
}

/* Most of this array is memory that the stack has not yet grown to. */
static double far_down_the_stack(int rank, int size)
{
    double values[300000];
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, (int *)values, 1, MPI_INT, (rank + size - 1) % size, 3,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return ((int *)values)[0];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, last = (rank + size - 1) % size;
    char *nowhere = (char *)0x12345000;

    /* nothing is sent: any address will do */
    MPI_Sendrecv(NULL, 0, MPI_INT, next, 0, nowhere, 0, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Datatype empty;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    MPI_Sendrecv(NULL, 5, empty, next, 0, NULL, 5, empty, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&empty);

    /* nobody is there */
    MPI_Send(nowhere, 10, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(nowhere, 10, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    /* absolute addresses */
    double here[4] = {rank, 0, 0, 0};
    MPI_Datatype absolute;
    int one = 1;
    MPI_Aint address;
    MPI_Get_address(&here[0], &address);
    MPI_Type_create_hindexed(1, &one, &address, MPI_DOUBLE, &absolute);
    MPI_Type_commit(&absolute);
    MPI_Sendrecv(MPI_BOTTOM, 1, absolute, next, 1, &here[1], 1, MPI_DOUBLE, last, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&absolute);

    /* the address of a buffer may be behind its data */
    MPI_Datatype backwards;
    MPI_Type_create_hvector(3, 1, -(MPI_Aint)sizeof(double), MPI_DOUBLE, &backwards);
    MPI_Type_commit(&backwards);
    double got[3];
    MPI_Request coming;
    MPI_Irecv(got, 3, MPI_DOUBLE, last, 2, MPI_COMM_WORLD, &coming);
    MPI_Sendrecv(&here[2], 1, backwards, next, 2, &here[3], 0, MPI_DOUBLE, MPI_PROC_NULL, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Wait(&coming, MPI_STATUS_IGNORE);
    MPI_Type_free(&backwards);

    /* arguments that count at the root alone, or not beside MPI_IN_PLACE */
    int *all = rank == 1 ? calloc(size, sizeof *all) : NULL;
    MPI_Gather(&rank, 1, MPI_INT, all, rank == 1 ? 1 : -7, rank == 1 ? MPI_INT : MPI_DATATYPE_NULL, 1,
               MPI_COMM_WORLD);
    MPI_Gather(rank == 1 ? MPI_IN_PLACE : &rank, rank == 1 ? -3 : 1, rank == 1 ? MPI_DATATYPE_NULL : MPI_INT, all,
               rank == 1 ? 1 : 0, rank == 1 ? MPI_INT : MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD);
    int mine = 0;
    MPI_Scatter(all, rank == 1 ? 1 : -1, rank == 1 ? MPI_INT : MPI_DATATYPE_NULL, rank == 1 ? MPI_IN_PLACE : &mine,
                rank == 1 ? -1 : 1, rank == 1 ? MPI_DATATYPE_NULL : MPI_INT, 1, MPI_COMM_WORLD);
    int table[16] = {0};
    MPI_Allgather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, table, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, table, (int[]){1, 1, 1, 1}, (int[]){0, 1, 2, 3}, MPI_INT,
                  MPI_COMM_WORLD);
    MPI_Reduce(&rank, rank == 1 ? (void *)&mine : (void *)&rank, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);

    /* one array for both sides, in parts that do not meet */
    int both[8] = {rank, rank, rank, rank};
    MPI_Alltoallv(both, (int[]){1, 1, 1, 1}, (int[]){0, 1, 2, 3}, MPI_INT, both, (int[]){1, 1, 1, 1},
                  (int[]){4, 5, 6, 7}, MPI_INT, MPI_COMM_WORLD);

    /* ranks that are none */
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int ranks[2] = {0, MPI_PROC_NULL}, same[2];
    MPI_Group_translate_ranks(world, 2, ranks, world, same);
    MPI_Group nobody;
    MPI_Group_incl(world, 0, NULL, &nobody);
    MPI_Comm none;
    MPI_Comm_create(MPI_COMM_WORLD, nobody, &none);
    MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, -5, &none);
    if (nobody != MPI_GROUP_EMPTY)
        MPI_Group_free(&nobody);
    MPI_Group_free(&world);

    /* coordinates out of range in a periodic dimension */
    int dims[2] = {2, 2}, periods[2] = {1, 0}, place;
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_rank(grid, (int[]){-3, 1}, &place);
    MPI_Comm_free(&grid);

    /* null requests may be waited for */
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int flag;
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);

    /* a datatype and an operation may be freed while they are in use */
    MPI_Datatype pair;
    MPI_Op add;
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(sum, 1, &add);
    double parts[2] = {1, rank}, total[2];
    MPI_Request reduction;
    MPI_Iallreduce(parts, total, 1, pair, add, MPI_COMM_WORLD, &reduction);
    MPI_Type_free(&pair);
    MPI_Op_free(&add);
    MPI_Wait(&reduction, MPI_STATUS_IGNORE);

    /* a datatype that is only a part of others needs no commit, a duplicate of a committed one neither */
    MPI_Datatype part, whole, again;
    MPI_Type_contiguous(2, MPI_INT, &part);
    MPI_Type_contiguous(2, part, &whole);
    MPI_Type_free(&part);
    MPI_Type_commit(&whole);
    MPI_Type_dup(whole, &again);
    MPI_Type_free(&whole);
    MPI_Bcast(table, 1, again, 0, MPI_COMM_WORLD);
    MPI_Type_free(&again);

    /* memory that comes and goes */
    for (int i = 0; i < 3; i++) {
        size_t bytes = 4096 * (i + 1);
        int *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MPI_Bcast(block, (int)(bytes / sizeof *block), MPI_INT, 0, MPI_COMM_WORLD);
        munmap(block, bytes);
    }
    static const int constants[4] = {1, 2, 3, 4};
    MPI_Irecv(table, 4, MPI_INT, last, 4, MPI_COMM_WORLD, &coming);
    MPI_Send(constants, 4, MPI_INT, next, 4, MPI_COMM_WORLD);
    MPI_Wait(&coming, MPI_STATUS_IGNORE);

    double deep = far_down_the_stack(rank, size);
    printf("rank %d: %g %g %g %d %g %g\n", rank, here[1], got[0], total[1], place, deep, total[0]);
    free(all);
    MPI_Finalize();
    return 0;
}
