# Spack recipe of mpivet: the binaries of the tar file, which need no MPI and run from glibc 2.17 on. Put it below
# packages/mpivet/ of a repository of your own (`spack repo create`), with the checksum of SHA256SUMS of the release.
from spack.package import *


class Mpivet(Package):
    """Finds mistakes in MPI programs without a rebuild: deadlocks, mismatched messages and types, races on buffers, leaks."""

    homepage = "https://pypi.org/project/mpivet"
    license("MIT OR Apache-2.0")

    # file:///PATH/mpivet-VERSION-x86_64-linux.tar.gz, or where your site keeps it.
    version("0.1.0", url="file:///opt/src/mpivet-0.1.0-x86_64-linux.tar.gz", sha256="SHA256 OF THE TAR FILE")

    requires("platform=linux target=x86_64:", msg="mpivet is for Linux on x86-64")

    def install(self, spec, prefix):
        install_tree("bin", prefix.bin)
        install_tree("lib", prefix.lib)
        install_tree("include", prefix.include)
        install_tree("share", prefix.share)

    @run_after("install")
    def is_complete(self):
        Executable(self.prefix.bin.mpivet)("--version")
