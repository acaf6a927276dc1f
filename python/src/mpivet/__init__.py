"""mpivet finds the mistakes in MPI programs. This package brings the command `mpivet` along, and lets Python programs speak to it:

    import mpivet

    with mpivet.region("solve"):
        ...
    mpivet.watch(limits, name="limits")

Without mpivet (the program was not started by `mpivet run`) none of it does anything.
"""

from ._annotations import Watch, active, dump, region, unwatch, watch
from ._command import MpivetNotFound, executable

__all__ = ["MpivetNotFound", "Watch", "active", "dump", "executable", "region", "unwatch", "watch"]
