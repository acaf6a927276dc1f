//! Numbers of threads, and what ended ones leave behind. One test: the threads are those of the process.

use recorder::threads::{Beginning, MOST, are_several, begin, count, end};

#[test]
fn a_thread_takes_over_what_an_ended_one_has_left() {
    assert_eq!((count(), are_several()), (0, false));
    assert_eq!(begin(), Some(Beginning::Number(0)));
    assert_eq!((count(), are_several()), (1, false));
    // One after the other is several: what the first one did comes before what the second one does.
    end(0x1000);
    assert_eq!(begin(), Some(Beginning::State(0x1000)));
    assert_eq!((count(), are_several()), (1, true));
    assert_eq!(begin(), Some(Beginning::Number(1)));
    for number in 2..MOST {
        assert_eq!(begin(), Some(Beginning::Number(number as u16)));
    }
    assert_eq!(begin(), None, "there are too many");
    end(0x2000);
    assert_eq!(begin(), Some(Beginning::State(0x2000)), "one of them has ended");
    assert_eq!(begin(), None);
}
