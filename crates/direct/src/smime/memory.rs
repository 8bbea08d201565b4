//! Releasing memory after large messages.
#![allow(unsafe_code)] // a function of the C library without arguments that could be wrong

/// Returns the memory of dropped messages to the operating system. The allocator of glibc keeps free memory between
/// small live allocations, which after a large message is most of it.
pub fn give_memory_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it locks the heap itself.
    unsafe {
        libc::malloc_trim(0);
    }
}
