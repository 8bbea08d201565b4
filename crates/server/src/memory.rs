//! Settings of the C library's allocator.
#![allow(unsafe_code)] // the C library has no safe interface to its allocator

/// Size in bytes above which freed buffers are returned to the system at once.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const RETURNED_AT_ONCE: i32 = 256 << 10;

/// Returns the buffers of large files to the system. By default, the C library keeps buffers of up to 32 MiB once one
/// of that size was freed, in each of its arenas.
pub fn set_up() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: mallopt takes plain numbers, and no other thread exists yet.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, RETURNED_AT_ONCE);
    }
}
