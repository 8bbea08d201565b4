//! Memory after large messages.
#![allow(unsafe_code)] // a function of the C library without arguments that could be wrong

/// Gives the memory of dropped messages back to the operating system. The allocator of glibc keeps what lies between small
/// pieces that are still used, and of a large message that is most.
pub fn give_memory_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it locks the heap itself.
    unsafe {
        libc::malloc_trim(0);
    }
}
