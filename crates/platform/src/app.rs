//! Shared resources of handlers and steps.

use crate::{Config, audit::ObjectKinds, bus::Bus, capture::Capture, health::Health, malware::Scanner};
use documents::worker::Converter;
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
    /// Finds names for objects of the audit trail.
    pub audited: ObjectKinds,
    /// Captured calls of the API.
    pub capture: Capture,
    /// Converts hostile files, each in a separate process, for people who wait for the answer.
    pub converter: Converter,
    /// The same for files of incoming mail, with separate capacity, so that mail never waits for other files.
    pub mail_converter: Converter,
    /// The same for conversions in the background.
    pub batch_converter: Converter,
    /// The malware scanner for files from outside, if there is one.
    pub scanner: Option<Scanner>,
    pub health: Health,
}

impl App {
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }
}

impl App {
    /// All pools of this node, for operators.
    pub fn pools(&self) -> Vec<admission::PoolState> {
        let converters = [&self.converter, &self.mail_converter, &self.batch_converter];
        let converters = converters.map(|converter| converter.pool().report());
        let scanner = self.scanner.as_ref().map(Scanner::report);
        converters
            .into_iter()
            .chain(self.health.pools())
            .chain(scanner)
            .chain(self.store.db().pools())
            .collect()
    }
}

impl Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
