//! E-mails waiting to be sent. They are sealed: they contain names, addresses and links that open an account.

use crate::{
    letter::{Branding, Email, Letter, Recipient},
    templates,
};
use platform::{App, Error, Result};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder, sea_query::Expr};
use store::{
    Transaction,
    entities::{brand, email, organization},
};
use uuid::Uuid;
use workflow::{Lane, NewStep, NewWorkflow, StepType};

pub const EMAIL_WORKFLOW: &str = "EmailWorkflow";
/// Sends the e-mail through the mail server.
pub const SEND_EMAIL: StepType = StepType::new("SendEmail", Lane::Notices);
/// Name of the mail server as the partner of the step.
const MAIL_SERVER: &str = "email";

/// Whether this installation can send e-mail, or shows it in the demo mailbox. If not, refuse operations that depend
/// on e-mail, with a reason.
pub fn is_available(app: &App) -> bool {
    app.config.email.server.is_some() || app.config.has_demo_mailbox()
}

/// A rendered and sealed e-mail, ready to be enqueued.
pub struct Prepared(email::Model);

/// Renders an e-mail with the branding of the organization, or that of the installation for people of no organization.
pub async fn prepare<E: Email>(
    app: &App,
    organization_id: impl Into<Option<Uuid>>,
    to: Recipient,
    email: &E,
) -> Result<Prepared> {
    let organization_id = organization_id.into();
    let branding = branding(app, organization_id).await?;
    let letter = templates::render(email, to, &branding, &app.config.http.public_url)?;
    let id = Uuid::now_v7();
    Ok(Prepared(email::Model {
        id,
        organization_id,
        template: E::TEMPLATE.into(),
        sealed_letter: Some(seal(app, organization_id, id, &letter).await?),
        created_at: app.clock.now(),
        sent_at: None,
    }))
}

async fn branding(app: &App, organization_id: Option<Uuid>) -> Result<Branding> {
    let db = app.store.db();
    let Some(id) = organization_id else {
        let first = brand::Entity::find().order_by_asc(brand::Column::Id).one(db).await?;
        return Ok(first.as_ref().map_or_else(Branding::default_brand, Branding::of));
    };
    let organization = organization::Entity::find_by_id(id).one(db).await?.ok_or(Error::NotFound)?;
    let brand = brand::Entity::find_by_id(organization.brand_id).one(db).await?.ok_or(Error::NotFound)?;
    Ok(Branding::of(&brand))
}

impl Prepared {
    /// Enqueues the e-mail to be sent once the transaction commits. Wake the workers after that.
    pub async fn enqueue(self, txn: &Transaction) -> Result<()> {
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
        let steps = vec![NewStep::new(0, SEND_EMAIL, now).for_partner(MAIL_SERVER)];
        // Workflows of no organization have the nil id, like the audit chain of the platform.
        let organization_id = organization_id.unwrap_or_default();
        let new = NewWorkflow { organization_id, kind: EMAIL_WORKFLOW.into(), object_id: id, steps };
        workflow::enqueue(txn, now, new).await?;
        Ok(())
    }
}

fn context(id: Uuid) -> String {
    format!("email.letter:{id}")
}

async fn seal(app: &App, organization_id: Option<Uuid>, id: Uuid, letter: &Letter) -> Result<Vec<u8>> {
    Ok(match organization_id {
        Some(organization_id) => app.keys.data_key(organization_id).await?.seal_json(&context(id), letter)?,
        None => {
            let json = serde_json::to_vec(letter).map_err(Error::internal)?;
            app.keys.master().seal(&context(id), &json)
        }
    })
}

/// Reseals waiting e-mails to people of no organization with the current master key. Returns how many were sealed with an
/// older one.
pub async fn reseal(app: &App) -> Result<u64> {
    use email::Column;
    let db = app.store.db();
    let waiting = email::Entity::find()
        .filter(Column::OrganizationId.is_null())
        .filter(Column::SealedLetter.is_not_null());
    let mut changed = 0;
    for row in waiting.all(db).await? {
        let Some(before) = row.sealed_letter else { continue };
        let Some(sealed) = app.keys.resealed(&context(row.id), &before)? else { continue };
        // Unless it was sent meanwhile.
        changed += email::Entity::update_many()
            .col_expr(Column::SealedLetter, Expr::value(sealed))
            .filter(Column::Id.eq(row.id))
            .filter(Column::SealedLetter.is_not_null())
            .exec(db)
            .await?
            .rows_affected;
    }
    Ok(changed)
}

/// Opens an e-mail; None after it was sent.
pub(crate) async fn open(app: &App, row: &email::Model) -> Result<Option<Letter>> {
    let Some(sealed) = &row.sealed_letter else { return Ok(None) };
    Ok(Some(match row.organization_id {
        Some(id) => app.keys.data_key(id).await?.open_json(&context(row.id), sealed)?,
        None => {
            let json = app.keys.open_secret(&context(row.id), sealed)?;
            serde_json::from_slice(&json).map_err(Error::internal)?
        }
    }))
}
