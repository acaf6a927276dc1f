// Error handlers of the program that do more than return, one by argument.

#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static jmp_buf before;
static int jumps, errors;

// Calls MPI by itself.
static void ask(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    int size;
    MPI_Comm_size(*comm, &size);
    errors++;
}

static void jump(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    int size;
    MPI_Comm_size(*comm, &size);
    longjmp(before, 1);
}

// A message that is too long arrives in a loop of polls.
static void poll(int rank, MPI_Comm comm)
{
    int large[64] = {0}, small = 0, done = 0;
    if (rank == 1) {
        MPI_Recv(large, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
        usleep(100000);
        MPI_Send(large, 64, MPI_INT, 0, 1, comm);
        return;
    }
    MPI_Request request;
    MPI_Irecv(&small, 1, MPI_INT, 1, 1, comm, &request);
    MPI_Send(large, 1, MPI_INT, 1, 0, comm);
    while (!done && !errors)
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (request != MPI_REQUEST_NULL)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void *other(void *comm)
{
    int size;
    MPI_Comm_size(*(MPI_Comm *)comm, &size);
    MPI_Barrier(*(MPI_Comm *)comm);
    return NULL;
}

// Another thread goes on when the handler has jumped out of a call of this one.
static void jumping(MPI_Comm comm)
{
    pthread_t thread;
    static volatile int destination = 99;
    if (setjmp(before))
        jumps++;
    else
        MPI_Send(&jumps, 1, MPI_INT, destination, 0, comm);
    pthread_create(&thread, NULL, other, &comm);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(strcmp(how, "poll") ? jump : ask, &handler);
    MPI_Comm_set_errhandler(copy, handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    if (!strcmp(how, "poll"))
        poll(rank, copy);
    else
        jumping(copy);
    MPI_Comm_free(&copy);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    printf("%d errors, %d jumps\n", errors, jumps);
    return 0;
}
