//! Arriving messages of referrals: found among the files of a mail, and stored with the message.

use super::{
    KIND,
    queries::{self, Sealed},
    rules,
};
use crate::model::{Conversation, Patient, PatientIdentifier};
use ::direct::{DirectAddress, mime::Attachment};
use chrono::NaiveDate;
use clinical::referral::{Action, Message, ReferredPatient};
use documents::{Kind, worker::ConvertError};
use platform::{App, Error, Result};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel,
    QueryFilter, QuerySelect,
};
use store::{
    Transaction,
    entities::{
        conversation::{self, ConversationRole, ConversationState, Model},
        conversation_step, document_source, message,
    },
    keys::DataKey,
};
use uuid::Uuid;

/// Maximum number of zip archives of a mail that are searched.
const PACKAGES_MAX: usize = 5;
/// Maximum length of stored ids and addresses, in characters.
const ID_MAX: usize = 255;

/// A message of a referral in a mail.
pub struct Arrived {
    /// Id of the conversation, new or known.
    pub id: Uuid,
    pub message: Message,
}

/// The message of a referral among the files of a mail, if there is one. A message about a known referral from somebody
/// else, or about another patient, is treated as an ordinary message.
pub async fn find(
    app: &App,
    organization_id: Uuid,
    sender: &DirectAddress,
    files: &[Attachment],
) -> Result<Option<Arrived>> {
    let Some(message) = message_of(app, organization_id, files).await? else { return Ok(None) };
    let known = Known::read(app.store.db(), organization_id, &message, sender.as_str()).await?;
    Ok(match known {
        Known::New => Some(Arrived { id: Uuid::now_v7(), message }),
        Known::Tracked(row) | Known::Repeated(row) => {
            let is_same = is_of_its_patient(app, &row, &message).await?;
            is_same.then_some(Arrived { id: row.id, message })
        }
        Known::Foreign => None,
    })
}

/// Whether a message names the patient of its referral, or no patient. A message about somebody else has the wrong
/// referral.
async fn is_of_its_patient(app: &App, row: &Model, message: &Message) -> Result<bool> {
    let key = app.keys.data_key(row.organization_id).await?;
    let today = app.clock.now().date_naive();
    let referred = rules::fitting(Sealed::open(&key, row)?.patient, today);
    let named = patient_of(&message.patient).unwrap_or_default();
    Ok(rules::can_be_same(&referred, &rules::fitting(named, today)))
}

/// Finds the message in the files. Packages are unpacked and read in a separate process, like all files of strangers.
async fn message_of(app: &App, organization_id: Uuid, files: &[Attachment]) -> Result<Option<Message>> {
    let converter = app.mail_converter.of(organization_id);
    let is_package = |file: &&Attachment| {
        let name = file.file_name.as_deref().unwrap_or_default();
        documents::kind_of(name, &file.content) == Kind::Zip
    };
    for package in files.iter().filter(is_package).take(PACKAGES_MAX) {
        match converter.referral(package.content.clone()).await {
            Ok(Some(message)) => {
                let fits = |text: &str| text.chars().count() <= ID_MAX;
                return Ok(Some(message).filter(|m| fits(&m.referral_id) && fits(&m.assigner)));
            }
            // The machine failed: the mail is opened again.
            Err(error @ (ConvertError::Busy | ConvertError::Io(_))) => return Err(Error::internal(error)),
            Ok(None) | Err(_) => {}
        }
    }
    Ok(None)
}

/// What is known about the referral of a message.
enum Known {
    /// Unknown: the message requests it, or cancels a request that has not arrived yet.
    New,
    /// Known, and the sender may continue it.
    Tracked(Model),
    /// Known; the sender requested it before.
    Repeated(Model),
    /// Unknown, or between other parties.
    Foreign,
}

impl Known {
    async fn read(
        db: &impl ConnectionTrait,
        organization_id: Uuid,
        message: &Message,
        sender: &str,
    ) -> Result<Self> {
        let rows = queries::named(organization_id, &message.referral_id, &message.assigner);
        // Two rows if an organization refers to itself, one for each side.
        let rows = rows.lock_exclusive().all(db).await?;
        if message.action == Action::Request {
            let Some(row) = rows.into_iter().find(|row| row.role == ConversationRole::Recipient) else {
                return Ok(Self::New);
            };
            let is_theirs = is_partner(db, &row, sender).await?;
            return Ok(if is_theirs { Self::Repeated(row) } else { Self::Foreign });
        }
        if rows.is_empty() && message.action == Action::Cancel {
            return Ok(Self::New);
        }
        let mut theirs = Vec::new();
        for row in rows {
            if is_partner(db, &row, sender).await? {
                theirs.push(row);
            }
        }
        // All addresses of an organization are partners, but an exact match is preferred.
        theirs.sort_by_key(|row| !row.other_address.eq_ignore_ascii_case(sender));
        let step = rules::step_of(message.action);
        let goes_on = theirs.iter().position(|row| rules::after(row.state, other(row.role), step).is_some());
        Ok(match goes_on {
            Some(at) => Self::Tracked(theirs.swap_remove(at)),
            None => theirs.into_iter().next().map_or(Self::Foreign, Self::Tracked),
        })
    }
}

fn other(role: ConversationRole) -> ConversationRole {
    match role {
        ConversationRole::Initiator => ConversationRole::Recipient,
        ConversationRole::Recipient => ConversationRole::Initiator,
    }
}

impl Arrived {
    /// The conversation of the message.
    pub fn conversation(&self) -> Conversation {
        Conversation {
            conversation_id: self.id.to_string(),
            kind: KIND.into(),
            conversation_status: rules::step_of(self.message.action).to_string(),
        }
    }

    /// The patient as named by the referral, cut to the limits of a message.
    pub fn patient(&self, today: NaiveDate) -> Option<Patient> {
        patient_of(&self.message.patient).map(|patient| rules::fitting(patient, today))
    }

    /// Stores the referral in the transaction of the message. A repeated request and an answer from somebody else are
    /// not stored; a message that does not fit the state is stored without changing the state.
    pub async fn store(self, app: &App, txn: &Transaction, key: &DataKey, of: &message::Model) -> Result<()> {
        let Self { id, message } = self;
        let step = rules::step_of(message.action);
        let row = match Known::read(txn, of.organization_id, &message, &of.from_address).await? {
            Known::New => {
                let row = requested(key, id, &message, of)?;
                conversation::Entity::insert(row.clone().into_active_model())
                    .exec_without_returning(txn)
                    .await?;
                row
            }
            // Changed since the mail was read.
            Known::Tracked(row) if row.id != id => return Ok(()),
            Known::Repeated(_) | Known::Foreign => return Ok(()),
            Known::Tracked(row) => {
                let after = rules::after(row.state, other(row.role), step);
                let mut change = row.into_active_model();
                change.message_id = Set(of.id);
                change.updated_at = Set(app.clock.now());
                if let Some(state) = after {
                    change.state = Set(state);
                    if message.appointment.is_some() {
                        change.appointment_at = Set(message.appointment);
                    }
                }
                change.update(txn).await?
            }
        };
        let step = queries::step(key, &row, of.id, step, &message.note, false, of.received_at);
        conversation_step::Entity::insert(step).exec_without_returning(txn).await?;
        Ok(())
    }
}

/// Whether an address is the other side of a referral: the original address, or another one of the same organization of
/// this installation. The same domain is not enough: a provider of Direct addresses has many organizations in one
/// domain, and each of them could answer for the others.
async fn is_partner(db: &impl ConnectionTrait, row: &Model, from: &str) -> Result<bool> {
    let (Ok(from), Ok(other)) = (DirectAddress::parse(from), DirectAddress::parse(&row.other_address)) else {
        return Ok(false);
    };
    if from.same_mailbox(&other) {
        return Ok(true);
    }
    let keys = [from.mailbox().to_string(), other.mailbox().to_string()];
    let owners: Vec<Uuid> = document_source::Entity::find()
        .select_only()
        .column(document_source::Column::OrganizationId)
        .filter(document_source::Column::AddressKey.is_in(keys))
        .into_tuple()
        .all(db)
        .await?;
    Ok(owners.len() == 2 && owners[0] == owners[1])
}

fn requested(key: &DataKey, id: Uuid, message: &Message, of: &message::Model) -> Result<Model> {
    let sealed = Sealed {
        patient: patient_of(&message.patient).unwrap_or_default(),
        reason: message.reason.clone(),
        provider: message.provider.clone(),
        initiator: message.sender.clone(),
        recipient: message.receiver.clone(),
    };
    Ok(Model {
        id,
        organization_id: of.organization_id,
        referral_id: message.referral_id.clone(),
        assigner: message.assigner.clone(),
        role: ConversationRole::Recipient,
        state: match message.action {
            Action::Cancel => ConversationState::Cancelled,
            _ => ConversationState::Requested,
        },
        own_address: of.to_address.split(';').next().unwrap_or_default().to_owned(),
        other_address: of.from_address.clone(),
        due_on: message.due,
        appointment_at: None,
        sealed_content: sealed.seal(key, id)?,
        message_id: of.id,
        created_at: of.received_at,
        updated_at: of.received_at,
    })
}

fn patient_of(patient: &ReferredPatient) -> Option<Patient> {
    let ReferredPatient { id, realm, last_name, first_name, middle_name, birth_date, gender } = patient;
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let gender = match gender.as_str() {
        "M" | "F" => some(gender),
        "" => None,
        _ => some("UN"),
    };
    let ids = some(id).map(|id| PatientIdentifier { root: realm.clone(), id });
    let found = Patient {
        patient_id: some(id),
        first_name: some(first_name),
        middle_name: some(middle_name),
        last_name: some(last_name),
        birth_date: *birth_date,
        gender,
        patient_ids: ids.into_iter().collect(),
        // Not contained in a message of a referral.
        street_address1: None,
        street_address2: None,
        city: None,
        state: None,
        postal_code: None,
        country: None,
        telephone: None,
        visit_id: None,
        visit_date: None,
        known_patient_id: None,
        integration_meta: None,
    };
    (!found.display_name().is_empty()).then(|| patients::rules::tidy(found))
}
