//! Messages of referrals as they arrive: found among the files of a mail, and written down with the message.

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

/// Zip archives of a mail that are looked into.
const PACKAGES_MAX: usize = 5;
/// Longest ids and addresses that are kept.
const ID_MAX: usize = 255;

/// A message of a referral in a mail.
pub struct Arrived {
    /// That of the conversation, new or known.
    pub id: Uuid,
    pub message: Message,
}

/// The message of a referral among the files of a mail, if there is one. What somebody else than the other side says about
/// a known referral, or the other side about another patient, is a message like any other.
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

/// Whether a message names the patient of the referral that it is about, or none. Whoever writes of somebody else has mistaken
/// the referral.
async fn is_of_its_patient(app: &App, row: &Model, message: &Message) -> Result<bool> {
    let key = app.keys.data_key(row.organization_id).await?;
    let today = app.clock.now().date_naive();
    let referred = rules::fitting(Sealed::open(&key, row)?.patient, today);
    let named = patient_of(&message.patient).unwrap_or_default();
    Ok(rules::can_be_same(&referred, &rules::fitting(named, today)))
}

/// Packages are unpacked and read in a process of their own, as all files of strangers.
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
            // The machine is to blame: the mail is opened again.
            Err(error @ (ConvertError::Busy | ConvertError::Io(_))) => return Err(Error::internal(error)),
            Ok(None) | Err(_) => {}
        }
    }
    Ok(None)
}

/// What is known of the referral that a message is about.
enum Known {
    /// Nothing: the message requests it, or takes back what has not arrived yet.
    New,
    /// The sender goes on with it.
    Tracked(Model),
    /// The sender requested it before.
    Repeated(Model),
    /// Nothing, or it is between others.
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
        // Two where an organization refers to itself: it stands on both sides.
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
        // Within an organization all its addresses are partners: the very address comes first.
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
    /// What the message says of its conversation.
    pub fn conversation(&self) -> Conversation {
        Conversation {
            conversation_id: self.id.to_string(),
            kind: KIND.into(),
            conversation_status: rules::step_of(self.message.action).to_string(),
        }
    }

    /// The patient as the referral names them, in the limits of a message.
    pub fn patient(&self, today: NaiveDate) -> Option<Patient> {
        patient_of(&self.message.patient).map(|patient| rules::fitting(patient, today))
    }

    /// Writes it down beside the message, in its transaction. A repeated request and an answer from somebody else are left
    /// out; one that does not fit is kept and changes no state.
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
            // Changed since the mail was looked at.
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

/// The other side of a referral: the address that it was sent to or came from, or another one of the same organization of this
/// installation. The domain alone says nothing: a provider of Direct addresses has many organizations under one, and each
/// of them could answer for the others.
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
        // Not in a message of a referral.
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
    };
    (!found.display_name().is_empty()).then(|| patients::rules::tidy(found))
}
