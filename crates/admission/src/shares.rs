//! Limits on the number of things that one session, account or tenant holds at the same time.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
};

pub struct Shares<K> {
    limit: usize,
    held: Mutex<HashMap<K, usize>>,
}

/// One of them, released when dropped.
pub struct Share<K: Hash + Eq> {
    shares: Arc<Shares<K>>,
    key: K,
}

impl<K: Clone + Hash + Eq> Shares<K> {
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, held: Mutex::default() })
    }

    /// One more for this key; none if its share is used up.
    pub fn take(self: &Arc<Self>, key: K) -> Option<Share<K>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let count = held.entry(key.clone()).or_default();
        if *count >= self.limit {
            return None;
        }
        *count += 1;
        Some(Share { shares: self.clone(), key })
    }
}

impl<K: Hash + Eq> Drop for Share<K> {
    fn drop(&mut self) {
        let mut held = self.shares.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = held.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_share() {
        let shares = Shares::new(2);
        let (one, _two) = (shares.take("a").expect("one"), shares.take("a").expect("two"));
        assert!(shares.take("a").is_none() && shares.take("b").is_some());
        drop(one);
        assert!(shares.take("a").is_some());
    }
}
