check! {
    /// # What it finds
    /// A tag above 32767 in a program that never asks how great a tag may be. Told once for each place of the program. The
    /// check is silent from the moment that the program, or a library that it uses, has asked for the attribute MPI_TAG_UB.
    ///
    /// # Why it is wrong
    /// Every MPI library allows tags up to 32767; whether greater ones are allowed depends on the library, the network and
    /// even the version (MPI 4.1, 9.1.2). A program that works here may end with an error elsewhere.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Send(dest=1, tag=100000) = ok    //~ tag-portability
    /// 0: found MV227 "tag of MPI_Send is 100000; every MPI library allows tags up to 32767, and greater ones only if MPI_TAG_UB says so"
    /// 1: MPI_Recv(source=0, tag=100000) = ok
    /// ```
    ///
    /// # How to fix
    /// Use smaller tags: messages between two ranks are ordered, so that steps of a program need no tags of their own.
    /// Different communicators keep messages of different parts of the program apart. Or ask for MPI_TAG_UB and keep below
    /// it.
    TAG_PORTABILITY = "MV227" "tag-portability" Warning Dynamic: "a tag greater than every library allows"
        about Input(&[Kind::Tag]); Arguments
}
