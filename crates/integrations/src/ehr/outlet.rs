//! The way of HL7 v2 messages to an EHR: over MLLP, or as files in the organization's folder.

use super::Failure;
use crate::network;
use exchange::{
    Outcome, folder,
    link::{Certificates, Link, Target},
};
use platform::{App, Error, Result};
use sea_orm::EntityTrait;
use std::{io, path::PathBuf, time::Duration};
use store::entities::{
    integration::{MessageSettings, Model},
    organization,
};
use uuid::Uuid;

/// Usual port of MLLP.
const PORT: u16 = 2575;
/// Address of the organization's folder.
const FOLDER: &str = "folder:";
pub const NO_FOLDER: &str =
    "This installation has no folder for messages. Please ask its operator to set integrations.folder.";
const NO_CERTIFICATE: &str = "The certificate of the EHR cannot be used.";
const NOT_WRITABLE: &str = "The organization's folder cannot be written to.";
const BUSY: &str = "Too many documents are on their way at the moment.";

/// Where messages go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Over TLS (`mllps://host:port`).
    Encrypted(Target),
    /// Without encryption (`mllp://host:port`).
    Plain(Target),
    /// Files in the organization's folder (`folder:`).
    Folder,
}

impl Address {
    /// Parses an address; `None` if it is none of these.
    pub fn parse(text: &str) -> Option<Self> {
        if text == FOLDER {
            return Some(Self::Folder);
        }
        let (scheme, rest) = text.split_once("://")?;
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port.parse().ok().filter(|port| *port > 0)?),
            _ => (rest, PORT),
        };
        let target = Target::parse(host, Some(port), PORT).filter(|target| target.path.is_empty())?;
        match scheme {
            "mllps" => Some(Self::Encrypted(target)),
            "mllp" => Some(Self::Plain(target)),
            _ => None,
        }
    }
}

/// A way to an EHR, ready to be used.
pub enum Outlet {
    Mllp(Link, Target),
    Folder(Shelf),
}

/// The folder of an organization's outgoing messages.
#[derive(Clone)]
pub struct Shelf {
    root: PathBuf,
    sub_domain: String,
}

impl Shelf {
    fn open(&self) -> io::Result<folder::Folder> {
        let found = folder::Folder::open(&self.root, &self.sub_domain, "out", true)?;
        found.ok_or(io::ErrorKind::NotFound.into())
    }
}

/// How an EHR was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    Encrypted,
    Unencrypted,
    Folder,
}

/// Opens the way to an EHR without sending anything.
pub async fn reach(app: &App, row: &Model) -> Result<Reached, String> {
    let address = Address::parse(&row.settings.base_url).ok_or("This is no address.")?;
    let failed = |failure| match failure {
        Failure::Refused(text) | Failure::Unreached(text) => text,
        _ => NO_CERTIFICATE.to_owned(),
    };
    let reached = match &address {
        Address::Encrypted(_) => Reached::Encrypted,
        Address::Plain(_) => Reached::Unencrypted,
        Address::Folder => Reached::Folder,
    };
    match Outlet::of(app, row.organization_id, &row.settings.messages, address).await.map_err(failed)? {
        Outlet::Mllp(link, target) => {
            let _place = network::enter(row.organization_id).await.map_err(|_| BUSY)?;
            link.reach(&target).await?;
        }
        Outlet::Folder(shelf) => {
            let opened = tokio::task::spawn_blocking(move || shelf.open().map(drop)).await;
            opened.is_ok_and(|opened| opened.is_ok()).then_some(()).ok_or(NOT_WRITABLE)?;
        }
    }
    Ok(reached)
}

impl Outlet {
    pub async fn of(
        app: &App,
        organization_id: Uuid,
        settings: &MessageSettings,
        address: Address,
    ) -> Result<Self, Failure> {
        let timeout = Duration::from_secs(app.config.integrations.timeout_seconds.into());
        match address {
            Address::Plain(target) => {
                Ok(Self::Mllp(Link::plain(network::private_guard(app), timeout), target))
            }
            Address::Encrypted(target) => {
                let pem = Some(settings.certificate.trim()).filter(|pem| !pem.is_empty());
                let trusted = pem.map(|pem| pem.as_bytes().to_vec());
                let certificates = Certificates { trusted, own: None };
                let link = Link::encrypted(network::guard(app), timeout, &certificates);
                let link = link.map_err(|_| Failure::Refused(NO_CERTIFICATE.into()))?;
                Ok(Self::Mllp(link, target))
            }
            Address::Folder => {
                let root = app.config.integrations.folder.as_ref();
                let root = root.ok_or_else(|| Failure::Unreached(NO_FOLDER.into()))?;
                let organization = organization::Entity::find_by_id(organization_id).one(app.store.db());
                let organization = organization.await?.ok_or(Error::NotFound)?;
                Ok(Self::Folder(Shelf { root: root.clone(), sub_domain: organization.sub_domain }))
            }
        }
    }

    /// Hands a message over. Over MLLP the EHR has acknowledged it then.
    pub async fn send(
        self,
        organization_id: Uuid,
        message: Vec<u8>,
        control_id: String,
    ) -> Result<(), Failure> {
        let place = network::enter(organization_id).await;
        let _place = place.map_err(|_| Failure::Unreached(BUSY.into()))?;
        match self {
            Self::Mllp(link, target) => match link.send_hl7(&target, &message, &control_id).await.outcome {
                Outcome::Accepted => Ok(()),
                Outcome::Refused(text) => Err(Failure::Refused(text)),
                Outcome::NotReached(text) | Outcome::NoAnswer(text) => Err(Failure::Unreached(text)),
            },
            Self::Folder(shelf) => {
                let name = format!("{control_id}.hl7");
                let write = move || shelf.open()?.put_message(&name, &message);
                let written = tokio::task::spawn_blocking(write).await.map_err(Error::internal)?;
                written.map_err(|_| Failure::Unreached(NOT_WRITABLE.into()))
            }
        }
    }
}
