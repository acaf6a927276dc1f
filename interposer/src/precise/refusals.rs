//! Where memory cannot be protected without changing what the program does, nothing is watched.

use recorder::environment;
use std::ffi::CStr;

/// Runtimes that have SIGSEGV for themselves, or look at all accesses.
const RUNTIMES: [(&CStr, &str); 6] = [
    (c"__asan_init", "the program has the address sanitizer"),
    (c"__tsan_init", "the program has the thread sanitizer"),
    (c"__msan_init", "the program has the memory sanitizer"),
    (c"JNI_CreateJavaVM", "a Java machine needs the signals of faults"),
    (c"jl_init", "Julia needs the signals of faults"),
    (c"__hwasan_init", "the program has the address sanitizer"),
];

/// Schemes of UCX by which the sender writes into the memory of the receiver.
const PUSHES: [&str; 3] = ["put_zcopy", "put_ppln", "am"];

/// Directories of adapters that read and write memory themselves. They must be able to register it, and the kernel refuses that
/// where it is protected.
const ADAPTERS: [&str; 3] = ["/sys/class/infiniband", "/sys/class/cxi", "/sys/class/hfi1"];

/// Why nothing may be watched here.
pub(super) fn reason() -> Option<&'static str> {
    // SAFETY: looking up a name has no preconditions.
    let is_loaded = |name: &CStr| unsafe { !libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()).is_null() };
    let runtime = RUNTIMES.iter().find(|(name, _)| is_loaded(name)).map(|(_, reason)| *reason);
    let is_full = |dir: &str| std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some());
    let by_adapter = || {
        ADAPTERS.iter().any(|dir| is_full(dir)).then_some("an adapter of the network reads and writes memory by itself")
    };
    let by_scheme = || {
        let scheme = environment::var("UCX_RNDV_SCHEME").unwrap_or_default();
        pushes(&scheme).then_some("UCX_RNDV_SCHEME lets senders write into the memory of receivers")
    };
    let by_valgrind = || {
        let preloaded = environment::var("LD_PRELOAD").unwrap_or_default();
        preloaded.contains("vgpreload").then_some("valgrind looks at all accesses itself")
    };
    runtime.or_else(by_scheme).or_else(by_valgrind).or_else(by_adapter)
}

/// Does a scheme of UCX let senders write into the memory of receivers?
pub(super) fn pushes(scheme: &str) -> bool {
    PUSHES.contains(&scheme)
}
