// System calls of many kinds that nothing stands in front of, given the buffers of pending operations: they do what they always do.
// For tests/tests/precise.rs, which compares what is printed with and without --precise. The lines that touch the buffers in
// a known way end with a comment.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, BYTES = 64 * PAGE };

static volatile int ticks, depth;
static int ends[2];
static char *in, *out;
extern char **environ;

static long inlined(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory"); /* known */
    return result;
}

static void on_tick(int signal)
{
    char byte = 1;
    ticks += signal == SIGUSR1 && inlined(SYS_write, ends[1], (long)&byte, 1) == 1;
}

static void *thread(void *unused)
{
    struct timespec time;
    ticks += syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time) == 0;
    return unused;
}

static void say(const char *name, long value)
{
    printf("%s %ld\n", name, value);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    MPI_Request requests[2];
    int rank, level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (posix_memalign((void **)&in, PAGE, BYTES) || posix_memalign((void **)&out, PAGE, BYTES) || pipe(ends))
        return 1;
    memset(in, 1, BYTES);
    memset(out, 2, BYTES);
    MPI_Irecv(in, BYTES, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, BYTES, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    if (rank == 0) {
        // The kernel is told of memory in many ways.
        say("getrandom", syscall(SYS_getrandom, in + PAGE, 3 * PAGE, 0));                             /* known */
        say("write", syscall(SYS_write, ends[1], in + PAGE, 100));                                    /* known */
        say("read", inlined(SYS_read, ends[0], (long)(out + PAGE), 100));
        struct iovec parts[2] = {{in, 10}, {out, 20}};
        say("writev", syscall(SYS_writev, ends[1], parts, 2));                                        /* known */
        say("readv", syscall(SYS_readv, ends[0], parts, 2));                                          /* known */
        int pair[2];
        socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
        say("sendmsg", syscall(SYS_sendmsg, pair[0], &message, 0));                                   /* known */
        say("recvmsg", syscall(SYS_recvmsg, pair[1], &message, 0));                                   /* known */
        say("stat", stat("/", (struct stat *)(in + 5 * PAGE)));
        say("stat bad", stat((char *)16, (struct stat *)(in + 5 * PAGE)) == -1 && errno == EFAULT);
        say("clock", syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, (struct timespec *)(in + 6 * PAGE)));
        say("pipe", pipe((int *)(in + 7 * PAGE)));
        say("usage", getrusage(RUSAGE_SELF, (struct rusage *)(in + 8 * PAGE)));
        int polled = epoll_create1(0);
        struct epoll_event *event = (struct epoll_event *)(in + 9 * PAGE);
        event->events = EPOLLIN;
        say("epoll", epoll_ctl(polled, EPOLL_CTL_ADD, ends[0], event));
        say("nothing", epoll_wait(polled, event, 1, 1));
        struct mmsghdr several[1] = {{.msg_hdr = message}};
        say("sendmmsg", sendmmsg(pair[0], several, 1, 0));
        say("recvmmsg", recvmmsg(pair[1], several, 1, 0, NULL));
        say("yield", syscall(SYS_sched_yield));
        say("socket option", getsockopt(pair[0], SOL_SOCKET, SO_TYPE, in + 10 * PAGE, &(socklen_t){4}));
        say("bad", inlined(SYS_read, ends[0], 16, 0));

        // Streams call the kernel inside of the C library.
        FILE *file = tmpfile();
        setvbuf(file, in + 16 * PAGE, _IOFBF, PAGE);
        say("fprintf", fprintf(file, "%05000d", 7));
        rewind(file);
        say("fscanf", fscanf(file, "%4000s", in + 20 * PAGE));
        say("strlen", (long)strlen(in + 20 * PAGE));
        fclose(file);

        // Signals, masks, threads, children.
        struct sigaction tick;
        memset(&tick, 0, sizeof tick);
        tick.sa_handler = on_tick;
        sigfillset(&tick.sa_mask);
        sigaction(SIGUSR1, &tick, NULL);
        raise(SIGUSR1);
        sigset_t *all = (sigset_t *)(in + 30 * PAGE), *old = (sigset_t *)(in + 31 * PAGE);
        sigfillset(all);
        say("mask", syscall(SYS_rt_sigprocmask, SIG_BLOCK, all, old, 8));
        raise(SIGUSR1);
        say("one", ticks);
        say("unmask", syscall(SYS_rt_sigprocmask, SIG_SETMASK, old, NULL, 8));
        say("two", ticks);
        say("mask bad", syscall(SYS_rt_sigprocmask, SIG_SETMASK, (void *)16, NULL, 8) == -1 && errno == EFAULT);
        say("mask size", syscall(SYS_rt_sigprocmask, SIG_SETMASK, old, NULL, 4) == -1 && errno == EINVAL);
        pthread_t other;
        say("thread", pthread_create(&other, NULL, thread, NULL));
        say("join", pthread_join(other, NULL));
        say("three", ticks);
        pid_t child;
        char *words[] = {"true", NULL};
        int status = -1;
        say("spawn", posix_spawnp(&child, "true", NULL, NULL, words, environ));
        say("wait", waitpid(child, &status, 0) == child ? status : -1);
        say("system", system("exit 3"));
        FILE *said = popen("echo 42", "r");
        say("said", fgets(out + 3 * PAGE, 10, said) ? atol(out + 3 * PAGE) : -1);
        say("close", pclose(said));
        child = fork();
        if (child == 0)
            _exit(syscall(SYS_getrandom, in, PAGE, 0) == PAGE && (in[0] = 1) ? 5 : 6);
        waitpid(child, &status, 0);
        say("fork", WEXITSTATUS(status));
        child = (pid_t)syscall(SYS_fork);
        if (child == 0)
            _exit(syscall(SYS_getrandom, in, PAGE, 0) == PAGE && (in[0] = 1) ? 5 : 6);
        waitpid(child, &status, 0);
        say("system call fork", WEXITSTATUS(status));
        int flag;
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        signal(SIGALRM, on_tick);
        ualarm(200000, 0);
        say("pause", pause() == -1 && errno == EINTR);
        say("again", syscall(SYS_getrandom, in + PAGE, PAGE, 0));
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    say("getrandom later", syscall(SYS_getrandom, in, BYTES, 0));
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
