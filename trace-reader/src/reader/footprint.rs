//! Reading with a small footprint, for runs of many ranks: a block is unpacked piece by piece, so that no rank holds a whole lap
//! in memory; and between two looks at a rank its file is closed and its stages are unmapped, since the system limits both.

use super::RankReader;

impl RankReader {
    /// Unpacks about so many bytes of records at a time, so that ranks can be read side by side in small steps: a piece counts
    /// as a block in [`RankReader::poll`]. A process with several threads holds a lap of each nevertheless.
    pub fn read_in_pieces(&mut self, bytes: usize) {
        self.piece = Some(bytes.max(1));
    }

    /// Keeps no file open and nothing mapped from now on, except while it reads.
    pub fn stay_closed(&mut self) {
        self.stays_closed = true;
        self.put_away();
    }

    pub(super) fn put_away(&mut self) {
        self.blocks.close();
        self.threads.values_mut().for_each(super::Thread::leave_stage);
    }
}
