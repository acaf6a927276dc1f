/* It is known beforehand what `mpivet stats` and `mpivet export` must say. 4 ranks.
   ring: each rank sends 3 messages of 1, 2, 4, ... 4096 bytes to the next one, and 2 empty ones.
   waits: at each marked line one rank comes half a second late. */
#include <mpi.h>
#include <mpivet.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 8 << 20, LARGEST = 4096 };

static int rank, size;

static void late(int who) {
    if (rank == who) usleep(500 * 1000);
}

static void ring(void) {
    static char out[LARGEST], in[LARGEST];
    int next = (rank + 1) % size, last = (rank + size - 1) % size;
    mpivet_region_begin("ring, \"round\"");
    for (int bytes = 1; bytes <= LARGEST; bytes *= 2)
        for (int i = 0; i < 3; i++)
            MPI_Sendrecv(out, bytes, MPI_BYTE, next, i, in, bytes, MPI_BYTE, last, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mpivet_region_end("ring, \"round\"");
    for (int i = 0; i < 2; i++) {
        MPI_Request request;
        MPI_Irecv(in, 0, MPI_INT, last, 7, MPI_COMM_WORLD, &request);
        MPI_Send(out, 0, MPI_INT, next, 7, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 5; i++) {
        int sum, one = 1;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Comm pair;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
    MPI_Comm_set_name(pair, rank < 2 ? "low, low" : "high");
    MPI_Barrier(pair);
    MPI_Comm_free(&pair);
}

static void waits(void) {
    char *large = calloc(LARGE, 1);
    int value = 0, sum = 0;
    MPI_Request request;

    MPI_Barrier(MPI_COMM_WORLD);
    late(0);
    if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* late sender */

    MPI_Barrier(MPI_COMM_WORLD);
    late(1);
    if (rank == 0) MPI_Ssend(large, LARGE, MPI_BYTE, 1, 2, MPI_COMM_WORLD); /* late receiver */
    if (rank == 1) MPI_Recv(large, LARGE, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* is late itself */

    MPI_Barrier(MPI_COMM_WORLD);
    late(2);
    MPI_Barrier(MPI_COMM_WORLD); /* unbalanced */

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 3) MPI_Irecv(&value, 1, MPI_INT, 2, 3, MPI_COMM_WORLD, &request); /* only begins */
    late(2);
    if (rank == 2) MPI_Send(&value, 1, MPI_INT, 3, 3, MPI_COMM_WORLD);
    if (rank == 3) MPI_Waitall(1, &request, (MPI_Status[1]){{0}}); /* really waits */

    MPI_Barrier(MPI_COMM_WORLD);
    late(3);
    MPI_Bcast(&value, 1, MPI_INT, 3, MPI_COMM_WORLD); /* late root */

    MPI_Barrier(MPI_COMM_WORLD);
    late(3);
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); /* only the root must wait */

    MPI_Barrier(MPI_COMM_WORLD);
    free(large);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && strcmp(argv[1], "waits") == 0) {
        waits();
    } else {
        ring();
    }
    MPI_Finalize();
    return 0;
}
