// A program of some 50 MB that makes several mistakes one after the other, and says how many bytes the process has read when all
// of them are told.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

__asm__(".section .rodata\n.globl ballast\nballast: .fill 50000000, 1, 7\n.text\n");
extern const char ballast[50000000];

static long bytes_read(void)
{
    char line[128];
    long bytes = -1;
    FILE *file = fopen("/proc/self/io", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "rchar:", 6))
            sscanf(line + 6, "%ld", &bytes);
    if (file)
        fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    long before = bytes_read();
    char to[4] = {ballast[argc]};
    MPI_Send(to, -1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    MPI_Send(to, 1, MPI_CHAR, 77, 0, MPI_COMM_WORLD);
    MPI_Send(to, 1, MPI_CHAR, 0, -7, MPI_COMM_WORLD);
    MPI_Bcast(to, -2, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Bcast(to, 1, MPI_CHAR, 5, MPI_COMM_WORLD);
    printf("%ld\n", bytes_read() - before);
    MPI_Finalize();
    return 0;
}
