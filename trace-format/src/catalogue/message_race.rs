check! {
    /// # What it finds
    /// A receive with MPI_ANY_SOURCE or MPI_ANY_TAG that got the message that was meant for it, but could have got another
    /// one that does not fit: it is too long for the buffer, or its type signature is another one. The other message was
    /// sent concurrently, so that nothing but luck decides which of the two comes first. It is proved from one run: all that
    /// came before is left as it was.
    ///
    /// Where the other message fits, the race is legal and common, and nothing is said unless it is asked for with
    /// `--check message-race`: then each receive whose message is a matter of luck is shown, with the senders, which
    /// explains results that differ from run to run. Where the other message leads to a deadlock,
    /// `potential-deadlock` and `potential-hang-up` say so. Runs of more than 100,000 steps are not looked at.
    ///
    /// # Why it is wrong
    /// Messages of different senders come in any order (MPI 4.1, 3.5: messages are non-overtaking only between one sender and
    /// one receiver). A message must not be longer than the receive buffer, and the types of both sides must match
    /// (3.2.4, 3.3.1), whichever comes.
    ///
    /// # Example
    /// ```trace
    /// 0: MPI_Recv(source=ANY, count=1) = ok {status=1/0/4}    //~ message-race
    /// 0: MPI_Recv(source=ANY, count=8) = ok {status=2/0/32}
    /// 1: MPI_Send(dest=0, count=1) = ok                       //~ message-race
    /// 2: MPI_Send(dest=0, count=8) = ok                       //~ message-race
    /// ```
    ///
    /// # How to fix
    /// Give each kind of message a tag of its own, name the source, or probe with MPI_Mprobe and receive with MPI_Mrecv what
    /// was found.
    MESSAGE_RACE = "MV407" "message-race" Error Analyzer: "a wildcard receive could have got another message, which does not fit"
        about Function, Potential
}
