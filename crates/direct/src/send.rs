//! Planning a send: which recipients are reachable with which certificates, and in how many transmissions.

use chrono::{DateTime, Utc};

use crate::DirectAddress;
use crate::cert::Certificate;
use crate::discovery::{Discovered, Discovery, NoCertificate};
use crate::trust::{AnchorSet, TrustEngine};

/// The recipients of a message as entered by its author.
#[derive(Debug, Clone, Default)]
pub struct Recipients {
    /// To.
    pub to: Vec<DirectAddress>,
    /// Cc.
    pub cc: Vec<DirectAddress>,
    /// Bcc.
    pub bcc: Vec<DirectAddress>,
}

/// A recipient with the certificates to encrypt to.
#[derive(Debug, Clone)]
pub struct Reachable {
    /// The recipient.
    pub recipient: DirectAddress,
    /// What discovery found.
    pub discovered: Discovered,
}

/// One sealed message and the recipients that get it.
#[derive(Debug, Clone)]
pub struct Transmission {
    /// Recipients, all To and Cc together, or one Bcc recipient.
    pub recipients: Vec<Reachable>,
    /// Whether this is the copy of a Bcc recipient ([`crate::mime::OutgoingMessage::blind_copy_for`]).
    pub blind: bool,
}

/// Plan for sending a message.
#[derive(Debug, Clone, Default)]
pub struct SendPlan {
    /// Transmissions; empty when nobody can be reached, and then nothing is sent.
    pub transmissions: Vec<Transmission>,
    /// Removed recipients, with the reason for the sender.
    pub removed: Vec<(DirectAddress, NoCertificate)>,
    /// Recipients whose certificates cannot be looked up at the moment: plan again later.
    pub postponed: Vec<(DirectAddress, NoCertificate)>,
}

impl Transmission {
    /// All certificates to encrypt to, each once.
    pub fn certificates(&self) -> Vec<Certificate> {
        let mut all: Vec<Certificate> = Vec::new();
        for usable in self.recipients.iter().flat_map(|r| &r.discovered.certificates) {
            if !all.contains(&usable.certificate) {
                all.push(usable.certificate.clone());
            }
        }
        all
    }

    /// Recipients grouped by domain: each group goes over one SMTP route.
    pub fn by_domain(&self) -> Vec<(String, Vec<DirectAddress>)> {
        let mut groups: Vec<(String, Vec<DirectAddress>)> = Vec::new();
        for Reachable { recipient, .. } in &self.recipients {
            match groups.iter_mut().find(|(domain, _)| domain == recipient.domain()) {
                Some((_, members)) => members.push(recipient.clone()),
                None => groups.push((recipient.domain().to_owned(), vec![recipient.clone()])),
            }
        }
        groups
    }
}

/// Finds certificates for every recipient and plans the transmissions: one for all of To and Cc, and one for each
/// Bcc. A repeated recipient counts once, in the most visible place.
pub async fn plan(
    recipients: &Recipients,
    discovery: &Discovery,
    outgoing_anchors: &AnchorSet,
    trust: &TrustEngine,
    at: DateTime<Utc>,
) -> SendPlan {
    let mut plan = SendPlan::default();
    let mut seen: Vec<DirectAddress> = Vec::new();
    let mut visible = Vec::new();
    let open = recipients.to.iter().chain(&recipients.cc).map(|r| (r, false));
    for (recipient, blind) in open.chain(recipients.bcc.iter().map(|r| (r, true))) {
        if seen.contains(recipient) {
            continue;
        }
        seen.push(recipient.clone());
        match discovery.find(recipient, outgoing_anchors, trust, at).await {
            Ok(discovered) => {
                let reachable = Reachable { recipient: recipient.clone(), discovered };
                match blind {
                    false => visible.push(reachable),
                    true => plan.transmissions.push(Transmission { recipients: vec![reachable], blind }),
                }
            }
            Err(reason) if reason.is_temporary() => plan.postponed.push((recipient.clone(), reason)),
            Err(reason) => plan.removed.push((recipient.clone(), reason)),
        }
    }
    if !visible.is_empty() {
        plan.transmissions.insert(0, Transmission { recipients: visible, blind: false });
    }
    plan
}
