//! How the allocator of the machine is set up.
#![allow(unsafe_code)] // the C library has no safe interface to its allocator

/// Larger buffers, in bytes, go back to the system as soon as they are free.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const RETURNED_AT_ONCE: i32 = 256 << 10;

/// Lets the buffers of large files go back to the system. Left to itself, the C library keeps buffers of up to
/// 32 MiB for later, once one of that size was freed, and each of its arenas keeps its own.
pub fn set_up() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: mallopt takes plain numbers, and no other thread exists yet.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, RETURNED_AT_ONCE);
    }
}
