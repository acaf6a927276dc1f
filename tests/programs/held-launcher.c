// A library for a launcher: holds it when it is about to exit, for ever.
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

static void __attribute__((destructor)) hold(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0)
        return;
    path[length] = '\0';
    const char *name = strrchr(path, '/') + 1;
    while (!strcmp(name, "orterun") || !strncmp(name, "mpiexec", 7))
        pause();
}
