/* Follows an error: OBJECT WHEN ERROR. Makes an object, changes error handlers before or after that, makes a
 * mistake on the object, and prints what happened. The same must be printed, with the same end, with and without mpivet. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm comm = MPI_COMM_NULL;
static MPI_Win window = MPI_WIN_NULL;
static MPI_File file = MPI_FILE_NULL;
static int memory[4];

static void comm_handler(MPI_Comm *on, int *code, ...) {
    int class;
    MPI_Error_class(*code, &class);
    printf("handler called for %s, class %d\n",
           *on == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : *on == MPI_COMM_SELF ? "MPI_COMM_SELF" : *on == comm ? "it" : "another", class);
    fflush(stdout);
}

static void win_handler(MPI_Win *on, int *code, ...) {
    int class;
    MPI_Error_class(*code, &class);
    printf("handler called for %s, class %d\n", *on == window ? "it" : "another window", class);
    fflush(stdout);
}

static int is(const char *what, const char *word) { return strcmp(what, word) == 0; }

static void make(const char *object) {
    MPI_Group group;
    MPI_Comm parent = MPI_COMM_WORLD;
    MPI_Request request;
    int one = 1, zero = 0;
    if (strncmp(object, "self-", 5) == 0) {
        parent = MPI_COMM_SELF;
        object += 5;
    }
    MPI_Comm_group(parent, &group);
    if (is(object, "world")) comm = MPI_COMM_WORLD;
    else if (is(object, "self")) comm = MPI_COMM_SELF;
    else if (is(object, "dup")) MPI_Comm_dup(parent, &comm);
    else if (is(object, "idup")) MPI_Comm_idup(parent, &comm, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
    else if (is(object, "split")) MPI_Comm_split(parent, 0, 0, &comm);
    else if (is(object, "create")) MPI_Comm_create(parent, group, &comm);
    else if (is(object, "create-group")) MPI_Comm_create_group(parent, group, 1, &comm);
    else if (is(object, "cart")) MPI_Cart_create(parent, 1, &one, &zero, 0, &comm);
    else if (is(object, "graph")) MPI_Graph_create(parent, 1, &zero, &zero, 0, &comm);
    else if (is(object, "win-create")) MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, parent, &window);
    else if (is(object, "win-dynamic")) MPI_Win_create_dynamic(MPI_INFO_NULL, parent, &window);
    else if (is(object, "win-allocate")) {
        void *at;
        MPI_Win_allocate(16, 1, MPI_INFO_NULL, parent, &at, &window);
    } else if (is(object, "win-of-dup")) {
        MPI_Comm_dup(parent, &comm);
        MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, comm, &window);
        comm = MPI_COMM_NULL;
    } else if (is(object, "file")) {
        char name[64];
        snprintf(name, sizeof name, "/tmp/mpivet-handlers-%d", (int)getpid());
        MPI_File_open(parent, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    }
    MPI_Group_free(&group);
}

static void set_comm(MPI_Comm on, const char *how) {
    if (is(how, "return")) MPI_Comm_set_errhandler(on, MPI_ERRORS_RETURN);
    if (is(how, "fatal")) MPI_Comm_set_errhandler(on, MPI_ERRORS_ARE_FATAL);
    if (is(how, "user")) {
        MPI_Errhandler handler;
        MPI_Comm_create_errhandler(comm_handler, &handler);
        MPI_Comm_set_errhandler(on, handler);
        MPI_Errhandler_free(&handler);
    }
}

static void set_own(const char *how) {
    if (window == MPI_WIN_NULL && file == MPI_FILE_NULL) set_comm(comm, how);
    else if (file != MPI_FILE_NULL) MPI_File_set_errhandler(file, is(how, "return") ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL);
    else if (is(how, "user")) {
        MPI_Errhandler handler;
        MPI_Win_create_errhandler(win_handler, &handler);
        MPI_Win_set_errhandler(window, handler);
        MPI_Errhandler_free(&handler);
    } else MPI_Win_set_errhandler(window, is(how, "return") ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL);
}

/* "before-world-return", "after-self-user", "own-return", "fatal-then-return": the latter sets MPI_COMM_WORLD before and after. */
static void change(const char *when, const char *now) {
    if (is(when, "fatal-then-return")) return set_comm(MPI_COMM_WORLD, is(now, "before") ? "fatal" : "return");
    if (is(when, "return-then-fatal")) return set_comm(MPI_COMM_WORLD, is(now, "before") ? "return" : "fatal");
    if (strchr(when, '+') && is(now, "after")) {
        /* "world-return+self-user": both of them. */
        char world[32] = "";
        const char *self = strchr(when, '+') + 1;
        strncat(world, when, (size_t)(self - 1 - when));
        set_comm(MPI_COMM_WORLD, world + strlen("world-"));
        return set_comm(MPI_COMM_SELF, self + strlen("self-"));
    }
    if (strncmp(when, "own-", 4) == 0 && is(now, "after")) return set_own(when + 4);
    if (strncmp(when, now, strlen(now)) != 0) return;
    when += strlen(now) + 1;
    if (strncmp(when, "world-", 6) == 0) set_comm(MPI_COMM_WORLD, when + 6);
    if (strncmp(when, "self-", 5) == 0) set_comm(MPI_COMM_SELF, when + 5);
}

static int fail(const char *error) {
    MPI_Datatype type;
    MPI_Comm made;
    MPI_Group group;
    int keyval = 0, number = 99;
    if (is(error, "no-object")) return MPI_Type_contiguous(-1, MPI_INT, &type);
    if (is(error, "group")) {
        MPI_Comm_group(MPI_COMM_SELF, &group);
        return MPI_Group_incl(group, 1, &number, &group);
    }
    if (is(error, "null-comm")) return MPI_Comm_dup(MPI_COMM_NULL, &made);
    if (is(error, "message") && window == MPI_WIN_NULL && file == MPI_FILE_NULL) return MPI_Send(memory, 1, MPI_INT, 99, 1, comm);
    if (is(error, "message") && window != MPI_WIN_NULL) {
        int code = MPI_Put(memory, 1, MPI_INT, 99, 0, 1, MPI_INT, window);
        return code;
    }
    if (is(error, "message")) return MPI_File_write(file, memory, -1, MPI_INT, MPI_STATUS_IGNORE);
    if (is(error, "attribute")) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, 0);
        if (window != MPI_WIN_NULL) return MPI_Win_set_attr(window, keyval, memory);
        if (file == MPI_FILE_NULL) return MPI_Comm_set_attr(comm, MPI_KEYVAL_INVALID, memory);
        return MPI_File_set_size(file, -1);
    }
    if (is(error, "collective") && window == MPI_WIN_NULL && file == MPI_FILE_NULL) return MPI_Bcast(memory, 1, MPI_INT, 99, comm);
    if (is(error, "collective") && window != MPI_WIN_NULL) return MPI_Win_lock(MPI_LOCK_SHARED, 99, 0, window);
    return MPI_File_seek(file, -1, MPI_SEEK_SET);
}

static void tell(void) {
    MPI_Errhandler handler;
    if (window != MPI_WIN_NULL) MPI_Win_get_errhandler(window, &handler);
    else if (file != MPI_FILE_NULL) MPI_File_get_errhandler(file, &handler);
    else MPI_Comm_get_errhandler(comm, &handler);
    printf("its handler is %s\n", handler == MPI_ERRORS_ARE_FATAL ? "MPI_ERRORS_ARE_FATAL" : handler == MPI_ERRORS_RETURN ? "MPI_ERRORS_RETURN" : "another");
    fflush(stdout);
    MPI_Errhandler_free(&handler);
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    MPI_Init(&argc, &argv);
    change(argv[2], "before");
    make(argv[1]);
    change(argv[2], "after");
    if (argc > 4) tell();
    int code = fail(argv[3]), class = 0;
    MPI_Error_class(code, &class);
    printf("returned class %d\n", class);
    fflush(stdout);
    _exit(0);
}
