//! Tests of what needs no other library.

use super::refusals::pushes;

#[test]
fn schemes_in_which_senders_write_are_refused() {
    assert!(pushes("put_zcopy") && pushes("put_ppln") && pushes("am"));
    assert!(!pushes("") && !pushes("auto") && !pushes("get_zcopy"));
}
