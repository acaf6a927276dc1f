/* The program's own use of the MPI tool information interface (MPI 4.1, chapter 15): rank 0 prints what it sees.
   Arguments: "before": the interface is in use before MPI_Init; "twice": it is given back and taken again. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void value(int index, MPI_Datatype type)
{
    static union { char text[65536]; int i[64]; unsigned u; unsigned long l; _Bool b; } v;
    MPI_T_cvar_handle handle;
    int count;
    if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count)) {
        printf("?");
        return;
    }
    memset(&v, 0, sizeof v);
    if (MPI_T_cvar_read(handle, &v))
        printf("?");
    else if (type == MPI_INT)
        for (int i = 0; i < count; i++)
            printf(i ? ",%d" : "%d", v.i[i]);
    else if (type == MPI_UNSIGNED)
        printf("%u", v.u);
    else if (type == MPI_UNSIGNED_LONG)
        printf("%lu", v.l);
    else if (type == MPI_CHAR)
        printf("%s", v.text);
    else if (type == MPI_C_BOOL)
        printf("%s", v.b ? "true" : "false");
    else
        printf("-");
    MPI_T_cvar_handle_free(&handle);
}

/* With values only where no library crashes on them: the interface was first used after MPI_Init. */
static void list(int values)
{
    int count;
    MPI_T_cvar_get_num(&count);
    printf("controls %d\n", count);
    for (int i = 0; i < count; i++) {
        char name[1024], type_name[MPI_MAX_OBJECT_NAME];
        int len = sizeof name, none = 0, verbosity, binding, scope;
        MPI_Datatype type;
        MPI_T_enum words;
        if (MPI_T_cvar_get_info(i, name, &len, &verbosity, &type, &words, NULL, &none, &binding, &scope))
            continue;
        MPI_Type_get_name(type, type_name, &len);
        printf("control\t%d\t%s\t%s\t", i, name, type_name);
        if (values)
            value(i, type);
        printf("\n");
    }
    MPI_T_pvar_get_num(&count);
    printf("performances %d\n", count);
    for (int i = 0; i < count; i++) {
        char name[1024];
        int len = sizeof name, none = 0, verbosity, class, binding, readonly, continuous, atomic;
        MPI_Datatype type;
        MPI_T_enum words;
        if (MPI_T_pvar_get_info(i, name, &len, &verbosity, &class, &type, &words, NULL, &none, &binding, &readonly,
                                &continuous, &atomic))
            continue;
        printf("performance\t%s\t%d\t%d\t%d\n", name, class, readonly, continuous);
    }
}

/* Unexpected messages as the program's own session tells them, where the library has that. */
static void queue(void)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    MPI_Comm world = MPI_COMM_WORLD;
    int index, count, flag;
    unsigned lengths[64] = {0};
    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (MPI_T_pvar_get_index("pml_ob1_unexpected_msgq_length", MPI_T_PVAR_CLASS_SIZE, &index))
        return;
    printf("session %d ", MPI_T_pvar_session_create(&session));
    printf("handle %d ", MPI_T_pvar_handle_alloc(session, index, &world, &handle, &count));
    printf("read %d ", MPI_T_pvar_read(session, handle, lengths));
    printf("start %d ", MPI_T_pvar_start(session, handle));
    printf("elements %d unexpected %u\n", count, lengths[1]);
    MPI_T_pvar_handle_free(session, &handle);
    MPI_T_pvar_session_free(&session);
}

int main(int argc, char **argv)
{
    int before = argc > 1 && !strcmp(argv[1], "before"), twice = argc > 1 && !strcmp(argv[1], "twice");
    int rank, provided = -1, data = 0;
    if (before)
        MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        for (int tag = 0; tag < 3; tag++)
            MPI_Send(&data, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        for (int round = 0; round < (twice ? 2 : 1); round++) {
            if (!before)
                printf("start %d ", MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
            printf("provided %d\n", provided);
            list(!before);
            queue();
            printf("end %d\n", MPI_T_finalize());
        }
        for (int tag = 0; tag < 3; tag++)
            MPI_Recv(&data, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (before) {
        MPI_T_finalize();
    }
    MPI_Finalize();
    return 0;
}
