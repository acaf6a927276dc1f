//! `mpivet agent`: what the first rank of a node starts. It has no terminal to speak to; what goes wrong is said by `mpivet run`,
//! which has no connection then.

use crate::exit::{CANNOT, CLEAN, Exit};
use agents::node::{self, Task};

pub(crate) fn agent() -> Result<u8, Exit> {
    let Some((task, lock)) = Task::inherited() else {
        return Err(Exit::Usage(
            "`mpivet agent` is started by the ranks of a job under `mpivet run`, not by people".into(),
        ));
    };
    Ok(if node::run(task, lock).is_ok() { CLEAN } else { CANNOT })
}
