// A library caches a private communicator and its working memory on each communicator that it is called with.
//
// Correct: the attribute of a communicator holds another one, which the delete callback frees when the user's
// communicator goes, the first one included when MPI_Finalize frees it (MPI 4.1, 7.7.2 and 11.2.4). Nothing leaks.
//
// ranks: 3

#include <mpi.h>
#include <stdlib.h>

typedef struct {
    MPI_Comm comm;
    MPI_Request request;
    int out, in;
} Cache;

static int keyval = MPI_KEYVAL_INVALID, alive;

static int drop(MPI_Comm comm, int key, void *attribute, void *extra)
{
    (void)comm, (void)key, (void)extra;
    Cache *cache = attribute;
    MPI_Request_free(&cache->request);
    MPI_Comm_free(&cache->comm);
    free(cache);
    if (--alive == 0)
        MPI_Comm_free_keyval(&keyval); /* inside the callback of an attribute of it */
    return MPI_SUCCESS;
}

/* the library: what the left neighbour in `user` says */
static int from_left(MPI_Comm user, int value)
{
    Cache *cache;
    int found;
    if (keyval == MPI_KEYVAL_INVALID)
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, &keyval, NULL);
    MPI_Comm_get_attr(user, keyval, &cache, &found);
    if (!found) {
        int rank, size;
        cache = malloc(sizeof *cache);
        MPI_Comm_dup(user, &cache->comm);
        MPI_Comm_rank(user, &rank);
        MPI_Comm_size(user, &size);
        MPI_Recv_init(&cache->in, 1, MPI_INT, (rank + size - 1) % size, 0, cache->comm, &cache->request);
        MPI_Comm_set_attr(user, keyval, cache);
        alive++;
    }
    int rank, size;
    MPI_Comm_rank(cache->comm, &rank);
    MPI_Comm_size(cache->comm, &size);
    cache->out = value;
    MPI_Start(&cache->request);
    MPI_Send(&cache->out, 1, MPI_INT, (rank + 1) % size, 0, cache->comm);
    MPI_Wait(&cache->request, MPI_STATUS_IGNORE);
    return cache->in;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm reversed, twin;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    for (int round = 0; round < 3; round++) {
        wrong += from_left(MPI_COMM_WORLD, rank + round) != (rank + 2) % 3 + round;
        wrong += from_left(reversed, rank) != (rank + 1) % 3;
    }
    wrong += from_left(MPI_COMM_SELF, 77) != 77;
    MPI_Comm_dup(reversed, &twin); /* does not inherit the attribute */
    wrong += alive != 3;
    wrong += from_left(twin, rank) != (rank + 1) % 3;
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&twin);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
    wrong += alive != 1;
    MPI_Finalize();
    return wrong != 0;
}
