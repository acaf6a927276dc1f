check! {
    /// # What it finds
    /// A rank that got through because the MPI library did more than the standard promises, and that otherwise waits for
    /// something that no rank ever does: a wait for a message that was buffered and that nobody receives. The message
    /// itself is `nonpaired-send`, a collective operation that others never call `incomplete-gop`: where those say it,
    /// this check does not say it again.
    ///
    /// # Why it is wrong
    /// A send in standard mode may wait until its receive is started (MPI 4.1, 3.4), and a collective operation until all
    /// processes of its communicator have called it (6.1).
    ///
    /// # Example
    /// ```trace
    /// //! check -nonpaired-send
    /// 0: MPI_Send(dest=1) = ok          //~ potential-hang-up
    /// 0: MPI_Finalize() = ok
    /// 1: MPI_Finalize() = ok
    /// ```
    ///
    /// # How to fix
    /// Receive the message, or do not send it.
    POTENTIAL_HANG_UP = "MV604" "potential-hang-up" Warning Analyzer: "a rank that waits for ever unless the library does more than it must"
        about Function, Potential
}
