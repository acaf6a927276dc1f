//! Reading that spares memory, and for runs of many ranks what the system has only so much of: a block is unpacked piece
//! by piece, so that no rank holds a whole lap, and between two looks at a rank its file is closed and its stages are
//! unmapped.

use super::blocks::BlockRef;
use super::{LeanEvent, OpenError, RankReader};
use crate::pack::Mark;

impl RankReader {
    /// Of the records of a block about so many bytes are unpacked at a time, so that ranks can be read side by side in
    /// small steps: a piece counts as a block in [`RankReader::poll`]. A process with several threads holds a lap of each
    /// nevertheless.
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

    /// Makes the next piece of a block what is at hand of the only thread. False if the block is damaged or gone.
    pub(super) fn use_piece(
        &mut self,
        number: u16,
        block: &BlockRef,
        (mut records, mut marks): (Vec<u8>, Vec<Mark>),
        sink: &mut dyn FnMut(LeanEvent),
    ) -> Result<bool, OpenError> {
        let Some(thread) = self.threads.get(&number) else { return Ok(false) };
        let begun = thread.has_begun();
        let most = self.piece.filter(|_| thread.reads_in_pieces(block)).unwrap_or(usize::MAX);
        if !begun {
            self.define(block.place(), sink)?;
        }
        let last = self.blocks.piece(block, begun, most, (&mut records, &mut marks))?;
        if last != Some(false) {
            self.waiting = self.waiting.saturating_sub(block.header.len.into());
        }
        let limited = self.blocks.are_limited();
        let Some(thread) = self.threads.get_mut(&number) else { return Ok(false) };
        let Some(last) = last else {
            thread.give_up_block();
            return Ok(false);
        };
        if begun {
            thread.use_more((records, marks));
        } else if let Err(what) = thread.use_block(block, (records, marks), limited, &self.blobs, sink) {
            self.blocks.defect(block, what);
        }
        if !last && !thread.put_back(*block) {
            self.waiting = self.waiting.saturating_sub(block.header.len.into());
        }
        Ok(true)
    }
}
