//! A connected system of an organization, ready to be called.

mod calls;
mod hospital;
mod outlet;
mod receiver;

pub use calls::{Outgoing, group_id};
pub use outlet::{Address, NO_FOLDER, Reached, reach};
pub use receiver::unreached;

use crate::{
    connections::{
        health::{self, Trouble},
        keys, queries,
    },
    login::tokens,
    memory, network,
};
use fhir::{
    client::{Access, Client},
    keys::SigningKey,
    problem::Problem,
    sign_in,
};
use hospital::Hospital;
use platform::{App, Error, Result, integrations};
use receiver::Receiver;
use serde::{Serialize, de::DeserializeOwned};
use store::entities::integration::{self, Authentication, Capability, IntegrationType};
use tokio::time::Instant;
use uuid::Uuid;

/// Scopes that a system asks for if the connection names none.
pub const SYSTEM_SCOPES: &str = "system/Patient.rs system/Encounter.rs system/ServiceRequest.rs \
    system/Practitioner.rs system/Group.rs system/CareTeam.rs system/Location.rs system/ValueSet.rs \
    system/DocumentReference.crus system/Binary.cr";
/// Scopes that a person's sign-in asks for if the connection names none.
pub const PERSON_SCOPES: &str = "openid fhirUser offline_access user/Patient.rs user/Encounter.rs \
    user/ServiceRequest.rs user/Practitioner.rs user/Group.rs user/CareTeam.rs user/Location.rs \
    user/ValueSet.rs user/DocumentReference.crus user/Binary.cr";

/// Error for an organization without a connection for this.
pub const NO_CONNECTION: &str =
    "No EHR that can do this is connected. Please ask an administrator of your organization.";

/// For whom an EHR is called.
#[derive(Clone, Copy, Debug)]
pub enum For {
    /// A person of the organization.
    Person(Uuid),
    /// Work that is nobody's, such as a workflow.
    System,
}

/// Why a call has no answer.
#[derive(Debug)]
pub enum Failure {
    /// No connection of the organization can do it.
    NoConnection,
    /// The person has to sign in at the EHR.
    LoginRequired,
    /// The connection is paused after failures.
    Paused,
    /// The EHR, or the way there.
    Problem(Problem),
    /// A system without FHIR, or the way there: it may be mended without anybody changing what is sent.
    Unreached(String),
    /// A system without FHIR does not take this. The reason, without quoting it.
    Refused(String),
    /// Here.
    Here(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Here(error)
    }
}

impl Failure {
    /// The error for the screen, which names the connection.
    pub fn error(self, row: Option<&integration::Model>) -> Error {
        let name = row.map_or("The EHR", |row| row.name.as_str());
        match self {
            Self::NoConnection => Error::Conflict(NO_CONNECTION.into()),
            Self::LoginRequired => Error::LoginRequired(format!("Please sign in to {name} first.").into()),
            Self::Paused => {
                let cause = row.map_or("", |row| row.problem.as_str());
                Error::Unanswered(
                    format!("{name} is not available at the moment. {cause}").trim_end().to_owned().into(),
                )
            }
            Self::Problem(problem) => Error::Unanswered(format!("{name}: {}", problem.text()).into()),
            Self::Unreached(text) | Self::Refused(text) => {
                Error::Unanswered(format!("{name}: {text}").into())
            }
            Self::Here(error) => error,
        }
    }
}

impl From<sea_orm::DbErr> for Failure {
    fn from(error: sea_orm::DbErr) -> Self {
        Self::Here(error.into())
    }
}

/// A connected system, by its protocol.
enum System {
    Fhir(Client),
    Hl7(Hospital),
    WebService(Receiver),
}

/// A connected system of an organization.
pub struct Ehr {
    app: App,
    row: integration::Model,
    whom: For,
    system: System,
}

impl Ehr {
    /// Prepares a connection for calls.
    pub async fn of(app: &App, row: integration::Model, whom: For) -> Result<Self, Failure> {
        if row.retry_at.is_some_and(|at| at > app.clock.now()) {
            return Err(Failure::Paused);
        }
        let system = match row.kind {
            IntegrationType::Fhir => System::Fhir(client(app, &row, whom).await?),
            IntegrationType::Hl7 => System::Hl7(Hospital::of(app, &row)),
            IntegrationType::WebService => System::WebService(Receiver::of(app, &row).await?),
        };
        Ok(Self { app: app.clone(), row, whom, system })
    }

    pub fn row(&self) -> &integration::Model {
        &self.row
    }

    /// Waits for a call, and notes whether the EHR answered.
    async fn noted<T>(&self, call: impl Future<Output = Result<T, Problem>>) -> Result<T, Failure> {
        let begun = Instant::now();
        match call.await {
            Ok(answer) => {
                health::note_answer(&self.app, &self.row, begun.elapsed()).await?;
                Ok(answer)
            }
            Err(problem) => {
                health::note_problem(&self.app, &self.row, &problem, self.whom).await?;
                if matches!(problem, Problem::SignInRefused { .. }) {
                    self.forget_token().await?;
                }
                Err(Failure::Problem(problem))
            }
        }
    }

    /// Like [`Self::noted`], for a system without FHIR.
    async fn sent<T>(&self, call: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        let begun = Instant::now();
        let answer = call.await;
        match &answer {
            Ok(_) | Err(Failure::Refused(_)) => {
                health::note_answer(&self.app, &self.row, begun.elapsed()).await?;
            }
            Err(Failure::Unreached(text)) => {
                let trouble = Trouble { text: text.clone(), remedy: UNREACHED };
                health::note_failure(&self.app, &self.row, trouble).await?;
            }
            Err(_) => {}
        }
        answer
    }

    /// Forgets the access token that the EHR refused, so that the next call gets a new one.
    async fn forget_token(&self) -> Result<()> {
        match (self.row.settings.authentication, self.whom) {
            (Authentication::Person, For::Person(user)) => tokens::expire(&self.app, &self.row, user).await,
            _ => {
                memory::forget_token((self.row.id, self.row.version));
                Ok(())
            }
        }
    }

    /// A list that rarely changes, from memory if it was read recently.
    pub async fn list<T>(
        &self,
        name: &str,
        read: impl Future<Output = Result<Vec<T>, Failure>>,
    ) -> Result<Vec<T>, Failure>
    where
        T: Serialize + DeserializeOwned,
    {
        let (at, epoch, now) = ((self.row.id, self.row.version), self.row.cache_epoch, self.app.clock.now());
        let kept = memory::list(at, epoch, name, now).and_then(|kept| serde_json::from_value(kept).ok());
        if let Some(kept) = kept {
            return Ok(kept);
        }
        let list = read.await?;
        if let Ok(value) = serde_json::to_value(&list) {
            memory::keep_list(at, epoch, name, value, now);
        }
        Ok(list)
    }
}

/// What to do if a system without FHIR cannot be reached.
const UNREACHED: &str = "Please check the address, and whether the system is running.";

/// Whether operators allow this kind of system to the organization.
pub async fn is_allowed(app: &App, organization_id: Uuid, kind: IntegrationType) -> Result<bool> {
    Ok(integrations::is_allowed(app.store.db(), kind.grant(), organization_id).await?)
}

/// A connection of the organization, if it is on and operators allow it.
pub async fn usable(app: &App, organization_id: Uuid, id: Uuid) -> Result<Option<integration::Model>> {
    let found = queries::connection(organization_id, id).one(app.store.db()).await?;
    match found.filter(|row| row.is_enabled) {
        Some(row) if is_allowed(app, organization_id, row.kind).await? => Ok(Some(row)),
        _ => Ok(None),
    }
}

/// The connection that can do this: the one with this id, or the first by name.
pub async fn find(
    app: &App,
    organization_id: Uuid,
    id: Option<Uuid>,
    capability: Capability,
) -> Result<Option<integration::Model>> {
    let mut all = queries::usable(app, organization_id).await?.into_iter();
    Ok(all.find(|row| id.is_none_or(|id| id == row.id) && row.can(capability)))
}

/// The client of an EHR with FHIR. A failure to sign in is noted.
async fn client(app: &App, row: &integration::Model, whom: For) -> Result<Client, Failure> {
    let access = match access(app, row, whom).await {
        Err(Failure::Problem(problem)) => {
            health::note_problem(app, row, &problem, whom).await?;
            return Err(Failure::Problem(problem));
        }
        access => access?,
    };
    Client::new(http(app, row)?, &row.settings.base_url, access).map_err(Failure::Problem)
}

fn http(app: &App, row: &integration::Model) -> Result<fetch::HttpFetcher, Failure> {
    network::client(app, row.organization_id).map_err(|_| Failure::Problem(Problem::Unreachable))
}

/// The way to sign in, with a token that is still valid.
async fn access(app: &App, row: &integration::Model, whom: For) -> Result<Access, Failure> {
    match (row.settings.authentication, whom) {
        (Authentication::Open, _) => Ok(Access::Open),
        (Authentication::KeyPair, _) => Ok(Access::Bearer(system_token(app, row).await?)),
        (Authentication::Person, For::Person(user)) => {
            let token = tokens::current(app, row, user).await?.ok_or(Failure::LoginRequired)?;
            Ok(Access::Bearer(token))
        }
        (Authentication::Person, For::System) => Err(Failure::LoginRequired),
    }
}

async fn system_token(app: &App, row: &integration::Model) -> Result<String, Failure> {
    let (at, now) = ((row.id, row.version), app.clock.now());
    if let Some(token) = memory::token(at, now) {
        return Ok(token);
    }
    let key = keys::signing_key(app, row).await?;
    let token = new_system_token(app, row, &key).await.map_err(Failure::Problem)?;
    let access = token.value.expose().to_owned();
    memory::keep_token(at, access.clone(), token.expires_at, now);
    Ok(access)
}

/// Signs in as a system.
pub async fn new_system_token(
    app: &App,
    row: &integration::Model,
    key: &SigningKey,
) -> Result<sign_in::Token, Problem> {
    let http = network::client(app, row.organization_id).map_err(|_| Problem::Unreachable)?;
    let discovered = sign_in::discover(&http, &row.settings.base_url).await?;
    let scopes = scopes(row);
    sign_in::backend_token(&http, &discovered, &row.settings.client_id, key, &scopes, app.clock.now()).await
}

/// The scopes that a connection asks for.
pub fn scopes(row: &integration::Model) -> String {
    let usual = match (row.settings.scopes.as_str(), row.settings.authentication) {
        ("", Authentication::Person) => PERSON_SCOPES,
        ("", _) => SYSTEM_SCOPES,
        (own, _) => return own.to_owned(),
    };
    match row.can(Capability::PatientCreate) {
        true => usual.replace("/Patient.rs", "/Patient.crs"),
        false => usual.to_owned(),
    }
}
