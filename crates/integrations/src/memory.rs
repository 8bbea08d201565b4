//! What a node remembers about connections: access tokens, and offers and lists that rarely change.

use chrono::{DateTime, TimeDelta, Utc};
use fhir::model::Offers;
use serde_json::Value;
use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, LazyLock, Mutex, PoisonError, Weak},
};
use uuid::Uuid;

/// Retention of lists of an EHR, such as its document types.
const LISTS: TimeDelta = TimeDelta::seconds(6_000);
/// How long before its end a token is renewed.
const MARGIN: TimeDelta = TimeDelta::seconds(30);
/// Most entries of each kind.
const MOST: usize = 2_000;

/// A connection at a version, so that a changed one begins anew.
pub type At = (Uuid, i32);

struct Kept<K, V>(Mutex<HashMap<K, (V, DateTime<Utc>)>>);

impl<K: Eq + Hash, V: Clone> Kept<K, V> {
    fn new() -> Self {
        Self(Mutex::default())
    }

    fn get(&self, key: &K, now: DateTime<Utc>) -> Option<V> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.get(key).filter(|(_, end)| *end > now).map(|(value, _)| value.clone())
    }

    fn remove(&self, key: &K) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }

    fn put(&self, key: K, value: V, end: DateTime<Utc>, now: DateTime<Utc>) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= MOST {
            entries.retain(|_, (_, end)| *end > now);
        }
        if entries.len() < MOST {
            entries.insert(key, (value, end));
        }
    }
}

static TOKENS: LazyLock<Kept<At, String>> = LazyLock::new(Kept::new);
static OFFERS: LazyLock<Kept<(At, i32), Offers>> = LazyLock::new(Kept::new);
static ANSWERS: LazyLock<Kept<(At, i32, String), Value>> = LazyLock::new(Kept::new);

/// The access token of a connection, unless it ends soon.
pub fn token(at: At, now: DateTime<Utc>) -> Option<String> {
    TOKENS.get(&at, now + MARGIN)
}

pub fn keep_token(at: At, token: String, end: DateTime<Utc>, now: DateTime<Utc>) {
    TOKENS.put(at, token, end, now);
}

/// Forgets a token that the EHR refused.
pub fn forget_token(at: At) {
    TOKENS.remove(&at);
}

/// The turn of whoever renews a person's sign-in.
pub fn renewal(login: Uuid) -> Arc<tokio::sync::Mutex<()>> {
    static TURNS: LazyLock<Mutex<HashMap<Uuid, Weak<tokio::sync::Mutex<()>>>>> =
        LazyLock::new(Mutex::default);
    let mut turns = TURNS.lock().unwrap_or_else(PoisonError::into_inner);
    turns.retain(|_, turn| turn.strong_count() > 0);
    if let Some(turn) = turns.get(&login).and_then(Weak::upgrade) {
        return turn;
    }
    let turn = Arc::default();
    turns.insert(login, Arc::downgrade(&turn));
    turn
}

/// What an EHR offers, since the cache was last cleared.
pub fn offers(at: At, epoch: i32, now: DateTime<Utc>) -> Option<Offers> {
    OFFERS.get(&(at, epoch), now)
}

pub fn keep_offers(at: At, epoch: i32, offers: Offers, now: DateTime<Utc>) {
    OFFERS.put((at, epoch), offers, now + LISTS, now);
}

/// Forgets what an EHR offered, since it says otherwise now.
pub fn forget_offers(at: At, epoch: i32) {
    OFFERS.remove(&(at, epoch));
}

/// A list by its name, since the cache was last cleared.
pub fn list(at: At, epoch: i32, name: &str, now: DateTime<Utc>) -> Option<Value> {
    ANSWERS.get(&(at, epoch, name.to_owned()), now)
}

pub fn keep_list(at: At, epoch: i32, name: &str, list: Value, now: DateTime<Utc>) {
    ANSWERS.put((at, epoch, name.to_owned()), list, now + LISTS, now);
}
