//! Keys and anchors of recipients, handed to the protocol when a mail is judged.

use super::{DirectServices, anchors, certificates};
use ::direct::{DirectAddress, cert::Identity, receive::ReceivingSide, trust::AnchorSet};
use platform::{App, Result};

/// The receiving side of this installation.
pub struct Receiving {
    pub app: App,
    pub direct: DirectServices,
}

impl Receiving {
    async fn find_identities(&self, recipient: &DirectAddress) -> Result<Vec<Identity>> {
        match self.direct.hosted.organization(recipient.domain()).await? {
            Some(organization) => certificates::identities(&self.app, organization.id).await,
            None => Ok(Vec::new()),
        }
    }

    async fn find_anchors(&self, recipient: &DirectAddress) -> Result<AnchorSet> {
        match self.direct.hosted.organization(recipient.domain()).await? {
            Some(organization) => anchors::incoming(&self.app, organization.id).await,
            None => Ok(AnchorSet::new(Vec::new())),
        }
    }
}

#[async_trait::async_trait]
impl ReceivingSide for Receiving {
    async fn identities(&self, recipient: &DirectAddress) -> Vec<Identity> {
        self.find_identities(recipient).await.unwrap_or_else(|error| {
            tracing::error!(?error, "keys of a recipient could not be read");
            Vec::new()
        })
    }

    async fn incoming_anchors(&self, recipient: &DirectAddress) -> AnchorSet {
        self.find_anchors(recipient).await.unwrap_or_else(|error| {
            tracing::error!(?error, "anchors of a recipient could not be read");
            AnchorSet::new(Vec::new())
        })
    }
}
