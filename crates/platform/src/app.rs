//! What every handler and step may use.

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
    /// Names what the audit trail is about.
    pub audited: ObjectKinds,
    /// Calls of the API that are to be written down.
    pub capture: Capture,
    /// Converts hostile files, in a process for each, for people who wait for the answer.
    pub converter: Converter,
    /// The same for files of mail on its way, with a capacity of its own: mail waits for no file of somebody else.
    pub mail_converter: Converter,
    /// The same for conversions that nobody waits for.
    pub batch_converter: Converter,
    /// Looks for malware in what comes from outside, where there is a scanner.
    pub scanner: Option<Scanner>,
    pub health: Health,
}

impl App {
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }
}

impl App {
    /// Everything that is given out in turns, for operators.
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
