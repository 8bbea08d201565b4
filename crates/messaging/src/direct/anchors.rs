//! Trust anchors, per organization and direction.

use ::direct::{cert::Certificate, trust::AnchorSet};
use platform::{
    App, Error, Result,
    audit::{self, Act, Actor, event},
    records::{self, Record},
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, Condition, DbErr, EntityTrait, ModelTrait, QueryFilter,
    Select,
};
use serde_json::json;
use store::{Transaction, entities::trust_anchor};
use uuid::Uuid;

/// The anchors of one organization.
pub struct Anchors {
    /// For received messages.
    pub incoming: AnchorSet,
    /// For recipients of sent messages.
    pub outgoing: AnchorSet,
}

struct AnchorRecord;

impl Record for AnchorRecord {
    type Entity = trust_anchor::Entity;
    const OBJECT: &'static str = OBJECT;
    const NOUN: &'static str = "this trust anchor";
    const ID: trust_anchor::Column = trust_anchor::Column::Id;
    const VERSION: trust_anchor::Column = trust_anchor::Column::Version;
    const AUDITED: &'static [trust_anchor::Column] = &[
        trust_anchor::Column::Fingerprint,
        trust_anchor::Column::Incoming,
        trust_anchor::Column::Outgoing,
        trust_anchor::Column::RequiresRevocation,
    ];
    const TAKEN: (&'static str, &'static str) = ("certificate", "This certificate is already trusted.");
}

/// Object type of anchors in audit entries.
const OBJECT: &str = "trustanchor";

/// Anchors common to all organizations, and those of this one.
pub async fn of(app: &App, organization_id: Uuid) -> Result<Anchors> {
    let of_all_or_own = Condition::any()
        .add(trust_anchor::Column::OrganizationId.is_null())
        .add(trust_anchor::Column::OrganizationId.eq(organization_id));
    let rows = trust_anchor::Entity::find().filter(of_all_or_own).all(app.store.db()).await?;
    let strict: Vec<String> =
        rows.iter().filter(|row| row.requires_revocation).map(|row| row.fingerprint.clone()).collect();
    let set = |is_meant: fn(&trust_anchor::Model) -> bool| {
        let meant = rows.iter().filter(|row| is_meant(row));
        let anchors = meant
            .map(|row| Certificate::from_pem(row.certificate_pem.as_bytes()).map_err(Error::internal))
            .collect::<Result<AnchorSet>>()?;
        Ok::<_, Error>(anchors.requiring_revocation(strict.iter().cloned()))
    };
    Ok(Anchors { incoming: set(|row| row.incoming)?, outgoing: set(|row| row.outgoing)? })
}

/// Purposes for which a certificate is trusted.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    pub incoming: bool,
    pub outgoing: bool,
    /// Certificates below it are not used while their revocation list is unavailable.
    pub requires_revocation: bool,
}

/// Trusts a certificate on these terms, for one organization or, without one, for all. Repeating it changes the terms.
pub async fn add(
    app: &App,
    actor: &Actor,
    organization_id: Option<Uuid>,
    certificate: &Certificate,
    terms: Terms,
) -> Result<Uuid> {
    let mut new = row(app, organization_id, None, certificate);
    set_terms(&mut new, terms);
    let txn = app.store.begin().await?;
    let known = own(organization_id, certificate).one(&txn).await?;
    let (event, kept) = match known {
        Some(known) => {
            (new.id, new.version) = (Set(known.id), Set(known.version + 1));
            (event::CHANGED, new.update(&txn).await?)
        }
        None => (event::CREATED, new.insert(&txn).await?),
    };
    let detail = json!({
        "subject": certificate.subject(), "incoming": terms.incoming, "outgoing": terms.outgoing,
        "requiresRevocation": terms.requires_revocation,
    });
    audit::record(app, &txn, actor, Act::new(event, OBJECT, kept.id).detail(detail)).await?;
    app.store.commit_durable(txn).await?;
    Ok(kept.id)
}

/// The anchor of a certificate that was added individually, for this organization or, without one, for all.
pub(super) fn own(organization_id: Option<Uuid>, certificate: &Certificate) -> Select<trust_anchor::Entity> {
    use trust_anchor::Column;
    let whose = match organization_id {
        Some(id) => Column::OrganizationId.eq(id),
        None => Column::OrganizationId.is_null(),
    };
    trust_anchor::Entity::find()
        .filter(whose)
        .filter(Column::BundleId.is_null())
        .filter(Column::Fingerprint.eq(certificate.fingerprint()))
}

/// Changes the terms of an anchor. `version` is the one that was read.
pub async fn change(
    app: &App,
    actor: &Actor,
    id: Uuid,
    terms: Terms,
    version: Option<i32>,
) -> Result<trust_anchor::Model> {
    let found = trust_anchor::Entity::find_by_id(id).filter(trust_anchor::Column::BundleId.is_null());
    let mut edit = records::edit::<AnchorRecord>(app, actor, found, version).await?;
    set_terms(&mut edit.row, terms);
    edit.save().await
}

fn set_terms(row: &mut trust_anchor::ActiveModel, terms: Terms) {
    (row.incoming, row.outgoing) = (Set(terms.incoming), Set(terms.outgoing));
    row.requires_revocation = Set(terms.requires_revocation);
}

/// Stops trusting an individually added certificate; false if this id does not exist.
pub async fn remove(app: &App, actor: &Actor, id: Uuid) -> Result<bool> {
    let txn = app.store.begin().await?;
    let removed = trust_anchor::Entity::delete_many()
        .filter(trust_anchor::Column::Id.eq(id))
        .filter(trust_anchor::Column::BundleId.is_null())
        .exec(&txn)
        .await?;
    let removed = removed.rows_affected == 1;
    if removed {
        audit::record(app, &txn, actor, Act::new(event::DELETED, OBJECT, id)).await?;
    }
    app.store.commit_durable(txn).await?;
    Ok(removed)
}

/// Stops trusting the certificate of an authority of this installation, in the transaction that removes the authority.
pub(super) async fn forget(txn: &Transaction, certificate: &Certificate) -> Result<(), DbErr> {
    let Some(found) = own(None, certificate).one(txn).await? else { return Ok(()) };
    found.delete(txn).await.map(drop)
}

/// The row of an anchor for both directions.
pub(super) fn row(
    app: &App,
    organization_id: Option<Uuid>,
    bundle_id: Option<Uuid>,
    certificate: &Certificate,
) -> trust_anchor::ActiveModel {
    trust_anchor::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(organization_id),
        bundle_id: Set(bundle_id),
        fingerprint: Set(certificate.fingerprint()),
        certificate_pem: Set(certificate.to_pem()),
        incoming: Set(true),
        outgoing: Set(true),
        requires_revocation: Set(false),
        created_at: Set(app.clock.now()),
        version: Set(1),
    }
}
