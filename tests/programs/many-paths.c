/* One mistake in a function that is called from several: integers are sent and floats received, with a tag that few libraries have. */
#include <mpi.h>

static int rank, numbers[4];
static float places[4];

static void exchange(void) {
    if (rank % 2 == 0)
        MPI_Send(numbers, 4, MPI_INT, rank + 1, 40000, MPI_COMM_WORLD);
    else
        MPI_Recv(places, 4, MPI_FLOAT, rank - 1, 40000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void __attribute__((noinline)) north(void) {
    exchange();
    __asm__ volatile("");
}

static void __attribute__((noinline)) south(void) {
    exchange();
    __asm__ volatile("");
}

static void __attribute__((noinline)) twice(void) {
    for (int i = 0; i < 2; i++)
        north();
    south();
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    exchange();
    north();
    south();
    twice();
    MPI_Finalize();
    return 0;
}
