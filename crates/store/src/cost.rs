//! What statements cost SQLite, counted instead of timed: the instructions of its virtual machine. For tests that hold the
//! cost of an operation against the size of a tenant.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

/// Instructions between two looks at whether anybody still waits for an answer: well under a millisecond.
const LOOK_EVERY: i32 = 20_000;

static EVERY: AtomicI32 = AtomicI32::new(LOOK_EVERY);
static COUNTED: AtomicU64 = AtomicU64::new(0);

/// Counts in steps of so many instructions, on connections that are opened from now on.
pub fn count_every(instructions: i32) {
    EVERY.store(instructions, Relaxed);
}

/// The instructions that were counted so far, on all connections of the process.
pub fn instructions() -> u64 {
    COUNTED.load(Relaxed)
}

/// After how many instructions a connection has to call back, and what it calls.
pub(crate) fn counting() -> (i32, impl Fn() + Send + 'static) {
    let every = EVERY.load(Relaxed);
    (every, move || {
        COUNTED.fetch_add(every.unsigned_abs().into(), Relaxed);
    })
}
