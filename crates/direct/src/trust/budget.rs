//! Limit on outside requests for verifying one mail, since its sender chooses the addresses in its certificates.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use fetch::{Fetch, FetchError};
use tokio::time::{Instant, timeout_at};

/// Most fetches for one mail. A chain with two missing intermediates, each with a revocation list, takes five.
pub const MAX_FETCHES: usize = 10;
/// Longest total time of the fetches for one mail.
pub const MAX_FETCH_TIME: Duration = Duration::from_secs(20);
/// A fetch cut short by the end of the budget counts as a failure of the address only after this time.
const FAIR_TRIAL: Duration = Duration::from_secs(5);

/// Remaining fetches for one mail. Cached data costs nothing.
#[derive(Debug)]
pub struct FetchBudget {
    left: AtomicUsize,
    deadline: Instant,
    refused: AtomicBool,
}

/// Why a fetch has no result.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Unavailable {
    /// The fetch failed, now or a short while ago.
    #[error(transparent)]
    Failed(#[from] FetchError),
    /// The mail has used up its fetches, or their time.
    #[error("the limit of fetches for one mail is reached")]
    LimitReached,
}

impl FetchBudget {
    /// A budget of this many fetches within this time from now.
    pub fn new(fetches: usize, time: Duration) -> Self {
        let (left, refused) = (AtomicUsize::new(fetches), AtomicBool::new(false));
        Self { left, deadline: Instant::now() + time, refused }
    }

    /// The usual budget of one mail.
    pub fn for_one_mail() -> Self {
        Self::new(MAX_FETCHES, MAX_FETCH_TIME)
    }

    /// No fetches: cached data only.
    pub fn cached_only() -> Self {
        Self::new(0, Duration::ZERO)
    }

    /// Whether a fetch was refused because the budget was used up.
    pub fn was_exceeded(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// Fetches while the budget lasts. [`Unavailable::LimitReached`] says nothing about the address.
    pub(super) async fn get(
        &self,
        fetch: &dyn Fetch,
        url: &str,
        limit: usize,
    ) -> Result<Vec<u8>, Unavailable> {
        let start = Instant::now();
        let take = |left: usize| left.checked_sub(1).filter(|_| start < self.deadline);
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
            self.refused.store(true, Ordering::Relaxed);
            return Err(Unavailable::LimitReached);
        }
        match timeout_at(self.deadline, fetch.get(url, limit)).await {
            // Too many other fetches: the address may be valid.
            Ok(Err(FetchError::Busy)) => Err(Unavailable::LimitReached),
            Ok(fetched) => Ok(fetched?),
            Err(_) if start.elapsed() >= FAIR_TRIAL => Err(FetchError::Unreachable.into()),
            Err(_) => Err(Unavailable::LimitReached),
        }
    }
}
