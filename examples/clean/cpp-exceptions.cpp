// Correct C++: an error handler and an attribute that throw exceptions through MPI, which the program catches.
//
// The standard does not promise that MPI can be used after an error, but all libraries here allow it when the error was
// found before anything was done.
//
// ranks: 2

#include <mpi.h>

#include <cstdio>
#include <stdexcept>

static void throw_class(MPI_Comm *, int *code, ...)
{
    int error_class;
    MPI_Error_class(*code, &error_class);
    throw std::runtime_error(error_class == MPI_ERR_RANK ? "rank" : error_class == MPI_ERR_TAG ? "tag" : "other");
}

static void throw_on_delete(int value)
{
    if (value == 42)
        throw std::logic_error("in use");
}

static int delete_attribute(MPI_Comm, int, void *value, void *)
{
    throw_on_delete(*static_cast<int *>(value));
    return MPI_SUCCESS;
}

struct Comm {
    Comm() { MPI_Comm_dup(MPI_COMM_WORLD, &comm); }
    ~Comm() { MPI_Comm_free(&comm); }
    MPI_Comm comm;
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, ranks = 0, tags = 0, uses = 0, value = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    {
        Comm own;
        MPI_Errhandler handler;
        MPI_Comm_create_errhandler(throw_class, &handler);
        MPI_Comm_set_errhandler(own.comm, handler);
        MPI_Errhandler_free(&handler);
        for (int i = 0; i < 3; i++) {
            try {
                if (i == 1)
                    MPI_Recv(&value, 1, MPI_INT, 0, -77, own.comm, MPI_STATUS_IGNORE);
                else
                    MPI_Send(&value, 1, MPI_INT, size, 0, own.comm);
            } catch (const std::runtime_error &error) {
                ranks += error.what()[0] == 'r';
                tags += error.what()[0] == 't';
            }
        }

        int keyval, attribute = 42;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &keyval, nullptr);
        MPI_Comm_set_attr(own.comm, keyval, &attribute);
        try {
            MPI_Comm_delete_attr(own.comm, keyval);
        } catch (const std::logic_error &) {
            uses++;
        }
        attribute = 0;
        MPI_Comm_delete_attr(own.comm, keyval);
        MPI_Comm_free_keyval(&keyval);
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, own.comm);
    }
    std::printf("rank %d: %d wrong ranks, %d wrong tags, %d in use, sum %d\n", rank, ranks, tags, uses, value);
    MPI_Finalize();
    return 0;
}
