/*
 * Random one-sided programs: tests/tests/one_sided.rs.
 *
 *   one-sided FIRST COUNT [MISTAKE]
 *
 * plays the scripts FIRST up to FIRST + COUNT - 1, one behind the other, each with its own communicator and windows. All ranks
 * make the same script from its number, and each plays its part. Calls come in an order in which none can wait for a later one.
 * An access is left out where one to the same bytes could be at the same time and does not go with it: vector clocks tell
 * which accesses are complete before it. With MISTAKE, the last script has this mistake, in lines that end with its name.
 */
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANKS = 4, MAX_WINDOWS = 3, ALL_WINDOWS = 4, CELLS = 24, ROOM = 1 << 14, MAX_NOTES = 1 << 12, MAX_OPEN = 64 };

static uint64_t luck;

/* A random number below n, the same on all ranks (splitmix64). */
static int below(int n)
{
    uint64_t z = luck += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (int)((z ^ z >> 31) % (unsigned)n);
}

static int me, ranks;
static MPI_Comm comm;
static MPI_Group everyone;

/* clocks[r][s]: the last event of s that comes before what r does next. */
static int clocks[MAX_RANKS][MAX_RANKS];

static void learn(int rank, const int *from)
{
    for (int r = 0; r < ranks; r++)
        if (clocks[rank][r] < from[r])
            clocks[rank][r] = from[r];
}

static void all_learn(void)
{
    int most[MAX_RANKS] = {0};
    for (int r = 0; r < ranks; r++)
        for (int s = 0; s < ranks; s++)
            most[s] = clocks[r][s] > most[s] ? clocks[r][s] : most[s];
    for (int r = 0; r < ranks; r++)
        memcpy(clocks[r], most, sizeof most);
}

/* Windows. */
struct window {
    MPI_Win win;
    int *memory;
    int is_dynamic;
    int unit[MAX_RANKS];
    MPI_Aint address[MAX_RANKS];
};
static struct window windows[ALL_WINDOWS];
static int window_count;

/* Accesses that are not certainly over. Another access at `by`, at or behind `at`, comes behind it. */
enum deed { PUT, GET, ACCUMULATE, SWAP, NOTHING_ELSE };
enum mode { FENCE, POST, LOCK, EXCLUSIVE };
struct note {
    int window, origin, target;
    uint32_t cells;
    enum deed deed;
    MPI_Op op;
    enum mode mode;
    int is_complete, by, at;
};
static struct note notes[MAX_NOTES];
static int note_count;

static int goes_with(const struct note *a, const struct note *b)
{
    if (a->deed != b->deed)
        return 0;
    if (a->deed == ACCUMULATE)
        return a->op == b->op || a->op == MPI_NO_OP || b->op == MPI_NO_OP;
    return a->deed == GET || a->deed == SWAP;
}

static int is_free(const struct note *next)
{
    if (note_count == MAX_NOTES)
        return 0;
    for (int i = 0; i < note_count; i++) {
        const struct note *note = &notes[i];
        if (note->window != next->window || note->target != next->target || !(note->cells & next->cells))
            continue;
        int is_behind = note->is_complete && clocks[next->origin][note->by] >= note->at;
        /* The target exposes its memory behind what it knows of. */
        if (next->mode == POST)
            is_behind |= note->is_complete && clocks[next->target][note->by] >= note->at;
        int are_locked = note->mode >= LOCK && next->mode >= LOCK && note->origin != next->origin;
        int is_kept_out = are_locked && (note->mode == EXCLUSIVE || next->mode == EXCLUSIVE);
        if (!is_behind && !is_kept_out && !goes_with(note, next))
            return 0;
    }
    return 1;
}

/* The accesses of an origin to a target (-1: to all) are complete there, as an event of `by` says. */
static void complete_to(int window, int origin, int target, int by, int gets_alone)
{
    clocks[by][by]++;
    for (int i = 0; i < note_count; i++) {
        struct note *note = &notes[i];
        int is_meant = note->window == window && note->origin == origin && (target < 0 || note->target == target);
        int is_of_kind = note->deed != NOTHING_ELSE && (!gets_alone || note->deed == GET);
        if (is_meant && is_of_kind && !note->is_complete) {
            note->is_complete = 1;
            note->by = by;
            note->at = clocks[by][by];
        }
    }
}

/* Nothing that comes can meet what was done to a window. */
static void forget(int window)
{
    int kept = 0;
    for (int i = 0; i < note_count; i++)
        if (notes[i].window != window || notes[i].deed == NOTHING_ELSE)
            notes[kept++] = notes[i];
    note_count = kept;
}

/* Memory of this rank at the origin: it is used again when nothing is pending there. */
static int room[ROOM], used, constant[32];
static int pending[ALL_WINDOWS][MAX_RANKS];
static MPI_Request requests[MAX_OPEN];
static int open_requests;

static void reuse(void)
{
    for (int w = 0; w < ALL_WINDOWS; w++)
        for (int r = 0; r < ranks; r++)
            if (pending[w][r])
                return;
    if (open_requests == 0)
        used = 0;
}

static void complete_here(int window, int target)
{
    for (int r = 0; r < ranks; r++)
        if (target < 0 || r == target)
            pending[window][r] = 0;
    reuse();
}

static void wait_for_requests(int at_once)
{
    if (at_once) {
        MPI_Waitall(open_requests, requests, MPI_STATUSES_IGNORE);
    } else {
        while (open_requests > 0)
            MPI_Wait(&requests[--open_requests], MPI_STATUS_IGNORE);
    }
    open_requests = 0;
    reuse();
}

/* Layouts of n cells: in a row, every second one, every third one, and three of four. */
static MPI_Datatype every_second[CELLS], every_third, three_of_four;
struct layout {
    MPI_Datatype type;
    int count, span;
    uint32_t cells;
};

static struct layout layout(int kind, int n)
{
    struct layout l = {MPI_INT, n, n, (1u << n) - 1};
    if (kind == 1)
        l = (struct layout){every_second[n], 1, 2 * n - 1, 0};
    else if (kind == 2)
        l = (struct layout){every_third, n, 3 * n, 0};
    else if (kind == 3 && n == 3)
        return (struct layout){three_of_four, 1, 4, 0xb};
    for (int i = 0; i < n && kind > 0 && kind < 3; i++)
        l.cells |= 1u << i * (kind + 1);
    return l;
}

static void make_types(void)
{
    int lengths[] = {2, 1}, places[] = {0, 3};
    for (int n = 1; n < CELLS; n++) {
        MPI_Type_vector(n, 1, 2, MPI_INT, &every_second[n]);
        MPI_Type_commit(&every_second[n]);
    }
    MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &every_third);
    MPI_Type_commit(&every_third);
    MPI_Type_indexed(2, lengths, places, MPI_INT, &three_of_four);
    MPI_Type_commit(&three_of_four);
}

static void free_types(void)
{
    for (int n = 1; n < CELLS; n++)
        MPI_Type_free(&every_second[n]);
    MPI_Type_free(&every_third);
    MPI_Type_free(&three_of_four);
}

static MPI_Aint place(const struct window *w, int target, int cell)
{
    MPI_Aint bytes = cell * (MPI_Aint)sizeof(int);
    return w->is_dynamic ? MPI_Aint_add(w->address[target], bytes) : bytes / w->unit[target];
}

/* An access of this rank. */
static void make(const struct note *n, const struct window *w, struct layout here, struct layout there, int cell, int form)
{
    MPI_Aint at = place(w, n->target, cell);
    int *result = room + used, *from = result + here.span;
    int reads = n->deed != GET;
    int is_constant = form & 1;
    MPI_Request *request = form & 2 && n->mode >= LOCK && open_requests < MAX_OPEN ? &requests[open_requests] : NULL;
    used += 2 * here.span;
    if (is_constant && reads)
        from = constant;
    else
        for (int i = 0; reads && i < here.span; i++)
            from[i] = me + i;
    if (n->deed == PUT && request)
        MPI_Rput(from, here.count, here.type, n->target, at, there.count, there.type, w->win, request);
    else if (n->deed == PUT)
        MPI_Put(from, here.count, here.type, n->target, at, there.count, there.type, w->win);
    else if (n->deed == GET && request)
        MPI_Rget(result, here.count, here.type, n->target, at, there.count, there.type, w->win, request);
    else if (n->deed == GET)
        MPI_Get(result, here.count, here.type, n->target, at, there.count, there.type, w->win);
    else if (n->deed == SWAP)
        MPI_Compare_and_swap(from, from, result, MPI_INT, n->target, at, w->win), request = NULL;
    else if (n->cells == 1u << cell && form & 4)
        MPI_Fetch_and_op(from, result, MPI_INT, n->target, at, n->op, w->win), request = NULL;
    else if (n->op != MPI_NO_OP && form & 8 && request)
        MPI_Raccumulate(from, here.count, here.type, n->target, at, there.count, there.type, n->op, w->win, request);
    else if (n->op != MPI_NO_OP && form & 8)
        MPI_Accumulate(from, here.count, here.type, n->target, at, there.count, there.type, n->op, w->win);
    else if (request)
        MPI_Rget_accumulate(from, here.count, here.type, result, here.count, here.type, n->target, at, there.count,
                            there.type, n->op, w->win, request);
    else
        MPI_Get_accumulate(from, here.count, here.type, result, here.count, here.type, n->target, at, there.count,
                           there.type, n->op, w->win);
    open_requests += request != NULL;
    pending[n->window][n->target]++;
}

/* A random access, if it is allowed. */
static void maybe_access(int window, int origin, int target, enum mode mode)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_SUM, MPI_MAX, MPI_REPLACE, MPI_NO_OP};
    const enum deed deeds[] = {PUT, PUT, GET, GET, ACCUMULATE, ACCUMULATE, SWAP};
    enum deed deed = deeds[below(7)];
    int n = deed == SWAP ? 1 : 1 + below(1 + below(5));
    struct layout here = layout(below(4), n), there = layout(deed == SWAP ? 0 : below(4), n);
    int cell = below(CELLS), form = below(16);
    MPI_Op op = ops[below(5)];
    struct note next = {window, origin, target, there.cells << cell, deed, op, mode, 0, 0, 0};
    if (cell + there.span > CELLS || !is_free(&next))
        return;
    notes[note_count++] = next;
    if (me != origin)
        return;
    if (used + 2 * here.span > ROOM || (next.mode >= LOCK && open_requests == MAX_OPEN))
        MPI_Abort(MPI_COMM_WORLD, 3);
    make(&next, &windows[window], here, there, cell, form);
}

/* What all ranks pass together. */
static void meet(void)
{
    static int one = 1, sum;
    MPI_Request request;
    switch (below(3)) {
    case 0:
        MPI_Barrier(comm);
        break;
    case 1:
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
        break;
    default:
        MPI_Ibarrier(comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    all_learn();
}

static void message(void)
{
    int from = below(ranks), to = below(ranks), is_synchronous = below(2), got;
    if (from == to)
        return;
    if (me == from && is_synchronous)
        MPI_Ssend(constant, 1, MPI_INT, to, 7, comm);
    else if (me == from)
        MPI_Send(constant, 1, MPI_INT, to, 7, comm);
    else if (me == to)
        MPI_Recv(&got, 1, MPI_INT, from, 7, comm, MPI_STATUS_IGNORE);
    clocks[from][from]++;
    learn(to, clocks[from]);
}

static void fence(int window, int assertions)
{
    MPI_Win_fence(assertions, windows[window].win);
    complete_here(window, -1);
    if (assertions & MPI_MODE_NOPRECEDE)
        return;
    for (int r = 0; r < ranks; r++)
        complete_to(window, r, -1, r, 0);
    all_learn();
    forget(window);
}

static int one_of(int set)
{
    int w;
    do
        w = below(window_count);
    while (!(set >> w & 1));
    return w;
}

/* Epochs of fences on some windows at once. */
static void fences(int set)
{
    int epochs = 1 + below(3);
    for (int epoch = 0; epoch <= epochs; epoch++) {
        for (int w = 0; w < window_count; w++) {
            int first = epoch == 0 && below(2) ? MPI_MODE_NOPRECEDE : 0;
            int last = epoch == epochs ? MPI_MODE_NOSUCCEED : 0;
            int unstored = epoch > 0 && below(3) == 0 ? MPI_MODE_NOSTORE : 0;
            if (set >> w & 1)
                fence(w, first | last | unstored);
        }
        for (int i = below(12); epoch < epochs && i > 0; i--) {
            int w = one_of(set), origin = below(ranks);
            maybe_access(w, origin, below(ranks), FENCE);
        }
    }
}

static MPI_Group group_of(int set)
{
    int list[MAX_RANKS], n = 0;
    MPI_Group group;
    for (int r = 0; r < ranks; r++)
        if (set >> r & 1)
            list[n++] = r;
    MPI_Group_incl(everyone, n, list, &group);
    return group;
}

/* Some ranks expose their memory to some. */
static void posts(int w)
{
    int origins[MAX_RANKS] = {0}, targets[MAX_RANKS] = {0}, is_tested = below(2);
    MPI_Win win = windows[w].win;
    for (int t = 0; t < ranks; t++)
        for (int o = 0; o < ranks; o++)
            if (o != t && below(2)) {
                origins[t] |= 1 << o;
                targets[o] |= 1 << t;
            }
    if (origins[me]) {
        MPI_Group group = group_of(origins[me]);
        MPI_Win_post(group, 0, win);
        MPI_Group_free(&group);
    }
    if (targets[me]) {
        MPI_Group group = group_of(targets[me]);
        MPI_Win_start(group, 0, win);
        MPI_Group_free(&group);
    }
    for (int i = below(16); i > 0; i--) {
        int o = below(ranks), t = below(ranks);
        if (targets[o] >> t & 1)
            maybe_access(w, o, t, POST);
    }
    if (targets[me]) {
        MPI_Win_complete(win);
        complete_here(w, -1);
    }
    for (int is_over = 0; origins[me] && !is_over;) {
        if (is_tested && MPI_Win_test(win, &is_over) == MPI_SUCCESS && !is_over)
            sched_yield();
        else if (!is_tested)
            is_over = !MPI_Win_wait(win);
    }
    for (int t = 0; t < ranks; t++)
        for (int o = 0; o < ranks; o++)
            if (origins[t] >> o & 1) {
                learn(t, clocks[o]);
                complete_to(w, o, t, t, 0);
            }
}

static void flush(int w, int origin, int target)
{
    int kind = below(4), is_local = kind & 1;
    MPI_Win win = windows[w].win;
    if (me == origin) {
        if (kind == 0)
            MPI_Win_flush(target, win);
        else if (kind == 1)
            MPI_Win_flush_local(target, win);
        else if (kind == 2)
            MPI_Win_flush_all(win);
        else
            MPI_Win_flush_local_all(win);
        complete_here(w, kind < 2 ? target : -1);
    }
    complete_to(w, origin, kind < 2 ? target : -1, origin, is_local);
}

/* Locks of one target, and messages between them. */
static void locks(int w)
{
    for (int i = 1 + below(8); i > 0; i--) {
        int origin = below(ranks), target = below(ranks), is_exclusive = below(2), waits_first = below(2);
        if (below(3) == 0)
            message();
        if (me == origin)
            MPI_Win_lock(is_exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, windows[w].win);
        for (int j = below(6); j > 0; j--) {
            if (below(4) == 0)
                flush(w, origin, target);
            else
                maybe_access(w, origin, target, is_exclusive ? EXCLUSIVE : LOCK);
        }
        int at_once = below(2);
        complete_to(w, origin, target, origin, 0);
        if (me != origin)
            continue;
        if (waits_first)
            wait_for_requests(at_once);
        MPI_Win_unlock(target, windows[w].win);
        complete_here(w, target);
        wait_for_requests(at_once);
    }
}

/* All ranks, or some, lock all ranks of some windows. */
static void lock_all(int set)
{
    int holders = below(2) ? (1 << ranks) - 1 : 1 + below((1 << ranks) - 1);
    for (int w = 0; w < window_count; w++)
        if (set >> w & 1 && holders >> me & 1)
            MPI_Win_lock_all(0, windows[w].win);
    for (int i = below(30); i > 0; i--) {
        int w = one_of(set), origin = below(ranks), target = below(ranks), what = below(12);
        if (what == 0)
            message();
        else if (what == 1)
            meet();
        else if (!(holders >> origin & 1))
            continue;
        else if (what == 2 && me == origin)
            MPI_Win_sync(windows[w].win);
        else if (what < 6 && what > 2)
            flush(w, origin, target);
        else if (what > 5)
            maybe_access(w, origin, target, LOCK);
    }
    wait_for_requests(below(2));
    for (int w = 0; w < window_count; w++) {
        if (set >> w & 1 && holders >> me & 1) {
            MPI_Win_unlock_all(windows[w].win);
            complete_here(w, -1);
        }
        for (int r = 0; r < ranks; r++)
            if (set >> w & 1 && holders >> r & 1)
                complete_to(w, r, -1, r, 0);
    }
}

enum kind { CREATED, ALLOCATED, DYNAMIC, SHARED, KINDS };

static void make_window(struct window *w, enum kind kind)
{
    int units = below(1 << MAX_RANKS);
    MPI_Aint bytes = CELLS * sizeof(int), mine;
    w->is_dynamic = kind == DYNAMIC;
    for (int r = 0; r < ranks; r++)
        w->unit[r] = units >> r & 1 ? 1 : 4;
    if (kind == CREATED) {
        w->memory = malloc(bytes);
        MPI_Win_create(w->memory, bytes, w->unit[me], MPI_INFO_NULL, comm, &w->win);
    } else if (kind == ALLOCATED) {
        MPI_Win_allocate(bytes, w->unit[me], MPI_INFO_NULL, comm, &w->memory, &w->win);
    } else if (kind == SHARED) {
        MPI_Win_allocate_shared(bytes, w->unit[me], MPI_INFO_NULL, comm, &w->memory, &w->win);
    } else {
        MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &w->win);
        w->memory = malloc(bytes);
        MPI_Win_attach(w->win, w->memory, bytes);
    }
    memset(w->memory, 0, bytes);
    MPI_Get_address(w->memory, &mine);
    MPI_Allgather(&mine, 1, MPI_AINT, w->address, 1, MPI_AINT, comm);
    all_learn();
}

static void free_window(struct window *w)
{
    int is_mine = w->is_dynamic;
    int flavor = 0, *kept, found;
    MPI_Win_get_attr(w->win, MPI_WIN_CREATE_FLAVOR, &kept, &found);
    if (found)
        flavor = *kept;
    if (is_mine) {
        MPI_Barrier(comm);
        MPI_Win_detach(w->win, w->memory);
    }
    MPI_Win_free(&w->win);
    if (is_mine || flavor == MPI_WIN_FLAVOR_CREATE)
        free(w->memory);
}

/* The mistakes, on a window more. Correct accesses to other cells are around some. Loads and stores order what is done to
 * MPI_Win_allocate_shared, so that it is none of that. */
struct scene {
    int w, a, b, target, cell, n;
    MPI_Win win;
    MPI_Aint at, behind, apart;
};

/* Two origins, or one where there are no two besides a target; n cells, and those from the last of them on. */
static struct scene scene(void)
{
    struct scene s = {.w = window_count++, .a = below(ranks), .target = below(ranks), .n = 1 + below(4)};
    make_window(&windows[s.w], below(SHARED));
    s.b = (s.a + 1 + below(ranks - 1)) % ranks;
    s.cell = 2 * below((CELLS - 8) / 2);
    s.win = windows[s.w].win;
    s.at = place(&windows[s.w], s.target, s.cell);
    s.behind = place(&windows[s.w], s.target, s.cell + s.n - 1);
    s.apart = place(&windows[s.w], s.target, s.cell + 7);
    struct note reserved = {s.w, 0, s.target, 0xffu << s.cell, NOTHING_ELSE, 0, FENCE, 0, 0, 0};
    notes[note_count++] = reserved;
    return s;
}

static void around(const struct scene *s, enum mode mode)
{
    for (int i = below(6); i > 0; i--) {
        int origin = below(ranks);
        maybe_access(s->w, origin, below(ranks), mode);
    }
}

enum { PUTS, PUT_GET, OPERATIONS };
static int mine[8], others[8], got[8];

static void two_in_fences(int what)
{
    struct scene s = scene();
    fence(s.w, 0);
    around(&s, FENCE);
    if (what == PUTS && me == s.a)
        MPI_Put(mine, s.n, MPI_INT, s.target, s.at, s.n, MPI_INT, s.win); //~ two-puts
    if (what == PUTS && me == s.b)
        MPI_Put(mine, s.n, MPI_INT, s.target, s.behind, s.n, MPI_INT, s.win); //~ two-puts
    if (what == PUT_GET && me == s.a)
        MPI_Put(mine, s.n, MPI_INT, s.target, s.at, s.n, MPI_INT, s.win); //~ put-and-get
    if (what == PUT_GET && me == s.b)
        MPI_Get(got, s.n, MPI_INT, s.target, s.behind, s.n, MPI_INT, s.win); //~ put-and-get
    if (what == OPERATIONS && me == s.a)
        MPI_Accumulate(mine, s.n, MPI_INT, s.target, s.at, s.n, MPI_INT, MPI_SUM, s.win); //~ two-operations
    if (what == OPERATIONS && me == s.b)
        MPI_Accumulate(mine, s.n, MPI_INT, s.target, s.behind, s.n, MPI_INT, MPI_MAX, s.win); //~ two-operations
    around(&s, FENCE);
    fence(s.w, 0);
}

/* All others access the memory of a rank, in one epoch of MPI_Win_post. */
static void two_in_posts(void)
{
    struct scene s = scene();
    int is_target = me == s.target, set = is_target ? ((1 << ranks) - 1) & ~(1 << me) : 1 << s.target;
    int first = (s.target + 1) % ranks, second = (s.target + ranks - 1) % ranks;
    MPI_Group group = group_of(set);
    if (is_target) {
        MPI_Win_post(group, 0, s.win);
        MPI_Win_wait(s.win);
    } else {
        MPI_Win_start(group, 0, s.win);
        if (me == first)
            MPI_Put(mine, s.n, MPI_INT, s.target, s.at, s.n, MPI_INT, s.win); //~ posted-twice
        if (me == second)
            MPI_Accumulate(others, s.n, MPI_INT, s.target, s.behind, s.n, MPI_INT, MPI_SUM, s.win); //~ posted-twice
        MPI_Win_complete(s.win);
    }
    MPI_Group_free(&group);
}

static void two_under_locks(void)
{
    struct scene s = scene();
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, s.win);
    if (me == s.a)
        MPI_Put(mine, s.n, MPI_INT, s.target, s.at, s.n, MPI_INT, s.win); //~ shared-locks
    if (me == s.b)
        MPI_Put(mine, s.n, MPI_INT, s.target, s.behind, s.n, MPI_INT, s.win); //~ shared-locks
    around(&s, LOCK);
    wait_for_requests(1);
    MPI_Win_unlock_all(s.win);
    complete_here(s.w, -1);
}

static void two_of_one(void)
{
    struct scene s = scene();
    if (me == s.a) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, s.target, 0, s.win);
        MPI_Put(mine, s.n, MPI_INT, s.target, s.at, s.n, MPI_INT, s.win); //~ no-flush
        MPI_Get(got, s.n, MPI_INT, s.target, s.behind, s.n, MPI_INT, s.win); //~ no-flush
        MPI_Win_unlock(s.target, s.win);
    }
}

/* The buffer of a pending access is used by another one, or changed by the program. */
static void buffer(int is_changed)
{
    struct scene s = scene();
    MPI_Win_lock_all(0, s.win);
    around(&s, LOCK);
    if (me == s.a && is_changed) {
        MPI_Put(mine, s.n, MPI_INT, s.target, s.at, s.n, MPI_INT, s.win); //~ buffer-changed
        mine[s.n - 1]++;
        MPI_Win_flush(s.target, s.win); //~ buffer-changed
    } else if (me == s.a) {
        MPI_Put(mine, s.n, MPI_INT, s.target, s.at, s.n, MPI_INT, s.win); //~ buffer-used
        MPI_Get(mine + s.n - 1, 1, MPI_INT, s.target, s.apart, 1, MPI_INT, s.win); //~ buffer-used
    }
    wait_for_requests(1);
    MPI_Win_unlock_all(s.win);
    complete_here(s.w, -1);
}

static void types(int is_longer)
{
    struct scene s = scene();
    fence(s.w, 0);
    around(&s, FENCE);
    if (me == s.a && is_longer)
        MPI_Put(mine, s.n, MPI_INT, s.target, s.at, s.n + 1, MPI_INT, s.win); //~ counts
    else if (me == s.a)
        MPI_Put(mine, s.n, MPI_INT, s.target, s.at, s.n, MPI_FLOAT, s.win); //~ types
    around(&s, FENCE);
    fence(s.w, 0);
}

/* Those that the library may notice, and then ends the program. There is memory behind that of the window. */
static void on_new_window(const char *mistake)
{
    static int memory[2 * CELLS];
    int a = below(ranks), target = (a + 1) % ranks, far = CELLS - 1 - below(3);
    MPI_Win win;
    MPI_Win_create(memory, CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &win);
    if (!strcmp(mistake, "no-epoch") && me == a)
        MPI_Put(mine, 1, MPI_INT, target, 0, 1, MPI_INT, win); //~ no-epoch
    if (!strcmp(mistake, "last-fence")) {
        MPI_Win_fence(0, win);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win); //~ last-fence
        if (me == a)
            MPI_Put(mine, 1, MPI_INT, target, 0, 1, MPI_INT, win); //~ last-fence
    }
    if (!strcmp(mistake, "no-lock") && me == a)
        MPI_Win_flush(target, win); //~ no-lock
    if (!strcmp(mistake, "range")) {
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        MPI_Win_fence(0, win);
        if (me == a)
            MPI_Put(mine, 4, MPI_INT, target, far, 4, MPI_INT, win); //~ range
        MPI_Win_fence(0, win);
    }
    if (!strcmp(mistake, "no-unlock") && me == a) {
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win); //~ no-unlock
        MPI_Put(mine, 1, MPI_INT, target, 0, 1, MPI_INT, win);
    }
    if (!strcmp(mistake, "no-wait") && (me == a || me == target)) {
        MPI_Group group = group_of(1 << (me == a ? target : a));
        if (me == target) {
            MPI_Win_post(group, 0, win); //~ no-wait
        } else {
            MPI_Win_start(group, 0, win);
            MPI_Put(mine, 1, MPI_INT, target, 0, 1, MPI_INT, win);
            MPI_Win_complete(win);
        }
        MPI_Group_free(&group);
    }
    MPI_Win_free(&win); //~ no-unlock //~ no-wait
}

static void err(const char *mistake)
{
    int of_script = window_count;
    if (!strcmp(mistake, "two-puts"))
        two_in_fences(PUTS);
    else if (!strcmp(mistake, "put-and-get"))
        two_in_fences(PUT_GET);
    else if (!strcmp(mistake, "two-operations"))
        two_in_fences(OPERATIONS);
    else if (!strcmp(mistake, "posted-twice"))
        two_in_posts();
    else if (!strcmp(mistake, "shared-locks"))
        two_under_locks();
    else if (!strcmp(mistake, "no-flush"))
        two_of_one();
    else if (!strcmp(mistake, "buffer-used") || !strcmp(mistake, "buffer-changed"))
        buffer(!strcmp(mistake, "buffer-changed"));
    else if (!strcmp(mistake, "types") || !strcmp(mistake, "counts"))
        types(!strcmp(mistake, "counts"));
    else
        on_new_window(mistake);
    meet();
    for (note_count = 0; window_count > of_script; window_count--)
        free_window(&windows[window_count - 1]);
}

static void play(uint64_t seed, const char *mistake)
{
    luck = seed;
    int is_reversed = below(2), world;
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_split(MPI_COMM_WORLD, 0, is_reversed ? -world : world, &comm);
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_group(comm, &everyone);
    memset(clocks, 0, sizeof clocks);
    note_count = 0;
    window_count = 1 + below(MAX_WINDOWS);
    for (int w = 0; w < window_count; w++)
        make_window(&windows[w], below(KINDS));
    int phases = 1 + below(6), wrong_phase = below(phases);
    for (int phase = 0; phase < phases; phase++) {
        int set = 1 + below((1 << window_count) - 1);
        if (mistake && phase == wrong_phase)
            err(mistake);
        switch (below(4)) {
        case 0:
            fences(set);
            break;
        case 1:
            posts(one_of(set));
            break;
        case 2:
            locks(one_of(set));
            break;
        default:
            lock_all(set);
        }
        meet();
    }
    for (int w = window_count - 1; w >= 0; w--)
        free_window(&windows[w]);
    MPI_Group_free(&everyone);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: one-sided FIRST COUNT [MISTAKE]\n");
        return 2;
    }
    long first = atol(argv[1]), count = atol(argv[2]);
    MPI_Init(&argc, &argv);
    make_types();
    for (long seed = first; seed < first + count; seed++) {
        int is_last = seed + 1 == first + count;
        play(seed, is_last && argc > 3 ? argv[3] : NULL);
    }
    free_types();
    if (me == 0)
        printf("%ld scripts\n", count);
    MPI_Finalize();
    return 0;
}
