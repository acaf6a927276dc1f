// Derived types of every kind, sent as one type and received as another with the same signature.
//
// Correct: the standard compares the sequences of basic types, not the layouts, nor the counts of derived
// items; types may be freed while a request that uses them is pending.
//
// ranks: 2

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

enum { N = 12 };

typedef struct {
    char tag;
    int id;
    double x[2];
} Particle;

static int from, to, rank;

/* one message from rank 0 to rank 1: the sender's view and the receiver's view of it */
static void transfer(void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                     MPI_Datatype in_type)
{
    MPI_Request request;
    if (rank == from) {
        MPI_Isend(out, out_count, out_type, to, 0, MPI_COMM_WORLD, &request);
    } else {
        MPI_Irecv(in, in_count, in_type, from, 0, MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static long checksum(const int *a, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += (long)(i + 1) * a[i];
    return sum;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    from = 0, to = 1;

    int matrix[N][N], flat[N * N] = {0};
    for (int i = 0; i < N * N; i++)
        matrix[i / N][i % N] = rank == from ? i : -1;

    MPI_Datatype column, columns, block, indexed, every_other, triangle;
    MPI_Type_vector(N, 1, N, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &columns);
    MPI_Type_create_subarray(2, (int[]){N, N}, (int[]){3, 4}, (int[]){5, 6}, MPI_ORDER_C, MPI_INT, &block);
    MPI_Type_indexed(3, (int[]){2, 3, 1}, (int[]){40, 10, 100}, MPI_INT, &indexed);
    MPI_Type_create_hvector(5, 2, 4 * sizeof(int), MPI_INT, &every_other);
    MPI_Type_create_indexed_block(4, 3, (int[]){0, 30, 60, 90}, MPI_INT, &triangle);
    MPI_Datatype *types[] = {&column, &columns, &block, &indexed, &every_other, &triangle};
    for (int i = 0; i < 6; i++)
        MPI_Type_commit(types[i]);

    transfer(matrix, 1, column, flat, N, MPI_INT);          /* a column becomes a row */
    transfer(flat, 3 * N, MPI_INT, matrix, 3, columns);     /* rows become three columns */
    transfer(matrix, 1, block, flat + N, 12, MPI_INT);      /* a block becomes contiguous */
    transfer(flat, 6, MPI_INT, matrix, 1, indexed);         /* pieces out of order */
    transfer(matrix, 1, every_other, flat + 40, 10, MPI_INT);
    transfer(matrix, 1, triangle, flat + 60, 1, triangle);
    transfer(matrix, 2, every_other, flat + 70, 4, every_other); /* shorter than the buffer */

    /* a struct with gaps, received as a struct of arrays */
    Particle particles[4];
    struct {
        double x[4][2];
        int id[4];
        char tag[4];
    } arrays;
    for (int i = 0; i < 4; i++)
        particles[i] = (Particle){(char)('a' + i), 7 * i, {0.5 * i, 1.5 * i}};
    MPI_Datatype fields[3] = {MPI_CHAR, MPI_INT, MPI_DOUBLE}, particle, scattered, all[12];
    MPI_Aint at[3] = {offsetof(Particle, tag), offsetof(Particle, id), offsetof(Particle, x)}, places[12];
    MPI_Type_create_struct(3, (int[]){1, 1, 2}, at, fields, &particle);
    int lengths[12];
    for (int i = 0; i < 12; i++) {
        all[i] = fields[i % 3];
        lengths[i] = i % 3 == 2 ? 2 : 1;
        void *place = i % 3 == 0 ? (void *)&arrays.tag[i / 3]
                      : i % 3 == 1 ? (void *)&arrays.id[i / 3] : (void *)arrays.x[i / 3];
        MPI_Get_address(place, &places[i]); /* absolute: received at MPI_BOTTOM */
    }
    MPI_Type_create_struct(12, lengths, places, all, &scattered);
    MPI_Type_commit(&particle);
    MPI_Type_commit(&scattered);
    transfer(particles, 4, particle, MPI_BOTTOM, 1, scattered);

    /* a type may be freed while a request that uses it is pending */
    MPI_Request request;
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    if (rank == from)
        MPI_Isend(matrix, 3, pair, to, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(flat, 3, pair, from, 0, MPI_COMM_WORLD, &request);
    MPI_Type_free(&pair);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    if (rank == to)
        printf("%ld %ld, last particle %c %d %.1f\n", checksum(flat, N * N), checksum(&matrix[0][0], N * N),
               arrays.tag[3], arrays.id[3], arrays.x[3][1]);
    for (int i = 0; i < 6; i++)
        MPI_Type_free(types[i]);
    MPI_Type_free(&particle);
    MPI_Type_free(&scattered);
    MPI_Finalize();
    return 0;
}
