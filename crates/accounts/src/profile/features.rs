//! Feature toggles. They are read anew on every call, so that a switch takes effect at once on every node.

use platform::{
    App, Result,
    network_features::{self, Switch},
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, SelectExt,
};
use std::collections::HashSet;
use store::entities::{feature, organization, organization_feature};
use uuid::Uuid;

/// Every feature that the product uses, by name.
pub const KNOWN: &[&str] = &[
    "OptimizedIntake",
    "IntakeCdaViewer",
    "PatientExtractionAPI",
    "AutomatedCarePlans",
    SINGLE_SIGN_ON,
    "WestFaxInterface",
    "DirectInterface",
];

/// The features that are on in a new installation.
const AT_FIRST: [&str; 3] = ["OptimizedIntake", "IntakeCdaViewer", "PatientExtractionAPI"];

/// Switches on the features of a new installation. It does nothing once there is an organization, or an operator has
/// changed a feature.
pub async fn begin(app: &App) -> Result<()> {
    let db = app.store.db();
    if organization::Entity::find().exists(db).await?
        || organization_feature::Entity::find().exists(db).await?
    {
        return Ok(());
    }
    feature::Entity::update_many()
        .set(feature::ActiveModel {
            is_organization_feature: Set(false),
            modified_at: Set(app.clock.now()),
            version: Set(2),
            ..Default::default()
        })
        .filter(feature::Column::Name.is_in(AT_FIRST))
        .filter(feature::Column::IsOrganizationFeature.eq(true))
        .filter(feature::Column::Version.eq(1))
        .exec(db)
        .await?;
    Ok(())
}

/// The feature for connecting a sign-in provider. Networks may switch it too.
pub const SINGLE_SIGN_ON: &str = "PointClickCareIdentityProvider";

/// The features that are on for an organization; without one, those that are on for all.
pub async fn enabled(
    db: &impl ConnectionTrait,
    organization_id: impl Into<Option<Uuid>>,
) -> Result<HashSet<String>> {
    let organization_id = organization_id.into();
    let mut names = switched(db, organization_id).await?;
    if let Some(id) = organization_id {
        match network_features::of(db, id, Switch::SingleSignOn).await? {
            Some(true) => {
                names.insert(SINGLE_SIGN_ON.into());
            }
            Some(false) => {
                names.remove(SINGLE_SIGN_ON);
            }
            None => {}
        }
    }
    Ok(names)
}

/// Features that operators switched on, for everybody or for the organization.
async fn switched(db: &impl ConnectionTrait, organization_id: Option<Uuid>) -> Result<HashSet<String>> {
    let own = organization_feature::Entity::find()
        .filter(organization_feature::Column::OrganizationId.eq(organization_id.unwrap_or_default()))
        .select_only()
        .column(organization_feature::Column::Name)
        .into_query();
    let names: Vec<String> = feature::Entity::find()
        .filter(feature::Column::IsEnabled.eq(true))
        .filter(
            Condition::any()
                .add(feature::Column::IsOrganizationFeature.eq(false))
                .add(feature::Column::Name.in_subquery(own)),
        )
        .select_only()
        .column(feature::Column::Name)
        .into_tuple()
        .all(db)
        .await?;
    Ok(names.into_iter().collect())
}

/// The names of all features, sorted.
pub async fn all(db: &impl ConnectionTrait) -> Result<Vec<String>> {
    let names = feature::Entity::find().order_by_asc(feature::Column::NameKey).select_only();
    Ok(names.column(feature::Column::Name).into_tuple().all(db).await?)
}
