//! Communicators over several worlds whose members cannot all name each other.

use super::Model;

impl Model {
    /// Finds the communicators that reach over several worlds and have members who cannot name all others: two worlds
    /// that met by way of a third. These members know them as communicators with strangers, and what they do there is
    /// missing here.
    pub(crate) fn look_for_half_known(&mut self) {
        let (names, ranks) = (&self.names, &self.ranks);
        if names.count() < 2 {
            return;
        }
        let names_all = |a: i32, members: &[(i32, usize)], world: usize| {
            let met = usize::try_from(a).ok().and_then(|a| ranks.get(a)).map(|r| &r.met);
            members.iter().all(|(b, w)| *w == world || met.is_some_and(|m| m.contains(b)))
        };
        for comm in self.comms.list.iter_mut().map(|(_, c)| c).filter(|c| !c.closed && !c.foreign) {
            let members: Vec<(i32, usize)> = comm.members().map(|p| (p, names.of(p).0)).collect();
            comm.closed = members.iter().all(|(p, world)| names_all(*p, &members, *world));
            comm.half_known = !comm.closed;
        }
    }
}
