//! What every handler and step may use.

use crate::{Config, bus::Bus, health::Health};
use std::{ops::Deref, sync::Arc};
use store::{Clock, Store, blobs::BlobStore, keys::KeyRing};

/// The application context, cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Parts>);

/// The parts of the context.
pub struct Parts {
    pub config: Config,
    pub clock: Clock,
    pub store: Store,
    pub keys: KeyRing,
    pub blobs: BlobStore,
    pub bus: Bus,
    /// Converts hostile files in a process of their own.
    pub converter: documents::worker::Converter,
    pub health: Health,
}

impl App {
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }
}

impl Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
