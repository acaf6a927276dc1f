// Plays communication schedules: reads a file, one operation a line, and every rank performs its own lines
// in order. The lines are written by tests/src/schedule/; its module comment describes them.
//
// usage: player [-s] FILE      -s: standard sends become synchronous, nothing is buffered
//
// Every message carries values that follow from its number, and every receive checks them: a schedule that
// runs through has had the matches that its author meant. The exit code is 1 if a value was wrong.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 600, MOST_SLOTS = 512, MOST_COMMS = 16, MOST_RANKS = 8, MOST_ELEMENTS = 4 };

static int world_rank, wrong, checking, synchronous;
static char *words[MOST_WORDS]; /* of the line that is being performed */
static int word_count, word_at;

static void die(const char *what)
{
    fprintf(stderr, "player: %s in line: %s %s ...\n", what, words[0], words[1]);
    MPI_Abort(MPI_COMM_WORLD, 99);
}

static const char *word(void)
{
    if (word_at >= word_count)
        die("missing word");
    return words[word_at++];
}

static int number(void)
{
    const char *w = word();
    return strcmp(w, "*") == 0 ? -1 : atoi(w);
}

static int peer(void)
{
    const char *w = word();
    return strcmp(w, "*") == 0 ? MPI_ANY_SOURCE : strcmp(w, "null") == 0 ? MPI_PROC_NULL : atoi(w);
}

static int tag(void)
{
    const char *w = word();
    return strcmp(w, "*") == 0 ? MPI_ANY_TAG : atoi(w);
}

/* ---- memory: freed at the very end, since an operation may never be completed ---- */

static struct Room {
    struct Room *next;
} *rooms;

static void *room(size_t bytes)
{
    struct Room *r = calloc(1, sizeof *r + 16 + bytes);
    r->next = rooms;
    rooms = r;
    return (char *)r + 16;
}

/* ---- datatypes: five layouts of six basic types, and a pair in two layouts ---- */

typedef struct {
    char name[16];
    MPI_Datatype type;
    int elements;              /* basic elements of one item */
    MPI_Aint at[MOST_ELEMENTS]; /* where they lie, in the order of the signature */
    char kind[MOST_ELEMENTS];
    MPI_Aint extent;
} Layout;

static Layout layouts[64];
static int layout_count;

static void add_layout(const char *base, const char *name, MPI_Datatype type, int elements,
                       const MPI_Aint *at, const char *kinds)
{
    Layout *l = &layouts[layout_count++];
    MPI_Aint low;
    snprintf(l->name, sizeof l->name, "%s.%s", base, name);
    l->type = type;
    l->elements = elements;
    for (int i = 0; i < elements; i++) {
        l->at[i] = at[i];
        l->kind[i] = kinds[i];
    }
    MPI_Type_commit(&l->type);
    MPI_Type_get_extent(l->type, &low, &l->extent);
}

static void make_layouts(void)
{
    const struct {
        const char *name, *kinds;
        MPI_Datatype type;
        MPI_Aint size;
    } bases[] = {
        {"int", "iiii", MPI_INT, sizeof(int)},       {"float", "ffff", MPI_FLOAT, sizeof(float)},
        {"long", "llll", MPI_LONG, sizeof(long)},    {"double", "dddd", MPI_DOUBLE, sizeof(double)},
        {"char", "cccc", MPI_CHAR, sizeof(char)},    {"byte", "cccc", MPI_BYTE, 1},
    };
    MPI_Datatype t;
    for (int b = 0; b < 6; b++) {
        MPI_Aint s = bases[b].size;
        add_layout(bases[b].name, "one", bases[b].type, 1, (MPI_Aint[]){0}, bases[b].kinds);
        MPI_Type_contiguous(3, bases[b].type, &t);
        add_layout(bases[b].name, "block", t, 3, (MPI_Aint[]){0, s, 2 * s}, bases[b].kinds);
        MPI_Type_vector(3, 1, 2, bases[b].type, &t);
        add_layout(bases[b].name, "comb", t, 3, (MPI_Aint[]){0, 2 * s, 4 * s}, bases[b].kinds);
        MPI_Type_indexed(3, (int[]){1, 2, 1}, (int[]){5, 0, 3}, bases[b].type, &t);
        add_layout(bases[b].name, "mixed", t, 4, (MPI_Aint[]){5 * s, 0, s, 3 * s}, bases[b].kinds);
        MPI_Type_create_resized(bases[b].type, 0, 2 * s, &t);
        add_layout(bases[b].name, "wide", t, 1, (MPI_Aint[]){0}, bases[b].kinds);
    }
    MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE};
    for (int swapped = 0; swapped < 2; swapped++) {
        MPI_Aint at[2] = {swapped ? 8 : 0, swapped ? 0 : 8};
        MPI_Type_create_struct(2, (int[]){1, 1}, at, parts, &t);
        MPI_Datatype whole;
        MPI_Type_create_resized(t, 0, 16, &whole);
        MPI_Type_free(&t);
        add_layout("pair", swapped ? "back" : "forth", whole, 2, at, "id");
    }
}

static const Layout *layout(void)
{
    const char *w = word();
    for (int i = 0; i < layout_count; i++)
        if (strcmp(layouts[i].name, w) == 0)
            return &layouts[i];
    die("unknown type");
    return NULL;
}

static char *place(const Layout *l, void *buffer, long element)
{
    return (char *)buffer + element / l->elements * l->extent + l->at[element % l->elements];
}

static void put(const Layout *l, void *buffer, long element, long value)
{
    char *p = place(l, buffer, element);
    switch (l->kind[element % l->elements]) {
    case 'i': memcpy(p, &(int){value}, sizeof(int)); break;
    case 'l': memcpy(p, &value, sizeof(long)); break;
    case 'f': memcpy(p, &(float){value}, sizeof(float)); break;
    case 'd': memcpy(p, &(double){value}, sizeof(double)); break;
    default: *p = value;
    }
}

static long get(const Layout *l, void *buffer, long element)
{
    char *p = place(l, buffer, element);
    int i;
    long n;
    float f;
    double d;
    switch (l->kind[element % l->elements]) {
    case 'i': memcpy(&i, p, sizeof i); return i;
    case 'l': memcpy(&n, p, sizeof n); return n;
    case 'f': memcpy(&f, p, sizeof f); return f;
    case 'd': memcpy(&d, p, sizeof d); return d;
    default: return *p;
    }
}

static void compare(const char *what, int id, long element, long value, long expected)
{
    if (value == expected || !checking)
        return;
    if (wrong++ < 5)
        printf("rank %d: %s %d: element %ld is %ld, not %ld\n", world_rank, what, id, element, value, expected);
}

/* ---- messages ---- */

static long message_value(int id, long element)
{
    return (id * 7 + element * 3) % 101;
}

static void *message_room(const Layout *l, int count)
{
    return room((count + 1) * l->extent + 64);
}

static void fill_message(const Layout *l, void *buffer, int count, int id)
{
    for (long e = 0; e < (long)count * l->elements; e++)
        put(l, buffer, e, message_value(id, e));
}

static void check_message(const Layout *l, void *buffer, long elements, int id)
{
    for (long e = 0; e < elements; e++)
        compare("message", id, e, get(l, buffer, e), message_value(id, e));
}

/* ---- collective operations ---- */

typedef struct {
    char name[24];
    const Layout *layout;
    MPI_Comm comm;
    MPI_Op op;
    char op_name[8];
    int root, rank, size, count, in_place, id;
    void *in, *out;
    int in_counts[MOST_RANKS], in_starts[MOST_RANKS], out_counts[MOST_RANKS], out_starts[MOST_RANKS];
    MPI_Datatype types[MOST_RANKS];
} Collective;

/* what rank `from` gives to rank `to`, element by element of their block */
static long block_value(const Collective *c, int from, int to, long element)
{
    return (c->id * 7 + from * 13 + to * 29 + element * 3) % 101;
}

/* what a rank contributes to a reduction */
static long term(const Collective *c, int rank, long element)
{
    return 1 + (c->id + rank + element) % 3;
}

static long combine(const char *op, long a, long b)
{
    switch (op[0] * 256 + op[1]) {
    case 's' * 256 + 'u': return a + b;
    case 'p' * 256 + 'r': return a * b;
    case 'm' * 256 + 'a': return a > b ? a : b;
    case 'm' * 256 + 'i': return a < b ? a : b;
    case 'b' * 256 + 'a': return a & b;
    case 'b' * 256 + 'o': return a | b;
    case 'b' * 256 + 'x': return a ^ b;
    case 'l' * 256 + 'a': return a && b;
    default: return a || b;
    }
}

static MPI_Op operation(const char *op)
{
    switch (op[0] * 256 + op[1]) {
    case 's' * 256 + 'u': return MPI_SUM;
    case 'p' * 256 + 'r': return MPI_PROD;
    case 'm' * 256 + 'a': return MPI_MAX;
    case 'm' * 256 + 'i': return MPI_MIN;
    case 'b' * 256 + 'a': return MPI_BAND;
    case 'b' * 256 + 'o': return MPI_BOR;
    case 'b' * 256 + 'x': return MPI_BXOR;
    case 'l' * 256 + 'a': return MPI_LAND;
    default: return MPI_LOR;
    }
}

/* items that one rank gives another in the operations with counts */
static int amount(const Collective *c, int from, int to)
{
    return (c->id + from + 2 * to) % 3 * c->count;
}

static int is(const Collective *c, const char *name)
{
    return strcmp(c->name, name) == 0;
}

static void fill_block(Collective *c, void *buffer, int item, int items, int from, int to)
{
    long first = (long)item * c->layout->elements;
    for (long e = 0; e < (long)items * c->layout->elements; e++)
        put(c->layout, buffer, first + e, block_value(c, from, to, e));
}

static void check_block(Collective *c, int item, int items, int from, int to)
{
    long first = (long)item * c->layout->elements;
    for (long e = 0; e < (long)items * c->layout->elements; e++)
        compare(c->name, c->id, e, get(c->layout, c->out, first + e), block_value(c, from, to, e));
}

static void check_reduced(Collective *c, long elements, long first, int first_rank, int last_rank)
{
    for (long e = 0; e < elements; e++) {
        long expected = term(c, first_rank, first + e);
        for (int r = first_rank + 1; r <= last_rank; r++)
            expected = combine(c->op_name, expected, term(c, r, first + e));
        compare(c->name, c->id, e, get(c->layout, c->out, e), expected);
    }
}

/* counts and places of the operations with counts */
static void lay_out(Collective *c)
{
    int in = 0, out = 0, to_all = is(c, "alltoallv") || is(c, "alltoallw");
    for (int r = 0; r < c->size; r++) {
        int to = is(c, "scatterv") || to_all ? r : 0, from = is(c, "scatterv") ? c->root : c->rank;
        c->in_counts[r] = amount(c, from, to);
        c->in_starts[r] = in;
        in += c->in_counts[r];
        c->out_counts[r] = amount(c, r, to_all ? c->rank : 0);
        c->out_starts[r] = out;
        out += c->out_counts[r];
        c->types[r] = c->layout->type;
    }
    if (is(c, "alltoallw"))
        for (int r = 0; r < c->size; r++) {
            c->in_starts[r] *= c->layout->extent;
            c->out_starts[r] *= c->layout->extent;
        }
}

#define EITHER(blocking, nonblocking, ...)                                                               \
    (request ? nonblocking(__VA_ARGS__, request) : blocking(__VA_ARGS__))

static void start_collective(Collective *c, MPI_Request *request)
{
    MPI_Datatype type = c->layout->type;
    int at_root = c->rank == c->root, count = c->count, mine = c->in_place ? c->rank * count : 0;
    void *in = c->in, *out = c->out;
    lay_out(c);
    for (int r = 0; r < c->size; r++) { /* what others may take from us */
        if (is(c, "alltoallv") || is(c, "scatterv"))
            fill_block(c, in, c->in_starts[r], c->in_counts[r], c->rank, r);
        else if (is(c, "alltoallw"))
            fill_block(c, in, c->in_starts[r] / c->layout->extent, c->in_counts[r], c->rank, r);
        else if (is(c, "alltoall") || is(c, "scatter"))
            fill_block(c, in, r * count, count, c->rank, r);
    }
    if (is(c, "gather") || is(c, "allgather"))
        fill_block(c, c->in_place && (at_root || is(c, "allgather")) ? out : in,
                   at_root || is(c, "allgather") ? mine : 0, count, c->rank, 0);
    else if (is(c, "gatherv") || is(c, "allgatherv"))
        fill_block(c, in, 0, c->out_counts[c->rank], c->rank, 0);
    else if (is(c, "bcast") && at_root)
        fill_block(c, out, 0, count, c->root, 0);
    else if (is(c, "allreduce") || is(c, "reduce") || is(c, "scan") || strstr(c->name, "reduce_scatter") || is(c, "exscan"))
        for (long e = 0; e < (long)count * (strstr(c->name, "_") ? 2 * c->size : 1); e++)
            put(c->layout, c->in_place && (at_root || !is(c, "reduce")) ? out : in, e, term(c, c->rank, e));
    if (c->in_place && (at_root || !(is(c, "gather") || is(c, "reduce"))))
        in = MPI_IN_PLACE;

    if (is(c, "barrier"))
        EITHER(MPI_Barrier, MPI_Ibarrier, c->comm);
    else if (is(c, "bcast"))
        EITHER(MPI_Bcast, MPI_Ibcast, out, count, type, c->root, c->comm);
    else if (is(c, "gather"))
        EITHER(MPI_Gather, MPI_Igather, in, count, type, out, count, type, c->root, c->comm);
    else if (is(c, "scatter"))
        EITHER(MPI_Scatter, MPI_Iscatter, in, count, type, out, count, type, c->root, c->comm);
    else if (is(c, "allgather"))
        EITHER(MPI_Allgather, MPI_Iallgather, in, count, type, out, count, type, c->comm);
    else if (is(c, "alltoall"))
        EITHER(MPI_Alltoall, MPI_Ialltoall, in, count, type, out, count, type, c->comm);
    else if (is(c, "gatherv"))
        EITHER(MPI_Gatherv, MPI_Igatherv, in, c->out_counts[c->rank], type, out, c->out_counts, c->out_starts,
               type, c->root, c->comm);
    else if (is(c, "scatterv"))
        EITHER(MPI_Scatterv, MPI_Iscatterv, in, c->in_counts, c->in_starts, type, out, c->in_counts[c->rank],
               type, c->root, c->comm);
    else if (is(c, "allgatherv"))
        EITHER(MPI_Allgatherv, MPI_Iallgatherv, in, c->out_counts[c->rank], type, out, c->out_counts,
               c->out_starts, type, c->comm);
    else if (is(c, "alltoallv"))
        EITHER(MPI_Alltoallv, MPI_Ialltoallv, in, c->in_counts, c->in_starts, type, out, c->out_counts,
               c->out_starts, type, c->comm);
    else if (is(c, "alltoallw"))
        EITHER(MPI_Alltoallw, MPI_Ialltoallw, in, c->in_counts, c->in_starts, c->types, out, c->out_counts,
               c->out_starts, c->types, c->comm);
    else if (is(c, "reduce"))
        EITHER(MPI_Reduce, MPI_Ireduce, in, out, count, type, c->op, c->root, c->comm);
    else if (is(c, "allreduce"))
        EITHER(MPI_Allreduce, MPI_Iallreduce, in, out, count, type, c->op, c->comm);
    else if (is(c, "scan"))
        EITHER(MPI_Scan, MPI_Iscan, in, out, count, type, c->op, c->comm);
    else if (is(c, "exscan"))
        EITHER(MPI_Exscan, MPI_Iexscan, in, out, count, type, c->op, c->comm);
    else if (is(c, "reduce_scatter_block"))
        EITHER(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, in, out, count, type, c->op, c->comm);
    else if (is(c, "reduce_scatter"))
        EITHER(MPI_Reduce_scatter, MPI_Ireduce_scatter, in, out, c->out_counts, type, c->op, c->comm);
    else
        die("unknown collective operation");
}

static void check_collective(Collective *c)
{
    int at_root = c->rank == c->root, before = 0;
    if (is(c, "bcast"))
        check_block(c, 0, c->count, c->root, 0);
    else if (is(c, "scatter"))
        check_block(c, 0, c->count, c->root, c->rank);
    else if (is(c, "scatterv"))
        check_block(c, 0, c->in_counts[c->rank], c->root, c->rank);
    else if ((is(c, "reduce") && at_root) || is(c, "allreduce"))
        check_reduced(c, c->count, 0, 0, c->size - 1);
    else if (is(c, "scan"))
        check_reduced(c, c->count, 0, 0, c->rank);
    else if (is(c, "exscan") && c->rank > 0)
        check_reduced(c, c->count, 0, 0, c->rank - 1);
    else if (is(c, "reduce_scatter_block"))
        check_reduced(c, c->count, (long)c->rank * c->count, 0, c->size - 1);
    else if (is(c, "reduce_scatter"))
        check_reduced(c, c->out_counts[c->rank], c->out_starts[c->rank], 0, c->size - 1);
    else
        for (int r = 0; r < c->size; before += c->out_counts[r++]) {
            if ((is(c, "gather") && at_root) || is(c, "allgather"))
                check_block(c, r * c->count, c->count, r, 0);
            else if (is(c, "alltoall"))
                check_block(c, r * c->count, c->count, r, c->rank);
            else if ((is(c, "gatherv") && at_root) || is(c, "allgatherv"))
                check_block(c, before, c->out_counts[r], r, 0);
            else if (is(c, "alltoallv") || is(c, "alltoallw"))
                check_block(c, before, c->out_counts[r], r, c->rank);
        }
}

/* ---- requests ---- */

typedef struct {
    MPI_Request request;
    const Layout *layout;
    void *buffer;
    int count, id, receives, persistent;
    long elements;
    Collective *collective;
} Slot;

static Slot slots[MOST_SLOTS];
static MPI_Comm comms[MOST_COMMS];

static Slot *slot(void)
{
    int n = number();
    if (n < 0 || n >= MOST_SLOTS)
        die("no such request");
    return &slots[n];
}

static MPI_Comm comm(void)
{
    return comms[number()];
}

static void completed(Slot *s)
{
    if (s->collective)
        check_collective(s->collective);
    else if (s->receives)
        check_message(s->layout, s->buffer, s->elements, s->id);
}

static void complete(void)
{
    const char *how = word();
    int n = number(), index, flag, some, indices[MOST_SLOTS], left;
    Slot *which[MOST_SLOTS];
    MPI_Request requests[MOST_SLOTS];
    for (int i = 0; i < n; i++) {
        which[i] = slot();
        requests[i] = which[i]->request;
    }
    left = n;
    if (strcmp(how, "wait") == 0) {
        for (int i = 0; i < n; i++)
            MPI_Wait(&which[i]->request, MPI_STATUS_IGNORE);
    } else if (strcmp(how, "test") == 0) {
        for (int i = 0; i < n; i++)
            for (flag = 0; !flag;)
                MPI_Test(&which[i]->request, &flag, MPI_STATUS_IGNORE);
    } else if (strcmp(how, "waitall") == 0) {
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    } else if (strcmp(how, "testall") == 0) {
        for (flag = 0; !flag;)
            MPI_Testall(n, requests, &flag, MPI_STATUSES_IGNORE);
    } else if (strcmp(how, "waitany") == 0) {
        for (; left > 0; left--)
            MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE);
    } else if (strcmp(how, "testany") == 0) {
        while (left > 0) {
            MPI_Testany(n, requests, &index, &flag, MPI_STATUS_IGNORE);
            left -= flag && index != MPI_UNDEFINED;
        }
    } else if (strcmp(how, "waitsome") == 0) {
        for (; left > 0; left -= some)
            MPI_Waitsome(n, requests, &some, indices, MPI_STATUSES_IGNORE);
    } else if (strcmp(how, "testsome") == 0) {
        for (; left > 0; left -= some)
            MPI_Testsome(n, requests, &some, indices, MPI_STATUSES_IGNORE);
    } else {
        die("unknown completion");
    }
    for (int i = 0; i < n; i++) {
        if (strcmp(how, "wait") != 0 && strcmp(how, "test") != 0)
            which[i]->request = requests[i];
        completed(which[i]);
    }
}

/* ---- the operations ---- */

static void start_send(Slot *s)
{
    const char *mode = word();
    MPI_Comm c = comm();
    int to = peer(), t = tag();
    const Layout *l = s->layout = layout();
    int n = s->count = number();
    void *b = s->buffer = message_room(l, n);
    s->receives = 0;
    s->collective = NULL;
    if (!s->persistent)
        fill_message(l, b, n, number());
    MPI_Request *r = &s->request;
    switch (synchronous && mode[0] == 'n' ? 's' : mode[0]) {
    case 'n': s->persistent ? MPI_Send_init(b, n, l->type, to, t, c, r) : MPI_Isend(b, n, l->type, to, t, c, r); break;
    case 's': s->persistent ? MPI_Ssend_init(b, n, l->type, to, t, c, r) : MPI_Issend(b, n, l->type, to, t, c, r); break;
    case 'b': s->persistent ? MPI_Bsend_init(b, n, l->type, to, t, c, r) : MPI_Ibsend(b, n, l->type, to, t, c, r); break;
    default: MPI_Irsend(b, n, l->type, to, t, c, r);
    }
}

static void start_recv(Slot *s)
{
    MPI_Comm c = comm();
    int from = peer(), t = tag();
    s->layout = layout();
    s->count = number();
    s->buffer = message_room(s->layout, s->count);
    s->receives = 1;
    s->collective = NULL;
    if (s->persistent) {
        MPI_Recv_init(s->buffer, s->count, s->layout->type, from, t, c, &s->request);
        return;
    }
    s->id = number();
    s->elements = number();
    MPI_Irecv(s->buffer, s->count, s->layout->type, from, t, c, &s->request);
}

static void start_persistent(Slot *s)
{
    s->id = number();
    s->elements = number();
    if (!s->receives)
        fill_message(s->layout, s->buffer, s->count, s->id);
    MPI_Start(&s->request);
}

static void send_blocking(void)
{
    const char *mode = word();
    MPI_Comm c = comm();
    int to = peer(), t = tag();
    const Layout *l = layout();
    int n = number();
    void *b = message_room(l, n);
    fill_message(l, b, n, number());
    switch (synchronous && mode[0] == 'n' ? 's' : mode[0]) {
    case 'n': MPI_Send(b, n, l->type, to, t, c); break;
    case 's': MPI_Ssend(b, n, l->type, to, t, c); break;
    case 'b': MPI_Bsend(b, n, l->type, to, t, c); break;
    default: MPI_Rsend(b, n, l->type, to, t, c);
    }
}

static void recv_blocking(void)
{
    const char *look = word();
    MPI_Comm c = comm();
    int from = peer(), t = tag(), found = 0;
    const Layout *l = layout();
    int n = number(), id = number();
    long elements = number();
    void *b = message_room(l, n);
    MPI_Status status;
    MPI_Message message = MPI_MESSAGE_NULL;
    if (strcmp(look, "probe") == 0) {
        MPI_Probe(from, t, c, &status);
        MPI_Recv(b, n, l->type, status.MPI_SOURCE, status.MPI_TAG, c, MPI_STATUS_IGNORE);
    } else if (strcmp(look, "iprobe") == 0) {
        while (!found)
            MPI_Iprobe(from, t, c, &found, &status);
        MPI_Recv(b, n, l->type, from, t, c, &status);
    } else if (strcmp(look, "mprobe") == 0) {
        MPI_Mprobe(from, t, c, &message, &status);
        MPI_Mrecv(b, n, l->type, &message, MPI_STATUS_IGNORE);
    } else if (strcmp(look, "improbe") == 0) {
        MPI_Request request;
        while (!found)
            MPI_Improbe(from, t, c, &found, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(b, n, l->type, &message, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(b, n, l->type, from, t, c, &status);
    }
    check_message(l, b, elements, id);
}

static void send_and_receive(void)
{
    MPI_Comm c = comm();
    int to = peer(), out_tag = tag();
    const Layout *l = layout();
    int n = number();
    void *out = message_room(l, n);
    fill_message(l, out, n, number());
    int from = peer(), in_tag = tag();
    const Layout *in_layout = layout();
    int in_count = number(), id = number();
    long elements = number();
    void *in = message_room(in_layout, in_count);
    MPI_Sendrecv(out, n, l->type, to, out_tag, in, in_count, in_layout->type, from, in_tag, c, MPI_STATUS_IGNORE);
    check_message(in_layout, in, elements, id);
}

static void replace(void)
{
    MPI_Comm c = comm();
    int to = peer(), out_tag = tag(), from = peer(), in_tag = tag();
    const Layout *l = layout();
    int n = number();
    void *b = message_room(l, n);
    fill_message(l, b, n, number());
    int id = number();
    long elements = number();
    MPI_Sendrecv_replace(b, n, l->type, to, out_tag, from, in_tag, c, MPI_STATUS_IGNORE);
    check_message(l, b, elements, id);
}

static void collective(void)
{
    Collective *c = room(sizeof *c);
    snprintf(c->name, sizeof c->name, "%s", word());
    int request = number();
    c->comm = comm();
    c->root = number();
    snprintf(c->op_name, sizeof c->op_name, "%s", word());
    c->op = operation(c->op_name);
    c->layout = layout();
    c->count = number();
    c->in_place = number();
    c->id = number();
    MPI_Comm_rank(c->comm, &c->rank);
    MPI_Comm_size(c->comm, &c->size);
    size_t bytes = (2 * c->size * (c->count + 1) + 1) * c->layout->extent + 64;
    c->in = room(bytes);
    c->out = room(bytes);
    if (request < 0) {
        start_collective(c, NULL);
        check_collective(c);
    } else {
        slots[request].collective = c;
        start_collective(c, &slots[request].request);
    }
}

static void perform(void)
{
    const char *what = word();
    if (strcmp(what, "send") == 0)
        send_blocking();
    else if (strcmp(what, "recv") == 0)
        recv_blocking();
    else if (strcmp(what, "isend") == 0 || strcmp(what, "sendinit") == 0) {
        Slot *s = slot();
        s->persistent = what[0] == 's';
        start_send(s);
    } else if (strcmp(what, "irecv") == 0 || strcmp(what, "recvinit") == 0) {
        Slot *s = slot();
        s->persistent = what[0] == 'r';
        start_recv(s);
    } else if (strcmp(what, "start") == 0)
        start_persistent(slot());
    else if (strcmp(what, "freerequest") == 0)
        MPI_Request_free(&slot()->request);
    else if (strcmp(what, "complete") == 0)
        complete();
    else if (strcmp(what, "sendrecv") == 0)
        send_and_receive();
    else if (strcmp(what, "replace") == 0)
        replace();
    else if (strcmp(what, "coll") == 0)
        collective();
    else if (strcmp(what, "dup") == 0) {
        int c = number();
        MPI_Comm_dup(comm(), &comms[c]);
    } else if (strcmp(what, "split") == 0) {
        int c = number();
        MPI_Comm parent = comm();
        const char *color = word();
        int key = number();
        MPI_Comm_split(parent, color[0] == '-' ? MPI_UNDEFINED : atoi(color), key, &comms[c]);
    } else if (strcmp(what, "freecomm") == 0)
        MPI_Comm_free(&comms[number()]);
    else
        die("unknown operation");
}

static void play(char *text)
{
    int schedules = 0;
    char *end;
    for (char *line = text; *line; line = end + 1) {
        end = strchr(line, '\n');
        if (!end)
            break;
        *end = 0;
        word_count = word_at = 0;
        for (char *w = strtok(line, " "); w && word_count < MOST_WORDS; w = strtok(NULL, " "))
            words[word_count++] = w;
        if (word_count == 0)
            continue;
        if (strcmp(words[0], "schedule") == 0) {
            if (schedules++ > 0)
                MPI_Barrier(MPI_COMM_WORLD);
            checking = strcmp(words[word_count - 1], "correct") == 0;
        } else if (atoi(words[0]) == world_rank) {
            word_at = 1;
            perform();
        }
    }
    if (world_rank == 0)
        printf("%d schedules\n", schedules);
}

static char *read_file(const char *name)
{
    FILE *file = fopen(name, "r");
    if (!file) {
        perror(name);
        MPI_Abort(MPI_COMM_WORLD, 98);
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc(1, size + 1);
    if (fread(text, 1, size, file) != (size_t)size)
        MPI_Abort(MPI_COMM_WORLD, 97);
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    synchronous = argc > 2 && strcmp(argv[1], "-s") == 0;
    char *text = read_file(argv[argc - 1]);
    int space = 1 << 22;
    void *buffer = malloc(space);
    MPI_Buffer_attach(buffer, space);
    comms[0] = MPI_COMM_WORLD;
    make_layouts();

    play(text);

    for (int i = 0; i < layout_count; i++)
        if (!strstr(layouts[i].name, ".one")) /* that is the basic type itself */
            MPI_Type_free(&layouts[i].type);
    MPI_Buffer_detach(&buffer, &space);
    MPI_Finalize();
    while (rooms) {
        struct Room *r = rooms;
        rooms = r->next;
        free(r);
    }
    free(buffer);
    free(text);
    return wrong > 0;
}
