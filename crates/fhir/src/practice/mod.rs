//! A FHIR R4 server of an invented practice, for demonstrations and tests: a small subset, and no EHR.
//!
//! What is written is kept in one file, which is replaced as a whole, or in memory.

mod answers;
mod capabilities;
mod chart;
mod html;
mod http;
mod sample;
mod search;
mod sign_in;
mod store;

use crate::sign_in::Secret;
use chrono::{DateTime, Utc};
use serde_json::Value;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sign_in::Registry;
use store::Store;

pub use http::router;

/// Bytes of one request.
const REQUEST_MAX: usize = 48 << 20;

type Clock = Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>;

/// The sample practice. Clones are the same one.
#[derive(Clone)]
pub struct Practice {
    base_url: String,
    is_open: bool,
    shows_charts: bool,
    now: Clock,
    store: Arc<Mutex<Store>>,
    registry: Arc<Mutex<Registry>>,
    pages: Arc<Mutex<search::Pages>>,
}

impl std::fmt::Debug for Practice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Practice").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

impl Practice {
    /// The practice as it is in a file, which is created with the sample data; in memory without a file. `base_url` is the
    /// address at which the [`router`] is reached. Apps have to sign in, unless it is [`Self::open_to_all`].
    pub fn open(file: Option<&Path>, base_url: String) -> io::Result<Self> {
        let now = current_time();
        Ok(Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            is_open: false,
            shows_charts: false,
            now: Arc::new(current_time),
            store: Arc::new(Mutex::new(Store::open(file, || sample::resources(now))?)),
            registry: Arc::default(),
            pages: Arc::default(),
        })
    }

    /// The address at which it is reached, without a trailing slash.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Without sign-in.
    pub fn open_to_all(self) -> Self {
        Self { is_open: true, shows_charts: true, ..self }
    }

    /// Whose charts are shown to everybody. Apps still have to sign in.
    pub fn with_open_charts(self) -> Self {
        Self { shows_charts: true, ..self }
    }

    /// With another clock, for tests of expiry.
    pub fn with_clock(self, now: impl Fn() -> DateTime<Utc> + Send + Sync + 'static) -> Self {
        Self { now: Arc::new(now), ..self }
    }

    /// Registers an app of SMART Backend Services with its public key, or with a key set (`{"keys": […]}`). Replaces its
    /// keys.
    pub fn register(&self, client_id: &str, jwk: Value) {
        self.registry().register(client_id, &jwk);
    }

    /// Registers an app in which people sign in, with the address to which they come back.
    pub fn register_app(&self, client_id: &str, redirect_uri: &str) {
        self.registry().register_app(client_id, redirect_uri);
    }

    /// Limits what this app is granted, whatever it asks for.
    pub fn limit_scope(&self, client_id: &str, scope: &str) {
        self.registry().limit_scope(client_id, scope);
    }

    /// Ends all access tokens.
    pub fn end_tokens(&self) {
        self.registry().end_tokens();
    }

    /// A resource as it is now.
    pub fn resource(&self, kind: &str, id: &str) -> Option<Value> {
        self.store().get(kind, id).map(|resource| resource.as_ref().clone())
    }

    /// Number of resources of a type.
    pub fn count(&self, kind: &str) -> usize {
        self.store().all(kind).count()
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn random(&self) -> Result<Secret, answers::Refusal> {
        crate::sign_in::random().map(Secret::new).map_err(|_| answers::Refusal::broken())
    }
}

/// The practice depends on no other crate of the server, and only its samples and tokens depend on the time.
#[allow(clippy::disallowed_methods)]
fn current_time() -> DateTime<Utc> {
    Utc::now()
}
