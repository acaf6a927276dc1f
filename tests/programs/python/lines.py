# Calls MPI_Iprobe in every way in which Python code can be entered. Each call has its own line as its tag, as the
# interpreter itself tells it.
import asyncio
import sys
import threading

from mpi4py import MPI

COMM = MPI.COMM_SELF


def here():
    return sys._getframe(1).f_lineno


def generator(n):
    for i in range(n):
        COMM.Iprobe(tag=here())
        yield i
        COMM.Iprobe(tag=here())


def recursion(n):
    if n > 0:
        return recursion(n - 1) + 1
    COMM.Iprobe(tag=here())
    return 0


class Object:
    def __call__(self):
        COMM.Iprobe(tag=here())

    @property
    def attribute(self):
        COMM.Iprobe(tag=here())

    def __lt__(self, other):
        COMM.Iprobe(tag=here())
        return True

    def __del__(self):
        COMM.Iprobe(tag=here())


async def coroutine():
    COMM.Iprobe(tag=here())
    await asyncio.sleep(0)
    COMM.Iprobe(tag=here())


def grüße():
    COMM.Iprobe(tag=here())


def everything():
    for _ in range(3):
        list(generator(3))
        recursion(3)
        recursion(200)
        Object()()
        Object().attribute
        sorted([Object(), Object()])
        grüße()
        [COMM.Iprobe(tag=here()) for _ in range(2)]
        sorted([3, 1, 2], key=lambda value: COMM.Iprobe(tag=here()) or value)
        asyncio.run(coroutine())
        try:
            raise ValueError
        except ValueError:
            COMM.Iprobe(tag=here())
        finally:
            COMM.Iprobe(tag=here())


everything()
# New code where the memory of old code was: other lines, and other files.
for k in range(100):
    source = "\n" * (1000 + k) + "COMM.Iprobe(tag=here())\n"
    exec(compile(source, "generated.py", "exec"))
threads = [threading.Thread(target=everything) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
COMM.Iprobe(tag=here())
