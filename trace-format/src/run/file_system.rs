//! File systems that nodes share, by the number that `statfs(2)` has for them: what one node stores to a mapped file, others may
//! see late.

/// A file system whose files other nodes may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shared {
    /// Its name for people.
    pub name: &'static str,
    /// Other nodes see a store to a mapped file when the system writes its pages back, up to 30 s later (measured on NFS and
    /// sshfs), and in a mapping of their own maybe never. Where its locks keep pages coherent, at once.
    pub is_late: bool,
}

const fn shared(name: &'static str, is_late: bool) -> Shared {
    Shared { name, is_late }
}

const ALL: [(u64, Shared); 16] = [
    (0x6969, shared("NFS", true)),
    (0x517b, shared("SMB", true)),
    (0xff53_4d42, shared("SMB", true)),
    (0xfe53_4d42, shared("SMB", true)),
    // sshfs and many others.
    (0x6573_5546, shared("FUSE", true)),
    (0x0102_1997, shared("9P", true)),
    (0x5346_414f, shared("AFS", true)),
    (0x6b41_4653, shared("AFS", true)),
    (0x00c3_6400, shared("Ceph", false)),
    (0x1983_0326, shared("BeeGFS", true)),
    (0x2003_0528, shared("OrangeFS", true)),
    (0x0bd0_0bd0, shared("Lustre", false)),
    (0x4750_4653, shared("GPFS", false)),
    (0xaad7_aaea, shared("PanFS", true)),
    (0x0116_1970, shared("GFS2", false)),
    (0x7461_636f, shared("OCFS2", false)),
];

/// The file system with this number; `None`: it is one of a node.
pub fn shared_of(number: u64) -> Option<Shared> {
    // The field is signed in places, and has 32 bits.
    ALL.iter().find(|(known, _)| *known == number & 0xffff_ffff).map(|(_, shared)| *shared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_systems_are_told_apart() {
        const TMPFS: u64 = 0x0102_1994;
        assert_eq!(shared_of(TMPFS), None);
        assert!(shared_of(0x6969).is_some_and(|nfs| nfs.is_late && nfs.name == "NFS"));
        assert!(shared_of(0xffff_ffff_ff53_4d42).is_some_and(|smb| smb.name == "SMB"));
        assert!(shared_of(0x0bd0_0bd0).is_some_and(|lustre| !lustre.is_late));
    }
}
