//! Trust bundles of the installation and of organizations: fetched when they are added, and daily from then on. A
//! failed refresh keeps the last good anchors, and is reported by `carepost doctor`.

use super::{DirectServices, anchors};
use ::direct::{
    cert::Certificate,
    trust::{BundleError, BundleSignature, MAX_BUNDLE, TrustBundle, parse_bundle},
};
use chrono::Duration;
use fetch::{Fetch, FetchError};
use platform::{
    App, Error,
    audit::{self, Act, Actor, event},
    chores,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, Condition, DbErr, EntityTrait, IntoActiveModel,
    QueryFilter, QuerySelect, sea_query::Expr,
};
use serde_json::json;
use store::entities::{trust_anchor, trust_bundle};
use tokio_util::sync::CancellationToken;
use url::{Host, Url};
use uuid::Uuid;

/// Age at which a bundle is fetched again.
const REFRESH_AFTER: Duration = Duration::hours(24);
const CHECK_INTERVAL: std::time::Duration = std::time::Duration::from_secs(3600);

/// A new bundle, trusted in both directions.
pub struct NewBundle {
    /// None: every organization trusts it.
    pub organization_id: Option<Uuid>,
    pub name: String,
    /// URL of a `.p7b` or `.p7m` file.
    pub url: String,
    /// Required signer; without one, signatures are not checked.
    pub signer: Option<Certificate>,
    /// Certificates below its anchors are not used while their revocation list is unavailable.
    pub requires_revocation: bool,
}

/// Why a bundle was refused. The anchors are unchanged.
#[derive(Debug, thiserror::Error)]
pub enum BundleRefused {
    #[error("The trust bundle could not be fetched: {0}.")]
    Fetch(#[from] FetchError),
    #[error(transparent)]
    Content(#[from] BundleError),
    #[error(
        "A bundle loaded by http could be replaced on the way. Choose the certificate of its signer, or use an \
         address that begins with https."
    )]
    Unprotected,
    #[error("The trust bundle could not be stored.")]
    Storage(Error),
}

impl From<Error> for BundleRefused {
    fn from(error: Error) -> Self {
        Self::Storage(error)
    }
}

impl From<DbErr> for BundleRefused {
    fn from(error: DbErr) -> Self {
        Self::Storage(error.into())
    }
}

/// Whether a bundle can be replaced in transit: it comes from another machine by plain HTTP, and no signature is
/// required.
pub fn is_unprotected(url: &str, is_signed: bool) -> bool {
    let Ok(url) = url.parse::<Url>() else { return false };
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "http" && !is_here && !is_signed
}

/// Fetches a bundle and trusts its anchors from now on. Returns it with the number of anchors.
pub async fn add(
    app: &App,
    fetch: &dyn Fetch,
    actor: &Actor,
    new: NewBundle,
) -> Result<(trust_bundle::Model, usize), BundleRefused> {
    if is_unprotected(&new.url, new.signer.is_some()) {
        return Err(BundleRefused::Unprotected);
    }
    let bundle = fetched(fetch, &new.url, new.signer.as_ref()).await?;
    let row = trust_bundle::Model {
        id: Uuid::now_v7(),
        organization_id: new.organization_id,
        name: new.name,
        url: new.url,
        signer_pem: new.signer.map(|s| s.to_pem()),
        requires_revocation: new.requires_revocation,
        refreshed_at: Some(app.clock.now()),
        last_error: None,
    };
    let txn = app.store.begin().await?;
    trust_bundle::Entity::insert(row.clone().into_active_model()).exec_without_returning(&txn).await?;
    let rows = bundle.anchors.iter().map(|c| anchor(app, &row, c));
    trust_anchor::Entity::insert_many(rows).exec_without_returning(&txn).await?;
    let detail = json!({
        "name": row.name, "url": row.url, "anchors": bundle.anchors.len(),
        "isSigned": row.signer_pem.is_some(), "requiresRevocation": row.requires_revocation,
    });
    audit::record(app, &txn, actor, Act::new(event::CREATED, "trustbundle", row.id).detail(detail)).await?;
    app.store.commit_durable(txn).await?;
    Ok((row, bundle.anchors.len()))
}

fn anchor(app: &App, bundle: &trust_bundle::Model, certificate: &Certificate) -> trust_anchor::ActiveModel {
    trust_anchor::ActiveModel {
        requires_revocation: Set(bundle.requires_revocation),
        ..anchors::row(app, bundle.organization_id, Some(bundle.id), certificate)
    }
}

/// Stops trusting a bundle and its anchors; false if this id does not exist.
pub async fn remove(app: &App, actor: &Actor, id: Uuid) -> platform::Result<bool> {
    let txn = app.store.begin().await?;
    trust_anchor::Entity::delete_many().filter(trust_anchor::Column::BundleId.eq(id)).exec(&txn).await?;
    let removed = trust_bundle::Entity::delete_by_id(id).exec(&txn).await?.rows_affected == 1;
    if removed {
        audit::record(app, &txn, actor, Act::new(event::DELETED, "trustbundle", id)).await?;
    }
    app.store.commit_durable(txn).await?;
    Ok(removed)
}

/// Fetches a bundle again on behalf of the actor. If that fails, the anchors are unchanged and the row has the reason.
pub async fn refresh(
    app: &App,
    fetch: &dyn Fetch,
    actor: &Actor,
    row: &trust_bundle::Model,
) -> Result<(), BundleRefused> {
    let signer = row.signer_pem.as_deref().map(|pem| Certificate::from_pem(pem.as_bytes())).transpose();
    let signer = signer.map_err(Error::internal)?;
    let outcome = match fetched(fetch, &row.url, signer.as_ref()).await {
        Ok(bundle) => replace(app, actor, row.id, &bundle).await,
        Err(refused) => Err(refused),
    };
    if let Err(refused) = &outcome {
        // Changes no row if the bundle was removed meanwhile.
        trust_bundle::Entity::update_many()
            .col_expr(trust_bundle::Column::LastError, Expr::value(Some(refused.to_string())))
            .filter(trust_bundle::Column::Id.eq(row.id))
            .exec(app.store.db())
            .await?;
    }
    outcome
}

async fn fetched(
    fetch: &dyn Fetch,
    url: &str,
    signer: Option<&Certificate>,
) -> Result<TrustBundle, BundleRefused> {
    let bytes = fetch.get(url, MAX_BUNDLE).await?;
    let signature = signer.cloned().map_or(BundleSignature::Unsigned, BundleSignature::PinnedTo);
    Ok(parse_bundle(&bytes, &signature)?)
}

async fn replace(app: &App, actor: &Actor, id: Uuid, bundle: &TrustBundle) -> Result<(), BundleRefused> {
    use trust_anchor::Column;
    let txn = app.store.begin().await?;
    // Concurrent refreshes wait here; a bundle removed meanwhile stays removed.
    let row = trust_bundle::Entity::find_by_id(id).lock_exclusive().one(&txn).await?;
    let Some(row) = row else { return Ok(()) };
    let known = trust_anchor::Entity::find().filter(Column::BundleId.eq(id)).all(&txn).await?;
    let listed: Vec<String> = bundle.anchors.iter().map(Certificate::fingerprint).collect();
    let gone: Vec<_> = known.iter().filter(|a| !listed.contains(&a.fingerprint)).map(|a| a.id).collect();
    let new: Vec<_> = bundle
        .anchors
        .iter()
        .zip(&listed)
        .filter(|(_, fingerprint)| !known.iter().any(|a| a.fingerprint == **fingerprint))
        .map(|(certificate, _)| anchor(app, &row, certificate))
        .collect();
    if !gone.is_empty() || !new.is_empty() {
        let counts = json!({ "added": new.len(), "removed": gone.len() });
        trust_anchor::Entity::delete_many().filter(Column::Id.is_in(gone)).exec(&txn).await?;
        if !new.is_empty() {
            trust_anchor::Entity::insert_many(new).exec_without_returning(&txn).await?;
        }
        let act = Act::new(event::CHANGED, "trustbundle", id).detail(counts);
        // After the anchors, as everywhere: the order of locks is anchors, then audit chain.
        audit::record(app, &txn, actor, act).await?;
    }
    let mut change = row.into_active_model();
    change.refreshed_at = Set(Some(app.clock.now()));
    change.last_error = Set(None);
    change.update(&txn).await?;
    Ok(app.store.commit_durable(txn).await?)
}

/// Fetches bundles that are older than a day or failed the last time.
pub async fn refresh_due(app: &App, fetch: &dyn Fetch) -> platform::Result<()> {
    use trust_bundle::Column;
    let stale = Condition::any()
        .add(Column::RefreshedAt.lt(app.clock.now() - REFRESH_AFTER))
        .add(Column::LastError.is_not_null());
    let system = Actor { name: "System".into(), ..Actor::default() };
    for row in trust_bundle::Entity::find().filter(stale).all(app.store.db()).await? {
        if let Err(refused) = refresh(app, fetch, &system, &row).await {
            tracing::error!(bundle = row.name, %refused, "a trust bundle could not be refreshed");
        }
    }
    Ok(())
}

/// Checks every hour for bundles to fetch.
pub async fn refresh_forever(app: App, direct: DirectServices, cancel: CancellationToken) {
    let first = std::time::Duration::ZERO;
    chores::every(CHECK_INTERVAL, first, cancel, "trust bundles", || refresh_due(&app, &*direct.fetch)).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_by_plain_http_wants_a_signer_unless_it_comes_from_this_machine() {
        assert!(is_unprotected("http://community.example/anchors.p7b", false));
        assert!(is_unprotected("HTTP://192.0.2.7/anchors.p7b", false));
        assert!(!is_unprotected("http://community.example/anchors.p7m", true));
        for url in [
            "https://community.example/anchors.p7b",
            "http://127.0.0.1:8080/a.p7b",
            "http://[::1]/a",
            "http://localhost/a",
        ] {
            assert!(!is_unprotected(url, false), "{url}");
        }
    }
}
