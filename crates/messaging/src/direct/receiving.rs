//! Keys and anchors of recipients, for verifying a mail.

use super::credentials::Credentials;
use ::direct::{DirectAddress, cert::Identity, receive::ReceivingSide, trust::AnchorSet};
use std::sync::Arc;

/// The receiving side of one organization, for a mail that was accepted for it.
pub struct Receiving(pub Arc<Credentials>);

#[async_trait::async_trait]
impl ReceivingSide for Receiving {
    async fn identities(&self, _: &DirectAddress) -> Vec<Identity> {
        self.0.identities.clone()
    }

    async fn incoming_anchors(&self, _: &DirectAddress) -> AnchorSet {
        self.0.anchors.incoming.clone()
    }
}
