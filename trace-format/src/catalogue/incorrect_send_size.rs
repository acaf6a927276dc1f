check! {
    /// # What it finds
    /// A message that is shorter than the room that its receive has. Off unless it is asked for with
    /// `--check incorrect-send-size`: this is legal and common, since a receive may be posted for the longest message that can
    /// come. Where a program always means to fill its buffers, the check finds the counts that do not agree.
    ///
    /// # Why it is wrong
    /// It is not, for MPI (MPI 4.1, 3.2.4): the rest of the buffer keeps what was in it. It is wrong for a program that then
    /// reads the whole buffer, and does not ask MPI_Get_count how much has come.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Send(dest=1, count=3) = ok         //~ incorrect-send-size
    /// 1: MPI_Recv(source=0, count=4) = ok       //~ incorrect-send-size
    /// ```
    ///
    /// # How to fix
    /// Let both sides compute the count in the same way, or use only as many elements as MPI_Get_count says.
    INCORRECT_SEND_SIZE = "MV404" "incorrect-send-size" Warning Analyzer off: "a message is shorter than the room for it"
        about Input(COUNTS)
}
