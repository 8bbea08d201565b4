//! People of the same organization in forms, and e-mails to them.

use accounts::person;
use email::{Email, Prepared};
use platform::{
    App, Error, Member, Result,
    fields::DEFAULT_FIELD_ERROR,
    session::{self, organization_role},
};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};
use store::{
    entities::{app_user, message, organization},
    tenant::Tenant,
};
use uuid::Uuid;

const MAY_NOT_READ: &str = "This person may not read messages to this address.";

/// Refuses a person who does not work in the organization or may not read the message.
pub async fn require_reader(
    db: &impl ConnectionTrait,
    message: &message::Model,
    field: &str,
    person: Uuid,
) -> Result<()> {
    if organization_role(db, person, message.organization_id).await?.is_none() {
        return Err(Error::field(field, DEFAULT_FIELD_ERROR));
    }
    if !may_read(db, message, person).await? {
        return Err(Error::field(field, MAY_NOT_READ));
    }
    Ok(())
}

/// The people who may read a message.
pub async fn readers(
    db: &impl ConnectionTrait,
    message: &message::Model,
    people: &[Uuid],
) -> Result<Vec<Uuid>, DbErr> {
    // If a person without any special permission may read it, all may: nearly always one query is enough.
    if people.is_empty() || may_read(db, message, Uuid::nil()).await? {
        return Ok(people.to_vec());
    }
    let mut readers = Vec::new();
    for &person in people {
        if may_read(db, message, person).await? {
            readers.push(person);
        }
    }
    Ok(readers)
}

async fn may_read(db: &impl ConnectionTrait, message: &message::Model, person: Uuid) -> Result<bool, DbErr> {
    let unreadable = session::unreadable(db, message.organization_id, person).await?;
    Ok(Tenant::without(message.organization_id, unreadable).holds(message))
}

/// The distinct people given in a field of a message. Refuses people who may not read the message, and more than
/// `most`.
pub async fn named(
    app: &App,
    message: &message::Model,
    field: &str,
    wanted: Vec<Uuid>,
    most: usize,
) -> Result<Vec<Uuid>> {
    let mut people: Vec<Uuid> = Vec::new();
    for id in wanted {
        if people.contains(&id) {
            continue;
        }
        if people.len() == most {
            return Err(Error::field(field, DEFAULT_FIELD_ERROR));
        }
        require_reader(app.store.db(), message, field, id).await?;
        people.push(id);
    }
    Ok(people)
}

/// Recipient of an e-mail to a colleague.
pub struct Addressee {
    pub first_name: String,
    /// The name of the organization.
    pub organization: String,
}

/// E-mails to colleagues, except the caller. Empty if e-mail is not configured.
pub async fn letters<E: Email>(
    app: &App,
    member: &Member,
    to: &[Uuid],
    mail: impl Fn(Addressee) -> E,
) -> Result<Vec<Prepared>> {
    let mut letters = Vec::new();
    if !email::is_available(app) || to.is_empty() {
        return Ok(letters);
    }
    let db = app.store.db();
    let organization = organization::Entity::find_by_id(member.organization_id).one(db).await?;
    let organization = organization.ok_or(Error::NotFound)?.name;
    let people = app_user::Entity::find()
        .filter(app_user::Column::Id.is_in(to.iter().copied()))
        .filter(app_user::Column::Id.ne(member.caller.user_id))
        .filter(app_user::Column::IsDisabled.eq(false))
        .all(db)
        .await?;
    for user in people {
        let Some(recipient) = person::recipient(&user) else { continue };
        let mail = mail(Addressee { first_name: user.first_name, organization: organization.clone() });
        letters.push(email::prepare(app, member.organization_id, recipient, &mail).await?);
    }
    Ok(letters)
}
