// Prints those of the names in a file that a lookup finds, as programs do that want to know what MPI can do, and whether the
// weak references of this program are bound.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#pragma weak MPI_Abi_get_info
int MPI_Abi_get_info(MPI_Info *);
#pragma weak MPI_Session_finalize_or_not
int MPI_Session_finalize_or_not(void);

int main(int argc, char **argv)
{
    FILE *names = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!names)
        return 2;
    // Linked to MPI for certain.
    if (argc > 2)
        MPI_Init(&argc, &argv);
    int (*volatile weak)(MPI_Info *) = MPI_Abi_get_info;
    int (*volatile never)(void) = MPI_Session_finalize_or_not;
    printf("weak %d %d\n", weak != NULL, never != NULL);
    char name[256];
    while (fscanf(names, "%255s", name) == 1) {
        dlerror();
        void *found = dlsym(RTLD_DEFAULT, name);
        const char *error = dlerror();
        if (found && !error)
            puts(name);
        else if (found || !error)
            printf("%s: neither found nor refused\n", name);
    }
    fclose(names);
    return 0;
}
