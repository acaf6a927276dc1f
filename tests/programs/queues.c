/* Posts operations of every kind, writes down what a debugger must be told of them, and hangs.
   queues DIR: each of 4 ranks writes DIR/expected.RANK; queues DIR busy: all go on for ever, and messages say by their tags
   what they are. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *expected;
static int rank;
static MPI_Comm halo;

static void comm(const char *name, int own, int size, const char *group) {
  fprintf(expected, "comm rank %d size %d group %s name %s\n", own, size, group, name);
}

static void operation(const char *queue, int peer, int global, int tag, int length, const void *buffer, const char *text) {
  fprintf(expected, "  %s status 0 rank %d global %d tag %d wild %d length %d system 0 buffer %#lx | %s\n", queue, peer,
          global, tag < 0 ? -1 : tag, tag < 0, length, (unsigned long)buffer, text);
}

static void ready(const char *dir) {
  char path[4096], final[4096];
  snprintf(path, sizeof path, "%s/expected.%d.new", dir, rank);
  snprintf(final, sizeof final, "%s/expected.%d", dir, rank);
  fclose(expected);
  rename(path, final);
}

enum { LARGE = 1 << 20, MAX_TAG = 200 };
static int base[MAX_TAG][MAX_TAG], sent[MAX_TAG][MAX_TAG];

/* A message with tag T has T integers, at base[T] or sent[T]. */
static void busy(const char *dir) {
  MPI_Comm_dup(MPI_COMM_WORLD, &halo);
  MPI_Comm_set_name(halo, "halo");
  fprintf(expected, "busy %#lx %#lx %d\n", (unsigned long)base, (unsigned long)sent, (int)sizeof base[0]);
  ready(dir);
  int size;
  MPI_Comm_size(halo, &size);
  for (unsigned n = 0;; n++) {
    MPI_Request requests[8];
    MPI_Comm other, of = n & 1 ? halo : MPI_COMM_WORLD;
    for (int i = 0; i < 4; i++) {
      int tag = 1 + (n * 4 + i) % (MAX_TAG - 1);
      MPI_Irecv(base[tag], tag, MPI_INT, (rank + size - 1) % size, tag, of, &requests[i]);
      MPI_Isend(sent[tag], tag, MPI_INT, (rank + 1) % size, tag, of, &requests[4 + i]);
    }
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    int tag = 1 + n % (MAX_TAG - 1);
    MPI_Sendrecv(sent[tag], tag, MPI_INT, (rank + 1) % size, tag, base[tag], tag, MPI_INT, (rank + size - 1) % size, tag,
                 of, MPI_STATUS_IGNORE);
    if (n % 50 == 0) {
      MPI_Comm_split(of, 0, -rank, &other);
      MPI_Comm_free(&other);
    }
  }
}

static int in[16][16], out[16][16], large[LARGE];

static void post(void) {
  static char attached[1 << 16];
  MPI_Request r[16];
  MPI_Comm reversed, freed, dying;
  MPI_Datatype pair;
  MPI_Comm_dup(MPI_COMM_WORLD, &halo);
  MPI_Comm_set_name(halo, "halo");
  MPI_Comm_dup(halo, &freed);
  MPI_Comm_free(&freed);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, -rank, &reversed);
  MPI_Comm_set_name(reversed, "pairs, the other way round, and a name that fills its place......");
  MPI_Comm_dup(MPI_COMM_WORLD, &dying);
  MPI_Comm_set_name(dying, "dying");
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_set_name(pair, "point");
  MPI_Type_commit(&pair);
  MPI_Buffer_attach(attached, sizeof attached);
  if (rank == 1) MPI_Irecv(in[0], 3, MPI_INT, 0, 30, MPI_COMM_WORLD, &r[0]);
  MPI_Barrier(MPI_COMM_WORLD);

  comm("MPI_COMM_WORLD", rank, 4, "0 1 2 3");
  if (rank == 0) {
    /* Not those: to nobody, complete, described but not started, and started and complete. */
    MPI_Request none, self, rest;
    MPI_Isend(out[0], 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &none);
    MPI_Recv_init(in[1], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &none);
    MPI_Recv_init(in[2], 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &rest);
    MPI_Start(&rest);
    MPI_Isend(out[0], 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &self);
    MPI_Wait(&rest, MPI_STATUS_IGNORE);
    MPI_Wait(&self, MPI_STATUS_IGNORE);
    MPI_Irecv(in[3], 10, MPI_INT, 1, 7, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(in[4], 3, MPI_DOUBLE, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &r[1]);
    MPI_Irecv(in[5], 16, MPI_CHAR, 2, MPI_ANY_TAG, MPI_COMM_WORLD, &r[2]);
    MPI_Irecv(in[6], 4, pair, MPI_ANY_SOURCE, MPI_ANY_TAG, halo, &r[3]);
    MPI_Recv_init(in[7], 5, MPI_INT, 3, 9, MPI_COMM_WORLD, &r[4]);
    MPI_Irecv(in[8], 1, MPI_INT, 0, 10, reversed, &r[6]);
    MPI_Irecv(in[9], 1, MPI_INT, 1, 11, dying, &r[7]);
    MPI_Isend(large, LARGE, MPI_INT, 1, 20, MPI_COMM_WORLD, &r[8]);
    MPI_Start(&r[4]);
    MPI_Issend(out[1], 2, MPI_INT, 2, 21, MPI_COMM_WORLD, &r[9]);
    MPI_Irsend(out[2], 3, MPI_INT, 1, 30, MPI_COMM_WORLD, &r[10]);
    MPI_Ibsend(out[3], 4, MPI_INT, 3, 22, MPI_COMM_WORLD, &r[11]);
    MPI_Ssend_init(out[4], 0, MPI_INT, 2, 23, MPI_COMM_WORLD, &r[12]);
    MPI_Startall(1, &r[12]);
    operation("send", 1, 1, 20, 4 * LARGE, large, "MPI_Isend | 1048576 x MPI_INT");
    operation("send", 2, 2, 21, 8, out[1], "MPI_Issend | 2 x MPI_INT");
    operation("send", 1, 1, 30, 12, out[2], "MPI_Irsend | 3 x MPI_INT");
    operation("send", 3, 3, 22, 16, out[3], "MPI_Ibsend | 4 x MPI_INT");
    operation("send", 2, 2, 23, 0, out[4], "MPI_Ssend_init, started again | 0 x MPI_INT");
    operation("receive", 1, 1, 7, 40, in[3], "MPI_Irecv | 10 x MPI_INT");
    operation("receive", -1, -1, 8, 24, in[4], "MPI_Irecv | 3 x MPI_DOUBLE");
    operation("receive", 2, 2, -1, 16, in[5], "MPI_Irecv | 16 x MPI_CHAR");
    operation("receive", 3, 3, 9, 20, in[7], "MPI_Recv_init, started again | 5 x MPI_INT");
  } else if (rank == 1) {
    operation("receive", 0, 0, 30, 12, in[0], "MPI_Irecv | 3 x MPI_INT");
  } else if (rank == 2) {
    operation("receive", -1, -1, 60, 0, NULL, "MPI_Probe, which has not returned");
  }
  MPI_Comm_free(&dying);
  char alone[8];
  snprintf(alone, sizeof alone, "%d", rank);
  comm("MPI_COMM_SELF", 0, 1, alone);
  comm("halo", rank, 4, "0 1 2 3");
  if (rank == 0) operation("send", 1, 1, 77, 60, out[5], "MPI_Ssend, which has not returned | 15 x MPI_INT");
  if (rank == 0) operation("receive", -1, -1, -1, 64, in[6], "MPI_Irecv | 4 x point");
  if (rank == 1) operation("send", 0, 0, 50, 16, out[6], "MPI_Sendrecv, which has not returned | 4 x MPI_INT");
  if (rank == 1) operation("receive", 2, 2, 51, 32, in[10], "MPI_Sendrecv, which has not returned | 8 x MPI_INT");
  if (rank == 3) operation("receive", -1, -1, -1, 24, in[11], "MPI_Recv, which has not returned | 6 x MPI_INT");
  comm("pairs, the other way round, and a name that fills its place....", 1 - rank % 2, 2, rank < 2 ? "1 0" : "3 2");
  if (rank == 0) {
    operation("receive", 0, 1, 10, 4, in[8], "MPI_Irecv | 1 x MPI_INT");
    /* Freed, but an operation on it is under way. */
    comm("dying", 0, 4, "0 1 2 3");
    operation("receive", 1, 1, 11, 4, in[9], "MPI_Irecv | 1 x MPI_INT");
  }
}

static void hang(void) {
  MPI_Status status;
  if (rank == 0) MPI_Ssend(out[5], 15, MPI_INT, 1, 77, halo);
  if (rank == 1) MPI_Sendrecv(out[6], 4, MPI_INT, 0, 50, in[10], 8, MPI_INT, 2, 51, halo, &status);
  if (rank == 2) MPI_Probe(MPI_ANY_SOURCE, 60, MPI_COMM_WORLD, &status);
  if (rank == 3) MPI_Recv(in[11], 6, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, halo, &status);
}

int main(int argc, char **argv) {
  char path[4096];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s/expected.%d.new", argv[1], rank);
  expected = fopen(path, "w");
  fprintf(expected, "pid %d\n", (int)getpid());
  if (argc > 2) busy(argv[1]);
  post();
  ready(argv[1]);
  hang();
  MPI_Finalize();
  return 0;
}
