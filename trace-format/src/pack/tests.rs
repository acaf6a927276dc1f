use super::*;

#[test]
fn numbers_are_written_in_one_way() {
    let values = (0..64).flat_map(|bits| [(1u64 << bits) - 1, 1 << bits, (1 << bits) + 1]);
    let values: Vec<u64> = values.chain([u64::MAX]).collect();
    for first in &values {
        for second in &values {
            let (mut one, mut other) = (vec![0xee, 0xee, 5], [0xeeu8; 3 + 2 * LONGEST]);
            put(&mut one, *first);
            put(&mut one, *second);
            let end = put_token(&mut other, 2, 5, (*first, *second));
            assert_eq!(other[..end], one, "{first} {second}");
        }
    }
}

/// Holds the cells' expectation of the next record, which is kept as counts, against the rule that it stands for, written down
/// plainly.
#[test]
fn what_followed_so_often_before_the_other_is_followed_by_the_other() {
    /// The last two that followed, the newer first, how often that did in a row, and how often both did before.
    #[derive(Default)]
    struct Rule {
        two: Vec<(u16, u32)>,
        run: u32,
    }
    impl Rule {
        fn expected(&self) -> u16 {
            match self.two[..] {
                [] => NONE,
                [(_, before), (other, _)] if self.run == before => other,
                [(same, _), ..] => same,
            }
        }
        fn followed_by(&mut self, cell: u16) {
            match &mut self.two[..] {
                [(same, _), ..] if *same == cell => self.run += 1,
                [] => (self.two, self.run) = (vec![(cell, 0)], 1),
                [(_, before), rest @ ..] => {
                    *before = self.run;
                    let of_other = rest.first().filter(|(other, _)| *other == cell).map_or(0, |(_, runs)| *runs);
                    (self.two, self.run) = (vec![(cell, of_other), self.two[0]], 1);
                }
            }
        }
    }
    let mut seed = 5u64;
    let mut random = |n: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % n
    };
    let mut others = 0;
    for _ in 0..2000 {
        let (mut cells, mut rule) = (Cells::default(), Rule::default());
        let first = cells.add(1, std::iter::empty(), (0, 0));
        let rounds = [random(5) + 1, random(5) + 1];
        for step in 0..200u64 {
            let regular = if step % (rounds[0] + rounds[1]) < rounds[0] { 1 } else { 2 };
            let cell = if random(20) == 0 { random(4) as u16 + 1 } else { regular };
            cells.last = first;
            // A cell that comes as expected may take the short way.
            if random(2) == 0 && cells.predicted() == Some(cell) {
                let mut calls = cells.calls();
                calls.follow(cell, 7);
                calls.end();
                assert_eq!((cells.last, cells.time), (cell, 7));
            } else {
                cells.follow(cell);
            }
            rule.followed_by(cell);
            cells.last = first;
            others += u32::from(rule.expected() != cell);
            assert_eq!(cells.predicted(), Some(rule.expected()));
        }
    }
    assert!(others > 10_000, "{others}");
}
