// Two libraries, one after the other in the same place, that call MPI from the same addresses. Usage: plugins A.so B.so
// (A and B are made from this file, too).

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef PLUGIN

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
void *work(void)
{
    static MPI_Datatype type;
#line 10 TEXT(PLUGIN)
    MPI_Type_contiguous(3, MPI_INT, &type);
    return __builtin_return_address(0) ? (void *)work : NULL;
}

#else

int main(int argc, char **argv)
{
    void *places[2] = {NULL, NULL};
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 2 && argc > 2; i++) {
        void *library = dlopen(argv[i + 1], RTLD_NOW);
        if (!library) {
            fprintf(stderr, "%s\n", dlerror());
            return 2;
        }
        void *(*work)(void);
        *(void **)&work = dlsym(library, "work");
        places[i] = work();
        dlclose(library);
    }
    printf("%s\n", places[0] == places[1] ? "the same place" : "two places");
    MPI_Finalize();
    return 0;
}

#endif
