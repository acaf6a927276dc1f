"""Words of a Python program to mpivet: names of its phases, data to watch, arrays for the trace. As include/mpivet.h does
in C, each function calls MPI_Pcontrol, which MPI has for tools, with a level that MPI libraries do not know and ignore."""

import contextlib
import ctypes
import threading
import warnings
from types import TracebackType
from typing import Any, Dict, Optional, Type

from ._buffers import Buffer, NoBuffer

_LEVEL = 0x4D505654
_MAGIC = 0x6D70697665740001
_REGION_BEGIN, _REGION_END, _WATCH, _UNWATCH, _DUMP = 1, 2, 3, 4, 5


class _Request(ctypes.Structure):
    """Eight-byte words, the same in C and Fortran."""

    _fields_ = [
        ("magic", ctypes.c_uint64),
        ("action", ctypes.c_int64),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("datatype", ctypes.c_int64),
    ]


def _loaded() -> Optional[ctypes.CDLL]:
    """The symbols of this process, if libmpivet.so is among its libraries."""
    # A symbol that no other library has. It is preloaded, or never there.
    process = ctypes.CDLL(None)
    return process if hasattr(process, "mpivet_queues") else None


_process = _loaded()


def active() -> bool:
    """Is this process watched by mpivet?"""
    return _process is not None


def _mpi() -> Optional[ctypes.CDLL]:
    """The symbols of this process, if it is watched and between MPI_Init and MPI_Finalize."""
    # libmpivet.so has the functions of MPI once an MPI library is loaded.
    if _process is None or not hasattr(_process, "MPI_Pcontrol"):
        return None
    flag = ctypes.c_int(0)
    _process.MPI_Initialized(ctypes.byref(flag))
    if not flag.value:
        return None
    _process.MPI_Finalized(ctypes.byref(flag))
    return None if flag.value else _process


def _ask(
    action: int, name: str, address: Optional[int] = None, count: int = 0, datatype: int = 0, mpi: Any = None
) -> None:
    mpi = mpi or _mpi()
    if mpi is not None:
        text = name.encode("utf-8", "replace")
        request = _Request(_MAGIC, action, text, address, count, datatype)
        mpi.MPI_Pcontrol(ctypes.c_int(_LEVEL), ctypes.byref(request))


class region(contextlib.ContextDecorator):
    """A phase of the program, as a context manager or a decorator. Regions may be nested. Findings name the innermost one.

    with mpivet.region("solve"):
        ...

    @mpivet.region("exchange")
    def exchange(): ...
    """

    def __init__(self, name: str) -> None:
        self.name = str(name)

    def __enter__(self) -> "region":
        _ask(_REGION_BEGIN, self.name)
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        _ask(_REGION_END, self.name)


class Watch:
    """Data that are watched until `unwatch()`, or the end of the `with` block that this object is given to."""

    def __init__(self, name: str, buffer: Optional[Buffer] = None) -> None:
        self.name = name
        self._buffer = buffer

    def unwatch(self) -> None:
        """The data may change from now on."""
        if self._buffer is not None:
            with _lock:
                if _watched.get(self.name) is self:
                    del _watched[self.name]
                    _ask(_UNWATCH, self.name)
            self._buffer.release()
            self._buffer = None

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *why: object) -> None:
        self.unwatch()


# Watched memory must not be freed or moved: it belongs to mpivet as long as it is here.
_watched: Dict[str, Watch] = {}
_lock = threading.RLock()


def watch(array: Any, name: Optional[str] = None) -> Watch:
    """From now on these data are not to change: mpivet compares them at every MPI call, and reports watched-data-changed.

    `array`: anything contiguous with the buffer protocol: a NumPy array, array.array, bytearray, memoryview. It stays alive, and
    cannot be resized, until `unwatch(name)`, `unwatch()` of what is returned, or the end of a `with` block. A second watch of
    the same name takes the place of the first. MPI must be initialized.
    """
    mpi = _mpi()
    if mpi is None:
        return Watch(name or "")
    try:
        buffer = Buffer(array)
    except NoBuffer as error:
        warnings.warn(f"mpivet.watch: {error}; it is not watched", RuntimeWarning, stacklevel=2)
        return Watch(name or "")
    name = name or f"{type(array).__name__} at {buffer.address:#x}"
    with _lock:
        unwatch(name)
        watched = _watched[name] = Watch(name, buffer)
        _ask(_WATCH, name, buffer.address, buffer.bytes, mpi=mpi)
    return watched


def unwatch(name: str) -> None:
    """The data of this name may change from now on."""
    with _lock:
        watched = _watched.get(name)
        if watched is not None:
            watched.unwatch()


def dump(array: Any, name: str, datatype: Any = None) -> None:
    """Writes an array to the trace, at most 1 MiB: `mpivet print --dumps` shows it.

    `array`: as for `watch`. `datatype`: an mpi4py Datatype of one element; without it, the one of the array's elements, or bytes
    where MPI has none. Needs mpi4py.
    """
    mpi = _mpi()
    if mpi is None:
        return
    try:
        from mpi4py import MPI
    except ImportError:
        warnings.warn("mpivet.dump needs mpi4py, which knows the datatypes of MPI", RuntimeWarning, stacklevel=2)
        return
    try:
        buffer = Buffer(array)
    except NoBuffer as error:
        warnings.warn(f"mpivet.dump: {error}; it is not in the trace", RuntimeWarning, stacklevel=2)
        return
    with buffer:
        if datatype is None:
            datatype = _datatype(MPI, buffer)
        extent = datatype.Get_extent()[1]
        count = buffer.bytes // extent if extent > 0 else 0
        _ask(_DUMP, name, buffer.address, count, MPI._handleof(datatype), mpi=mpi)


def _datatype(MPI: Any, buffer: Buffer) -> Any:
    """The datatype of MPI for the elements of a buffer: bytes, if there is none of the same size."""
    code = {"Zf": "F", "Zd": "D", "Zg": "G"}.get(buffer.format, buffer.format)
    try:
        found = MPI.Datatype.fromcode(code) if hasattr(MPI.Datatype, "fromcode") else MPI._typedict[code]
    except (KeyError, ValueError):
        return MPI.BYTE
    return found if found.Get_size() == buffer.itemsize else MPI.BYTE
