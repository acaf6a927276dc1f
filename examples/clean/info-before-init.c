// Info objects, error classes and handlers before MPI_Init and after MPI_Finalize.
//
// Correct: since MPI 4.0 these may be used at any time, and objects made before MPI_Init live on (MPI 4.1, 11.4.1).
//
// ranks: 2
// mpi: mpich (Open MPI 4.1 implements MPI 3.1)

#include <mpi.h>
#include <stddef.h>
#include <string.h>

int main(int argc, char **argv)
{
    int wrong = 0, flag = 1, length = 16, error_class, version, subversion;
    char text[16] = "", message[MPI_MAX_ERROR_STRING];
    MPI_Info info, copy;
    MPI_Initialized(&flag);
    wrong += flag;
    MPI_Get_version(&version, &subversion);
    wrong += version < 4;
    MPI_Info_create(&info);
    MPI_Info_set(info, "when", "early");
    MPI_Info_dup(info, &copy);

    MPI_Init(&argc, &argv);
    MPI_Comm comm;
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    MPI_Comm_free(&comm);
    MPI_Finalize();

    MPI_Info_get_string(copy, "when", &length, text, &flag);
    wrong += !flag || strcmp(text, "early") != 0;
    MPI_Info_free(&copy);
    MPI_Info_create(&info);
    MPI_Info_free(&info);
    MPI_Error_class(MPI_ERR_TAG, &error_class);
    MPI_Error_string(MPI_ERR_TAG, message, &length);
    wrong += error_class != MPI_ERR_TAG || length == 0;
    MPI_Finalized(&flag);
    wrong += !flag;
    return wrong != 0;
}
