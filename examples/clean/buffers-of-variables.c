// Correct uses of memory by other types than it is declared with, and of memory that is larger than one variable says:
// bytes, unions, casts, members that lie side by side, structures with a tail, arrays that a function has sized, memory
// of alloca, one pool for several kinds, addresses that datatypes have.
//
// ranks: 2

#include <alloca.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

union word {
    double real;
    int32_t halves[2];
};

struct pair {
    int first[4], second[4];
};

struct tail {
    int count;
    double values[];
};

struct header {
    int kind, length;
};

struct item {
    struct header header;
    double body[3];
};

static struct tail fixed_tail = {4, {1, 2, 3, 4}};
static double pool[64];
static char bytes[256];

/* Arrays of an old program that lie behind each other, which the linker sees to. */
int first_part[4] __attribute__((section("parts"))) = {1};
int second_part[4] __attribute__((section("parts"))) = {2};

static void both(int rank, void *buffer, int count, MPI_Datatype type)
{
    if (rank == 0)
        MPI_Send(buffer, count, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(buffer, count, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

#define real halves
static void macros(int rank)
{
    int halves[2] = {rank, rank};
    double *data = pool;
    MPI_Bcast(real, 2, MPI_INT, 0, MPI_COMM_WORLD);
    data += 2;
    MPI_Bcast(data, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
#undef real

static void sized(int rank, int n)
{
    double array[n];
    float *room = alloca(n * sizeof *room);
    memset(array, 0, n * sizeof *array);
    memset(room, 0, n * sizeof *room);
    both(rank, array, n, MPI_DOUBLE);
    both(rank, room, n, MPI_FLOAT);
    MPI_Bcast(array, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(room, n, MPI_FLOAT, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    double number = rank;
    MPI_Bcast(&number, sizeof number, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&number, sizeof(number) / sizeof(int), MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast((int *)&number, 2, MPI_INT, 0, MPI_COMM_WORLD);
    double numbers[4] = {0};
    MPI_Bcast(numbers, 2 * 4, MPI_INT, 0, MPI_COMM_WORLD);
    int *alias = (int *)numbers;
    MPI_Bcast(alias, 8, MPI_INT, 0, MPI_COMM_WORLD);
    both(rank, numbers, 4, MPI_DOUBLE);

    union word word = {.real = 1};
    MPI_Bcast(&word, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&word.real, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(word.halves, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);

    /* A member reaches into the next one. */
    struct pair pair = {{0}, {0}};
    MPI_Bcast(pair.first, 8, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&pair, 8, MPI_INT, 0, MPI_COMM_WORLD);

    struct tail *tail = calloc(1, sizeof *tail + 10 * sizeof(double));
    MPI_Bcast(tail->values, 10, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(fixed_tail.values, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    free(tail);

    /* The first member of a structure stands for all of it. */
    struct item item = {{1, 2}, {3}};
    MPI_Datatype parts[] = {MPI_INT, MPI_DOUBLE}, type;
    MPI_Aint places[] = {0, offsetof(struct item, body)};
    MPI_Type_create_struct(2, (int[]){2, 3}, places, parts, &type);
    MPI_Type_commit(&type);
    MPI_Bcast(&item, 1, type, 0, MPI_COMM_WORLD);
    MPI_Bcast(&item.header, 1, type, 0, MPI_COMM_WORLD);
    MPI_Bcast(&item.header.kind, 1, type, 0, MPI_COMM_WORLD);
    MPI_Type_free(&type);

    /* A datatype leads from one variable to others. */
    int whole = 1;
    float small[3] = {0};
    MPI_Aint origin, other;
    MPI_Get_address(&whole, &origin);
    MPI_Get_address(small, &other);
    MPI_Aint apart[] = {0, MPI_Aint_diff(other, origin)};
    MPI_Datatype kinds[] = {MPI_INT, MPI_FLOAT};
    MPI_Type_create_struct(2, (int[]){1, 3}, apart, kinds, &type);
    MPI_Type_commit(&type);
    MPI_Bcast(&whole, 1, type, 0, MPI_COMM_WORLD);
    MPI_Type_free(&type);

    /* A pool for several kinds of data. */
    int *integers = (int *)(pool + 32);
    MPI_Bcast(integers, 16, MPI_INT, 0, MPI_COMM_WORLD);
    void *anything = pool;
    MPI_Bcast(anything, 128, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(bytes, 16, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    int *lower = &first_part[0] < &second_part[0] ? first_part : second_part;
    MPI_Bcast(lower, 8, MPI_INT, 0, MPI_COMM_WORLD);

    /* Signs and truth values are the program's business. */
    unsigned flags[2] = {1, 2};
    MPI_Bcast(flags, 2, MPI_INT, 0, MPI_COMM_WORLD);
    _Complex double z[2] = {1, 2};
    MPI_Bcast(z, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    double parts_of_z[4] = {0};
    MPI_Bcast(parts_of_z, 2, MPI_C_DOUBLE_COMPLEX, 0, MPI_COMM_WORLD);
    enum { RED, GREEN } colour = RED;
    MPI_Bcast(&colour, 1, MPI_INT, 0, MPI_COMM_WORLD);
    struct {
        double value;
        int place;
    } mine = {rank, rank}, largest;
    MPI_Allreduce(&mine, &largest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);

    /* A name in two scopes. */
    {
        float number = 1;
        MPI_Bcast(&number, 1, MPI_FLOAT, 0, MPI_COMM_WORLD);
    }
    /* Buffers that nobody looks at. */
    MPI_Reduce(numbers, rank == 0 ? parts_of_z : NULL, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Gather(numbers, 2, MPI_DOUBLE, rank == 0 ? parts_of_z : numbers, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Send(bytes, 100000, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    sized(rank, 4 + argc);
    sized(rank, 20);
    macros(rank);
    MPI_Finalize();
    return 0;
}
