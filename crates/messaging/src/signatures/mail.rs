//! E-mails about signatures. They name neither the message nor the patient.

use email::Email;
use serde::Serialize;
use uuid::Uuid;

/// Link to a message.
#[derive(Clone)]
pub struct Place {
    pub message_id: Uuid,
    pub path: &'static str,
}

impl Place {
    fn button(&self) -> Option<(&'static str, String)> {
        Some(("Open the message", format!("/{}/{}", self.path, self.message_id)))
    }
}

/// Notifies a colleague of a request to sign.
#[derive(Serialize)]
pub struct Requested {
    pub first_name: String,
    pub requester: String,
    pub organization: String,
    #[serde(skip)]
    pub place: Place,
}

impl Email for Requested {
    const TEMPLATE: &'static str = "signature_requested";

    fn button(&self) -> Option<(&'static str, String)> {
        self.place.button()
    }
}

/// Notifies the requester of the result.
#[derive(Serialize)]
pub struct Settled {
    pub first_name: String,
    pub signer: String,
    /// `signed` or `declined to sign`.
    pub did: &'static str,
    pub organization: String,
    #[serde(skip)]
    pub place: Place,
}

impl Email for Settled {
    const TEMPLATE: &'static str = "signature_settled";

    fn button(&self) -> Option<(&'static str, String)> {
        self.place.button()
    }
}
