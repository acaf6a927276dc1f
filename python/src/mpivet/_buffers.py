"""The memory of an object with the buffer protocol."""

import ctypes
from typing import Any, Optional


class _PyBuffer(ctypes.Structure):
    """`Py_buffer` of CPython."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    ]


# PyBUF_ANY_CONTIGUOUS | PyBUF_FORMAT: C's order or Fortran's, not writable.
_FLAGS = 0x80 | 0x18 | 0x04


class NoBuffer(Exception):
    """The object has no memory that could be named by an address and a length."""


class Buffer:
    """Memory of an object, which stays where it is until `release`."""

    def __init__(self, of: Any) -> None:
        """Raises NoBuffer if `of` has no buffer, or one with gaps."""
        python = getattr(ctypes, "pythonapi", None)
        if python is None:
            raise NoBuffer("this interpreter does not say where its objects are")
        view = _PyBuffer()
        try:
            python.PyObject_GetBuffer(ctypes.py_object(of), ctypes.byref(view), ctypes.c_int(_FLAGS))
        except (BufferError, TypeError, ValueError) as error:
            raise NoBuffer(str(error)) from None
        self._view: Optional[_PyBuffer] = view
        # Where it begins, and its length in bytes.
        self.address: int = view.buf or 0
        self.bytes: int = view.len
        self.itemsize: int = view.itemsize
        self.format: str = (view.format or b"B").decode("ascii", "replace")

    def release(self) -> None:
        """The memory may be freed or moved."""
        if self._view is not None:
            view, self._view = self._view, None
            ctypes.pythonapi.PyBuffer_Release(ctypes.byref(view))

    def __enter__(self) -> "Buffer":
        return self

    def __exit__(self, *why: object) -> None:
        self.release()
