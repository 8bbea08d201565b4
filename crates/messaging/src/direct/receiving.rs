//! Keys and anchors of recipients, handed to the protocol when a mail is judged.

use super::{DirectServices, anchors};
use ::direct::{DirectAddress, cert::Identity, receive::ReceivingSide, trust::AnchorSet};
use platform::{App, Error, Result};
use std::{
    collections::HashMap,
    sync::atomic::{AtomicBool, Ordering},
};
use tokio::sync::Mutex;
use uuid::Uuid;

/// The receiving side of this installation, for one mail.
pub struct Receiving {
    app: App,
    direct: DirectServices,
    failed: AtomicBool,
    /// The activated organization behind each domain, looked up once.
    organizations: Mutex<HashMap<String, Option<Uuid>>>,
}

impl Receiving {
    pub fn new(app: &App, direct: &DirectServices) -> Self {
        Self {
            app: app.clone(),
            direct: direct.clone(),
            failed: AtomicBool::new(false),
            organizations: Mutex::default(),
        }
    }

    /// Keys or anchors could not be read: whatever was judged without them is no verdict.
    pub fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    fn note(&self, error: Error, what: &str) {
        tracing::error!(?error, "{what} of a recipient could not be read");
        self.failed.store(true, Ordering::Relaxed);
    }

    async fn organization(&self, of: &DirectAddress) -> Result<Option<Uuid>> {
        let mut known = self.organizations.lock().await;
        if let Some(organization) = known.get(of.domain()) {
            return Ok(*organization);
        }
        let found = self.direct.hosted.organization(of.domain()).await?.map(|o| o.id);
        known.insert(of.domain().to_owned(), found);
        Ok(found)
    }

    async fn find_identities(&self, recipient: &DirectAddress) -> Result<Vec<Identity>> {
        match self.organization(recipient).await? {
            Some(organization_id) => self.direct.identities.of(&self.app, organization_id).await,
            None => Ok(Vec::new()),
        }
    }

    async fn find_anchors(&self, recipient: &DirectAddress) -> Result<AnchorSet> {
        match self.organization(recipient).await? {
            Some(organization_id) => anchors::incoming(&self.app, organization_id).await,
            None => Ok(AnchorSet::new(Vec::new())),
        }
    }
}

#[async_trait::async_trait]
impl ReceivingSide for Receiving {
    async fn identities(&self, recipient: &DirectAddress) -> Vec<Identity> {
        self.find_identities(recipient).await.unwrap_or_else(|error| {
            self.note(error, "keys");
            Vec::new()
        })
    }

    async fn incoming_anchors(&self, recipient: &DirectAddress) -> AnchorSet {
        self.find_anchors(recipient).await.unwrap_or_else(|error| {
            self.note(error, "anchors");
            AnchorSet::new(Vec::new())
        })
    }
}
