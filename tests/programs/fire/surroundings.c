// Programs that change what is around them, by argument:
//   close      closes all descriptors that are not its own, and takes all numbers for a file of its own
//   chdir      goes to another directory
//   umask      lets nobody read what is made from now on
//   clear      clears the environment before MPI begins
//   unset      takes a variable away before MPI begins
//   limits     lowers limits and raises them again
//   too-large  may write no more to files, and crashes
// Then it makes more calls than a stage holds.

#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *how;

static int is(const char *what)
{
    return !strcmp(how, what);
}

static void limit(int which, rlim_t value)
{
    struct rlimit limit;
    getrlimit(which, &limit);
    limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
    if (setrlimit(which, &limit))
        perror("setrlimit");
}

// The program writes this: whatever else is in the file was written by somebody else.
static const char words[] = "all that is in here\n";

static void take_descriptors(const char *name)
{
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    int own = open(name, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (own != 3 || write(own, words, sizeof words - 1) != sizeof words - 1)
        exit(4);
    for (int fd = 4; fd < 1024; fd++)
        dup2(own, fd);
}

static const char *state(const char *name)
{
    struct stat found;
    return stat(name, &found) || found.st_size != sizeof words - 1 ? "damaged" : "whole";
}

int main(int argc, char **argv)
{
    int rank, wrong = 0;
    how = argc > 1 ? argv[1] : "";
    if (is("clear")) {
        clearenv();
        // Open MPI must find its daemon, and refuses to run as root without the others.
        setenv("PATH", "/usr/bin:/bin", 1);
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    }
    if (is("unset"))
        unsetenv("MPIVET_STACK_DEPTH");
    if (is("umask"))
        umask(0777);
    MPI_Init(&argc, &argv);
    if (is("chdir") && chdir("/"))
        return 2;
    if (is("close"))
        take_descriptors(argv[2]);
    if (is("limits")) {
        limit(RLIMIT_NOFILE, 8);
        limit(RLIMIT_STACK, 1 << 20);
        limit(RLIMIT_NOFILE, 4096);
        limit(RLIMIT_STACK, RLIM_INFINITY);
        limit(RLIMIT_CORE, RLIM_INFINITY);
    }
    if (is("too-large"))
        limit(RLIMIT_FSIZE, 1);
    for (int i = 0; i < 20000; i++) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        wrong += rank != 0;
        if (is("too-large") && i == 100)
            raise(SIGSEGV);
    }
    if (is("close")) {
        printf("%d wrong, %s\n", wrong, state(argv[2]));
        fflush(stdout);
        // The library's own descriptors are gone, too.
        exit(0);
    }
    printf("%d wrong\n", wrong);
    MPI_Finalize();
    return 0;
}
