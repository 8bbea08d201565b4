//! E-mails that wait to be sent, sealed: they hold names, addresses and links that open an account.

use crate::{
    letter::{Email, Letter, Look, Recipient},
    templates,
};
use platform::{App, Error, Result};
use sea_orm::{ActiveValue::Set, DatabaseTransaction, EntityTrait};
use store::{
    entities::{brand, email, organization},
    keys::DataKey,
};
use uuid::Uuid;
use workflow::{NewStep, NewWorkflow};

pub const EMAIL_WORKFLOW: &str = "EmailWorkflow";
/// Hands the e-mail to the mail server.
pub const SEND_EMAIL: &str = "SendEmail";

/// Whether e-mail leaves this installation, or can be read in its demo mailbox. Where it does not, whatever needs one
/// is refused with a reason.
pub fn is_available(app: &App) -> bool {
    app.config.email.server.is_some() || app.config.has_demo_mailbox()
}

/// A rendered and sealed e-mail, ready to be put into a transaction.
pub struct Prepared(email::Model);

/// Renders an e-mail in the look of the organization's brand.
pub async fn prepare<E: Email>(
    app: &App,
    organization_id: Uuid,
    to: Recipient,
    email: &E,
) -> Result<Prepared> {
    let db = app.store.db();
    let organization =
        organization::Entity::find_by_id(organization_id).one(db).await?.ok_or(Error::NotFound)?;
    let brand = brand::Entity::find_by_id(organization.brand_id).one(db).await?.ok_or(Error::NotFound)?;
    let letter = templates::render(email, to, &Look::of(&brand), &app.config.http.public_url)?;
    let key = app.keys.data_key(organization_id).await?;
    let id = Uuid::now_v7();
    Ok(Prepared(email::Model {
        id,
        organization_id,
        template: E::TEMPLATE.into(),
        sealed_letter: Some(seal(&key, id, &letter)?),
        created_at: app.clock.now(),
        sent_at: None,
    }))
}

impl Prepared {
    /// The e-mail is sent if and when the transaction commits; wake the workers then.
    pub async fn enqueue(self, txn: &DatabaseTransaction) -> Result<()> {
        let Self(row) = self;
        let (id, organization_id, now) = (row.id, row.organization_id, row.created_at);
        let row = email::ActiveModel {
            id: Set(id),
            organization_id: Set(organization_id),
            template: Set(row.template),
            sealed_letter: Set(row.sealed_letter),
            created_at: Set(now),
            sent_at: Set(None),
        };
        email::Entity::insert(row).exec_without_returning(txn).await?;
        let steps = vec![NewStep::new(0, SEND_EMAIL, now)];
        let new = NewWorkflow { organization_id, kind: EMAIL_WORKFLOW.into(), object_id: id, steps };
        workflow::enqueue(txn, now, new).await?;
        Ok(())
    }
}

fn context(id: Uuid) -> String {
    format!("email.letter:{id}")
}

fn seal(key: &DataKey, id: Uuid, letter: &Letter) -> Result<Vec<u8>> {
    Ok(key.seal_json(&context(id), letter)?)
}

/// The e-mail itself; none once it was handed over.
pub(crate) async fn open(app: &App, row: &email::Model) -> Result<Option<Letter>> {
    let Some(sealed) = &row.sealed_letter else { return Ok(None) };
    let key = app.keys.data_key(row.organization_id).await?;
    Ok(Some(key.open_json(&context(row.id), sealed)?))
}
