//! Rate limits: a burst, and a rate per second after that.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, PoisonError},
};

#[derive(Clone, Copy, Debug)]
pub struct Rate {
    pub burst: f64,
    pub per_second: f64,
}

/// Most keys kept; beyond that the full ones are dropped.
const REMEMBERED: usize = 10_000;

/// Remaining amount of each key. Times are seconds of any monotonic clock.
pub struct Buckets<K> {
    rate: Rate,
    left: Mutex<HashMap<K, Left>>,
}

struct Left {
    amount: f64,
    at: f64,
}

impl Left {
    fn now(&self, rate: &Rate, now: f64) -> f64 {
        (self.amount + (now - self.at).max(0.0) * rate.per_second).min(rate.burst)
    }
}

impl<K: Hash + Eq> Buckets<K> {
    pub fn new(rate: Rate) -> Self {
        Self { rate, left: Mutex::default() }
    }

    /// Takes a cost; `false` if not enough is left.
    pub fn take(&self, key: K, cost: f64, now: f64) -> bool {
        let mut all = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= REMEMBERED {
            all.retain(|_, left| left.now(&self.rate, now) < self.rate.burst);
        }
        let left = all.entry(key).or_insert(Left { amount: self.rate.burst, at: now });
        let amount = left.now(&self.rate, now);
        if amount < cost {
            return false;
        }
        *left = Left { amount: amount - cost, at: now };
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_gets_back_with_time_and_others_keep_theirs() {
        let buckets = Buckets::new(Rate { burst: 60.0, per_second: 1.0 });
        let takes = |key: &'static str, now| (0..100).filter(|_| buckets.take(key, 1.0, now)).count();
        assert_eq!(takes("a", 0.0), 60);
        assert_eq!(takes("b", 0.0), 60);
        assert_eq!(takes("a", 5.0), 5);
        assert!(!buckets.take("c", 61.0, 5.0));
    }
}
