//! HL7 v2 messages as files in folders of organizations (`integrations.folder`), for systems that reach this installation
//! by SFTP or a share.
//!
//! `SUBDOMAIN/in/NAME.hl7` is taken when it is complete: not while it is called `.part`, or was changed in the last
//! seconds. If it has a `NAME.hl7.sha256`, its content must match. It is deleted when its content is durable; a refused
//! one is moved to `SUBDOMAIN/refused`, beside a file with the reason.

use super::{
    connections::{self, Found},
    mllp::{self, CLOSED, SEVERAL, UNKNOWN, UNREADABLE},
    reading,
    reception::Keeper,
    refusals::{self, Refusal},
};
use admission::Party;
use bytes::Bytes;
use clinical::hl7::Message;
use exchange::{
    folder::{Claim, Content, Folder},
    receive::{ack::Problem, listener::Peer, message::Header},
};
use platform::{App, Error, Result, chores};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, QueryTrait};
use std::{
    io,
    net::{IpAddr, Ipv4Addr},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};
use store::{
    Clock,
    entities::{
        inbound_connection::{self, ConnectionKind},
        organization,
    },
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Time between two looks.
const EVERY: Duration = Duration::from_secs(5);
/// Most files of an organization in one round, so that others get their turn.
const SHARE: usize = 200;

const LARGE: Problem = Problem::error(102, "MSH", "The file is too large");
const DAMAGED: Problem = Problem::error(207, "MSH", "The file does not match its checksum");

/// Looks into the folders until the node stops.
pub async fn watch_forever(app: App, cancel: CancellationToken) {
    let Some(root) = app.config.integrations.folder.clone() else { return };
    let keeper = Keeper::start(&app);
    let (app, root, keeper) = (&app, &root, &keeper);
    chores::every(EVERY, EVERY, cancel, "reading of messages in folders", || async move {
        round(app, root, keeper).await
    })
    .await;
}

/// Looks into the folders once.
pub async fn look(app: &App) -> Result<()> {
    match &app.config.integrations.folder {
        Some(root) => round(app, root, &Keeper::start(app)).await,
        None => Ok(()),
    }
}

/// Takes the files of all organizations that have a connection of this kind.
async fn round(app: &App, root: &Path, keeper: &Keeper) -> Result<()> {
    let connected = inbound_connection::Entity::find()
        .select_only()
        .column(inbound_connection::Column::OrganizationId)
        .filter(inbound_connection::Column::Kind.eq(ConnectionKind::Folder))
        .filter(inbound_connection::Column::IsEnabled.eq(true));
    let organizations: Vec<(Uuid, String)> = organization::Entity::find()
        .select_only()
        .column(organization::Column::Id)
        .column(organization::Column::SubDomain)
        .filter(organization::Column::Id.in_subquery(connected.into_query()))
        .filter(organization::Column::DeletedAt.is_null())
        .into_tuple()
        .all(app.store.db())
        .await?;
    for (id, sub_domain) in organizations {
        let inbox = Inbox { app, keeper, organization_id: id, root: root.to_owned(), sub_domain };
        if let Err(error) = Party::from(id).working(inbox.take_all()).await {
            tracing::error!(?error, organization = %id, "the folder of an organization could not be read");
        }
    }
    Ok(())
}

/// The folder of an organization.
struct Inbox<'a> {
    app: &'a App,
    keeper: &'a Keeper,
    organization_id: Uuid,
    root: PathBuf,
    sub_domain: String,
}

/// A file that is not taken: what is wrong with it, and what was read of it.
struct Refused {
    problem: Problem,
    header: Option<Box<Header>>,
    connection_id: Option<Uuid>,
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        Self { problem, header: None, connection_id: None }
    }
}

impl Inbox<'_> {
    async fn take_all(&self) -> Result<()> {
        if !connections::takes_messages(self.app.store.db(), self.organization_id).await?
            || self.app.health.disk.is_full()
        {
            return Ok(());
        }
        // Files have the time of the machine.
        let now = SystemTime::from(Clock::system().now());
        let (root, sub_domain) = (self.root.clone(), self.sub_domain.clone());
        let found = blocking(move || {
            let Some(folder) = Folder::open(&root, &sub_domain, "in", false)? else { return Ok(None) };
            let names = folder.complete(now, SHARE)?;
            Ok(Some((Arc::new(folder), names)))
        });
        let Some((folder, names)) = found.await? else { return Ok(()) };
        for name in names {
            // One file that cannot be taken does not hold up the others. Its name may contain one of a patient.
            if let Err(error) = self.take(&folder, name).await {
                tracing::error!(?error, organization = %self.organization_id, "a file could not be taken");
            }
        }
        Ok(())
    }

    async fn take(&self, folder: &Arc<Folder>, name: String) -> Result<()> {
        let limit = self.app.config.interfaces.max_message_bytes;
        let from = folder.clone();
        let claimed = blocking(move || {
            let Some(claim) = from.claim(&name)? else { return Ok(None) };
            let content = from.content(&claim, limit)?;
            Ok(Some((claim, content)))
        });
        let Some((claim, content)) = claimed.await? else { return Ok(()) };
        let kept = match content {
            Content::Message(content) => self.kept(content.into()).await,
            Content::TooLarge => Ok(Err(LARGE.into())),
            Content::Damaged => Ok(Err(DAMAGED.into())),
        };
        let from = folder.clone();
        match kept {
            Ok(Ok(())) => blocking(move || from.done(&claim)).await,
            Ok(Err(refused)) => {
                self.note(&refused).await;
                self.set_aside(from, claim, refused.problem.words).await
            }
            Err(error) => {
                // Another round tries again.
                blocking(move || from.give_back(&claim)).await?;
                Err(error)
            }
        }
    }

    async fn set_aside(&self, from: Arc<Folder>, claim: Claim, reason: &'static str) -> Result<()> {
        let (root, sub_domain) = (self.root.clone(), self.sub_domain.clone());
        blocking(move || {
            let to = Folder::open(&root, &sub_domain, "refused", true)?;
            let to = to.ok_or(io::ErrorKind::NotFound)?;
            from.set_aside(&claim, &to, reason)
        })
        .await
    }

    /// Stores a message, or returns why it is refused.
    async fn kept(&self, content: Bytes) -> Result<Result<(), Refused>> {
        let bytes = content.clone();
        let Ok(message) = reading(content.len(), move || Message::read(&bytes)).await? else {
            return Ok(Err(UNREADABLE.into()));
        };
        let (header, is_taken) = Header::read(&message);
        let refused = |problem, connection_id| Refused {
            problem,
            header: Some(Box::new(header.clone())),
            connection_id,
        };
        let db = self.app.store.db();
        let found = connections::find_in_folder(db, self.organization_id, &header).await?;
        let connection = match found {
            Found::One(connection) => connection,
            Found::Several => return Ok(Err(refused(SEVERAL, None))),
            Found::Unknown => return Ok(Err(refused(UNKNOWN, None))),
        };
        if let Err(problem) = is_taken {
            return Ok(Err(refused(problem, Some(connection.id))));
        }
        if connection.organization_id != Some(self.organization_id) {
            return Ok(Err(refused(CLOSED, Some(connection.id))));
        }
        let source = mllp::Source { header: &header, message: &message, connection: &connection };
        match mllp::receptions(source, self.organization_id, content, "folder").await? {
            Ok(all) => self.keeper.keep(all).await.map(|_| Ok(())),
            Err(problem) => Ok(Err(refused(problem, Some(connection.id)))),
        }
    }

    async fn note(&self, refused: &Refused) {
        let refusal = Refusal {
            kind: ConnectionKind::Folder,
            // A file has no sender on the network.
            peer: &Peer { address: IpAddr::V4(Ipv4Addr::UNSPECIFIED), certificate: None },
            header: refused.header.as_deref(),
            connection_id: refused.connection_id,
            reason: refused.problem.words,
        };
        refusals::note(self.app, refusal).await;
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)?.map_err(Error::internal)
}
