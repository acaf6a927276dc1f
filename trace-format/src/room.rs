//! Room in lists of which a job has thousands.

/// Makes room for `more`, and a quarter of what is there: with thousands of ranks or threads, twice the room is too much.
pub fn make_room<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(list.len() / 4).max(4));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_grows_by_a_quarter_and_by_all_that_is_asked_for() {
        let mut list = vec![0; 400];
        list.shrink_to_fit();
        make_room(&mut list, 1);
        assert_eq!(list.capacity(), 500);
        make_room(&mut list, 100);
        assert_eq!(list.capacity(), 500);
        make_room(&mut list, 300);
        assert_eq!(list.capacity(), 700);
    }
}
