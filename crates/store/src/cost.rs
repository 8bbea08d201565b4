//! Cost of statements in SQLite, counted in instructions of its virtual machine. For tests that compare the cost of
//! an operation with the size of a tenant.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

/// Instructions between two checks whether the caller still waits for an answer: well under a millisecond.
const LOOK_EVERY: i32 = 20_000;

static EVERY: AtomicI32 = AtomicI32::new(LOOK_EVERY);
static COUNTED: AtomicU64 = AtomicU64::new(0);

/// Counts in steps of this many instructions, on connections opened from now on.
pub fn count_every(instructions: i32) {
    EVERY.store(instructions, Relaxed);
}

/// The instructions counted so far, on all connections of the process.
pub fn instructions() -> u64 {
    COUNTED.load(Relaxed)
}

/// Number of instructions between two callbacks of a connection, and the callback.
pub(crate) fn counting() -> (i32, impl Fn() + Send + 'static) {
    let every = EVERY.load(Relaxed);
    (every, move || {
        COUNTED.fetch_add(every.unsigned_abs().into(), Relaxed);
    })
}
