//! Where two type signatures differ first, found on their compact forms.

use super::{Compared, Difference, Entry, Node, SigId, Signatures, same_representation};

/// Longest walk through the parts of two signatures; what differs only behind it is not seen.
const MAX_STEPS: usize = 1 << 20;

impl Signatures {
    /// Compares the two signatures repeated for ever. Two periodic sequences that agree on as many elements as both
    /// periods together agree everywhere (Fine and Wilf). Parts that both have in whole are compared by themselves, once
    /// for all, so that the work is that of the compact form.
    pub(super) fn compare(&mut self, a: SigId, b: SigId) -> Compared {
        if a == b {
            return Compared::default();
        }
        if let Some(known) = self.compared.get(&(a, b)) {
            return *known;
        }
        let found = self.walk(a, b);
        self.compared.insert((a, b), found);
        found
    }

    fn walk(&mut self, a: SigId, b: SigId) -> Compared {
        let mut found = Compared::default();
        if self.is_basic(a) && self.is_basic(b) {
            let formal = same_representation(self, a, b);
            let d = Some(Difference { position: 0, left: a, right: b, formal });
            *(if formal { &mut found.formal } else { &mut found.hard }) = d;
            return found;
        }
        let enough = self.entries[a as usize].elements.saturating_add(self.entries[b as usize].elements);
        let (mut left, mut right) = (Walk::new(a), Walk::new(b));
        let mut position = 0u64;
        for _ in 0..MAX_STEPS {
            if position >= enough {
                break;
            }
            let (l, r) = (left.item, right.item);
            // The pair itself is taken apart, the larger one first.
            if (l.0, r.0) == (a, b) {
                let larger = self.entries[a as usize].elements >= self.entries[b as usize].elements;
                let side = if larger && !self.is_basic(a) || self.is_basic(b) { &mut left } else { &mut right };
                side.take_apart(&self.entries);
                continue;
            }
            let length = |item: (SigId, u64)| self.entries[item.0 as usize].elements.saturating_mul(item.1);
            let common = length(l).min(length(r));
            let inner = self.compare(l.0, r.0);
            let shifted = |d: Option<Difference>| {
                let d = d.filter(|d| d.position < common)?;
                Some(Difference { position: position.saturating_add(d.position), ..d })
            };
            found.formal = found.formal.or(shifted(inner.formal));
            found.hard = shifted(inner.hard);
            if found.hard.is_some() {
                break;
            }
            left.skip(common, &self.entries);
            right.skip(common, &self.entries);
            position = position.saturating_add(common);
        }
        found
    }

    fn is_basic(&self, sig: SigId) -> bool {
        !matches!(self.entries[sig as usize].node, Node::Seq(_))
    }
}

/// A place in a signature that is repeated for ever.
struct Walk {
    top: SigId,
    /// The next item: a signature and how often.
    item: (SigId, u64),
    /// The items behind it, last first.
    rest: Vec<Rest>,
}

enum Rest {
    Item(SigId, u64),
    /// The parts of a sequence from this one on.
    Parts(SigId, usize),
}

impl Walk {
    fn new(top: SigId) -> Walk {
        Walk { top, item: (top, u64::MAX), rest: Vec::new() }
    }

    /// Goes from the next item, which is a sequence, to the first of its parts.
    fn take_apart(&mut self, entries: &[Entry]) {
        let (sig, reps) = self.item;
        if reps > 1 {
            self.rest.push(Rest::Item(sig, reps - 1));
        }
        self.rest.push(Rest::Parts(sig, 0));
        self.next(entries);
    }

    fn next(&mut self, entries: &[Entry]) {
        loop {
            self.item = match self.rest.pop() {
                None => (self.top, u64::MAX),
                Some(Rest::Item(sig, reps)) => (sig, reps),
                Some(Rest::Parts(sig, place)) => match &entries[sig as usize].node {
                    Node::Seq(parts) if place < parts.len() => {
                        self.rest.push(Rest::Parts(sig, place + 1));
                        parts[place]
                    }
                    _ => continue,
                },
            };
            return;
        }
    }

    /// Goes on by so many elements.
    fn skip(&mut self, mut elements: u64, entries: &[Entry]) {
        while elements > 0 {
            let (sig, reps) = self.item;
            let each = entries[sig as usize].elements.max(1);
            let whole = (elements / each).min(reps);
            elements -= whole * each;
            if whole == reps {
                self.next(entries);
            } else {
                self.item.1 -= whole;
                if elements > 0 {
                    self.take_apart(entries);
                }
            }
        }
    }
}
