// A correct program on a busy machine: random operations, of which some ranks are late because they sleep or compute, and
// all of whose ranks are stopped and continued at any time. It relies on no buffering and on no collective operation that
// returns early. Ends with "all right". Usage: under-load SEED ROUNDS
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LONG = 50000 }; /* ints in a message that no library buffers */

static int rank, size, left, right, big[LONG], other[LONG];
static unsigned long own; /* state of this rank's random numbers */

static unsigned draw(unsigned long *state, unsigned limit)
{
    *state = *state * 6364136223846793005ul + 1442695040888963407ul;
    return (unsigned)(*state >> 33) % limit;
}

static void check(int good, const char *what)
{
    if (!good) {
        printf("rank %d: wrong data in %s\n", rank, what);
        fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static void compute(double seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    double end = now.tv_sec + 1e-9 * now.tv_nsec + seconds;
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    while (now.tv_sec + 1e-9 * now.tv_nsec < end);
}

/* Most ranks are in time, some a little late, and now and then one very much. */
static void be_late(void)
{
    switch (draw(&own, 60)) {
    case 0: usleep(500000); break;
    case 1: compute(0.1); break;
    case 2: case 3: usleep(draw(&own, 150000)); break;
    case 4: case 5: compute(1e-3 * draw(&own, 30)); break;
    default: break;
    }
}

/* A process beside this one stops it for a while, again and again, until `*over`. */
static pid_t disturb(atomic_int *over)
{
    pid_t parent = getpid(), child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    unsigned long state = own ^ 0x5555;
    while (!*over && getppid() == parent) {
        usleep(draw(&state, 400000));
        kill(parent, SIGSTOP);
        usleep(draw(&state, 8) == 0 ? 500000 : draw(&state, 50000));
        kill(parent, SIGCONT);
    }
    _exit(0);
}

static void pairs(int synchronous)
{
    int partner = rank ^ 1, count = synchronous ? 1 : LONG;
    if (partner >= size)
        return;
    for (int turn = 0; turn < 2; turn++) {
        if (turn != rank % 2)
            MPI_Recv(other, count, MPI_INT, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (synchronous)
            MPI_Ssend(big, count, MPI_INT, partner, 1, MPI_COMM_WORLD);
        else
            MPI_Send(big, count, MPI_INT, partner, 1, MPI_COMM_WORLD);
    }
    check(other[0] == partner, "pairs");
}

/* The tag is that of the round: who is early for the next one must not be taken for this one. */
static void everybody_to(int root, int probe, int tag)
{
    int sum = 0, value = rank;
    if (rank != root) {
        MPI_Send(&value, 1, MPI_INT, root, tag, MPI_COMM_WORLD);
        return;
    }
    for (int i = 1; i < size; i++) {
        MPI_Status status;
        int there = !probe, source = MPI_ANY_SOURCE;
        while (!there) {
            MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &there, &status);
            source = there ? status.MPI_SOURCE : source;
        }
        MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, &status);
        check(value == status.MPI_SOURCE, "messages from any source");
        sum += value;
    }
    check(sum == size * (size - 1) / 2 - root, "sum of ranks");
}

static void nonblocking(int how)
{
    int in = -1, flag = 0, index;
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[0]);
    be_late();
    MPI_Isend(&rank, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[1]);
    if (how == 0)
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    else if (how == 1)
        while (!flag)
            MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    else
        for (int i = 0; i < 2; i++)
            MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    check(in == left, "a ring of nonblocking messages");
}

static void one_after_the_other(void)
{
    int token = 0;
    if (rank > 0)
        MPI_Recv(&token, 1, MPI_INT, rank - 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    be_late();
    token++;
    if (rank < size - 1)
        MPI_Send(&token, 1, MPI_INT, rank + 1, 4, MPI_COMM_WORLD);
    check(token == rank + 1, "a chain");
}

static void consensus(void)
{
    MPI_Request request;
    int flag = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static void halves(void)
{
    MPI_Comm half;
    int members, sum, one = 1;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    be_late();
    MPI_Comm_size(half, &members);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, half);
    check(sum == members, "a reduction in one half");
    MPI_Comm_free(&half);
}

static void with_root(int root)
{
    int value = rank == root ? 77 : 0, sum = 0;
    MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD);
    be_late();
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    check(rank != root || sum == 77 * size, "broadcast and reduction");
}

static void step(unsigned kind, int root, int round)
{
    int in, sum;
    switch (kind) {
    case 0:
        MPI_Sendrecv(&rank, 1, MPI_INT, right, 0, &in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(in == left, "a ring");
        break;
    case 1: pairs(0); break;
    case 2: pairs(1); break;
    case 3: MPI_Barrier(MPI_COMM_WORLD); break;
    case 4:
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        check(sum == size * (size - 1) / 2, "a reduction");
        break;
    case 5: with_root(root); break;
    case 6: case 7: everybody_to(root, kind == 7, 10 + round); break;
    case 8: case 9: case 10: nonblocking(kind - 8); break;
    case 11: one_after_the_other(); break;
    case 12: consensus(); break;
    default: halves(); break;
    }
}

int main(int argc, char **argv)
{
    unsigned long common = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    int rounds = argc > 2 ? atoi(argv[2]) : 20;
    own = common * 1000003 + (unsigned long)getpid();
    draw(&common, 2);
    atomic_int *over = mmap(NULL, sizeof *over, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (over == MAP_FAILED)
        return 2;
    /* From before MPI_Init on, so that this process is no MPI process. */
    pid_t child = disturb(over);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    big[0] = rank;
    for (int round = 0; round < rounds; round++) {
        unsigned kind = draw(&common, 14);
        int root = (int)draw(&common, (unsigned)size);
        be_late();
        step(kind, root, round);
    }
    *over = 1;
    /* It ends with a SIGCONT, so that nobody stays stopped. */
    waitpid(child, NULL, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("all right\n");
    MPI_Finalize();
    return 0;
}
