// Info objects: copied, changed while others use them, freed at once after use, asked back.
//
// Correct: a call takes what it needs from an info object, which may be changed or freed at once (MPI 4.1, 10);
// MPI_INFO_ENV is predefined and not freed; MPI_Comm_get_info returns a new object (7.4.4).
//
// ranks: 2

#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int wrong = 0, count, flag;
    char key[MPI_MAX_INFO_KEY + 1], value[32];
    MPI_Info info, copy, found;
    MPI_Comm comm;
    MPI_Info_create(&info);
    MPI_Info_set(info, "color", "red");
    MPI_Info_set(info, "form", "round");
    MPI_Info_dup(info, &copy);
    MPI_Info_set(info, "color", "blue");
    MPI_Info_delete(info, "form");
    MPI_Info_get(copy, "form", sizeof value - 1, value, &flag);
    wrong += !flag || strcmp(value, "round") != 0;
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, copy, &comm);
    MPI_Info_free(&copy);
    wrong += copy != MPI_INFO_NULL;
    MPI_Info_get_nkeys(info, &count);
    MPI_Info_get_nthkey(info, 0, key);
    wrong += count != 1 || strcmp(key, "color") != 0;
    MPI_Comm_set_info(comm, info);
    MPI_Info_free(&info);
    MPI_Comm_get_info(comm, &found);
    MPI_Info_free(&found);
    MPI_Comm_free(&comm);
    MPI_Info_get(MPI_INFO_ENV, "no such key", sizeof value - 1, value, &flag);
    wrong += flag;

    void *memory;
    MPI_Win window;
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &memory, &window);
    MPI_Info_free(&info);
    MPI_Win_get_info(window, &found);
    MPI_Info_free(&found);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return wrong != 0;
}
