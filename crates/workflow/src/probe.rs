//! Faults for tests: a worker that dies at a given point, a step that runs twice.

use crate::StepContext;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A point in the run of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// The step is claimed.
    BeforeRun,
    /// The step ran; its result is written but not committed.
    BeforeCommit,
    /// The result is committed.
    AfterCommit,
}

/// Fault at that point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Continue,
    /// The worker dies: the step is dropped as it is and its lease stays.
    Crash,
    /// The step runs once more. Uncommitted writes are rolled back; a result after the commit meets a step that is no
    /// longer leased.
    RunTwice,
}

/// Asked at each point. The product runs without one.
pub trait Probe: Send + Sync + 'static {
    fn at(&self, point: Point, cx: &StepContext) -> Verdict;
}

/// Does harm at the n-th point reached (from 0). A test that counts n up until [`FaultAt::was_reached`] is false has
/// made every step fail, or run twice, at every point.
pub struct FaultAt {
    nth: usize,
    verdict: Verdict,
    seen: AtomicUsize,
}

impl FaultAt {
    pub fn new(nth: usize, verdict: Verdict) -> Self {
        Self { nth, verdict, seen: AtomicUsize::new(0) }
    }

    pub fn was_reached(&self) -> bool {
        self.seen.load(Ordering::SeqCst) > self.nth
    }
}

impl Probe for FaultAt {
    fn at(&self, _: Point, _: &StepContext) -> Verdict {
        let harm = self.seen.fetch_add(1, Ordering::SeqCst) == self.nth;
        if harm { self.verdict } else { Verdict::Continue }
    }
}
