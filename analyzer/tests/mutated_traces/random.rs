//! Random numbers, always the same for a seed, and values that break things.

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn of<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        if list.is_empty() { None } else { list.get(self.below(list.len())) }
    }

    pub(crate) fn of_mut<'a, T>(&mut self, list: &'a mut [T]) -> Option<&'a mut T> {
        let place = self.below(list.len());
        list.get_mut(place)
    }

    /// A number that something may trip over.
    pub(crate) fn number(&mut self) -> i64 {
        const EDGES: [i64; 26] = [
            0,
            1,
            2,
            3,
            7,
            -1,
            -2,
            -3,
            -32766,
            255,
            256,
            257,
            258,
            4096,
            65_535,
            1 << 20,
            1 << 24,
            i32::MAX as i64,
            i32::MIN as i64,
            i32::MIN as i64 + 1,
            u32::MAX as i64,
            1 << 31,
            1 << 32,
            1 << 62,
            i64::MAX,
            i64::MIN,
        ];
        match self.below(4) {
            0 => self.next() as i64,
            1 => self.below(8) as i64,
            _ => self.of(&EDGES).copied().unwrap_or(0),
        }
    }

    /// A word that somebody may obey.
    pub(crate) fn word(&mut self) -> String {
        const WORDS: [&str; 8] = [
            "",
            "a\u{1b}[31mb\u{9b}2J",
            "\u{202e}kcab\u{2066}",
            "one\r\n::error::two\n\n# three",
            "</script><script>alert(1)</script>",
            "ranks 0-2147483647 of rank 4294967296, rank 1-2:0",
            "`|]]>&lt;\"'\\\0",
            "%1%n$(x);",
        ];
        self.of(&WORDS).copied().unwrap_or("").to_owned()
    }
}
