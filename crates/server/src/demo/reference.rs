//! Brands, resellers, networks and plans. The small lists are those of every installation.

use accounts::{onboarding::terms::queries::version, plan::UNLIMITED, reference_items::kind};
use anyhow::{Context, Result};
use console::{brands::colors::palette, lookups::API_CAPTURE_SETTING};
use platform::{App, terms::brand_scope};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use std::collections::HashMap;
use store::entities::{brand::BrandSettings, reseller::ResellerKind};
use store::{
    Transaction,
    entities::{brand, network, network_feature, plan, reference_item, reseller, terms},
};
use uuid::Uuid;

/// Ids that organizations refer to, by name.
pub struct Lists {
    pub brands: HashMap<&'static str, Uuid>,
    pub resellers: HashMap<&'static str, Uuid>,
    pub networks: HashMap<&'static str, Uuid>,
    pub plans: HashMap<&'static str, Uuid>,
    pub types: HashMap<String, Uuid>,
    pub specialties: HashMap<String, Uuid>,
    pub hisp_providers: HashMap<String, Uuid>,
}

type Named = HashMap<&'static str, Uuid>;

pub const CAREPOST: &str = "carepost";
pub const HARBORLINE: &str = "harborline";
pub const STANDARD: &str = "Standard";
pub const PROFESSIONAL: &str = "Professional";
pub const STAY_CONNECTED: &str = "Stay Connected";
pub const OWN_HISP: &str = "Carepost Direct";

pub const MERIDIAN_EXCHANGE: &str = "Meridian Exchange";

/// The features of that network: name, parent feature, and whether it is on.
const NETWORK_FEATURES: &[(&str, Option<&str>, bool)] =
    &[("SingleSignOn", None, true), ("Referrals", None, true)];

/// Functions that the Stay Connected plan excludes.
const STAY_CONNECTED_LACKS: &[&str] =
    &["releaseRoute", "send", "reply", "forward", "triage", "structuredExport"];

/// A plum colour.
const HARBORLINE_COLOR: &str = "#7C3671";
/// Browsers resolve every name below `localhost` to this machine.
const HARBORLINE_HOST: &str = "harborline.localhost";

/// Terms that a brand agrees with its customers outside the product.
const HARBORLINE_TERMS: &str =
    "<p>The terms of service of Harborline Exchange are part of the agreement with your organization.</p>";

pub async fn load(app: &App, txn: &Transaction) -> Result<Lists> {
    let resellers = resellers(txn).await?;
    partner_hisp(txn).await?;
    let lists = Lists {
        brands: brands(app, txn).await?,
        networks: networks(app, txn).await?,
        plans: plans(txn, &resellers).await?,
        resellers,
        types: items(txn, kind::ORGANIZATION_TYPE).await?,
        specialties: items(txn, kind::ORGANIZATION_SPECIALTY).await?,
        hisp_providers: items(txn, kind::HISP_PROVIDER).await?,
    };
    crate::installation::claim(txn, API_CAPTURE_SETTING, "true").await?;
    Ok(lists)
}

fn ids(names: &[&'static str]) -> Named {
    names.iter().map(|name| (*name, Uuid::now_v7())).collect()
}

async fn brands(app: &App, txn: &Transaction) -> Result<Named> {
    let first = brand::Entity::find().filter(brand::Column::Name.eq(CAREPOST)).one(txn).await?;
    let carepost = first.context("an installation begins with a brand")?.id;
    let ids: Named = [(CAREPOST, carepost), (HARBORLINE, Uuid::now_v7())].into();
    let harborline = brand::ActiveModel {
        id: Set(ids[HARBORLINE]),
        name: Set(HARBORLINE.into()),
        display_name: Set("Harborline Exchange".into()),
        color: Set(HARBORLINE_COLOR.into()),
        colors: Set(palette(HARBORLINE_COLOR).context("a colour")?),
        hosts: Set([HARBORLINE_HOST].into_iter().collect()),
        logo_digest: Set(String::new()),
        settings: Set(BrandSettings::default()),
        has_own_terms: Set(true),
        version: Set(1),
    };
    brand::Entity::insert(harborline).exec_without_returning(txn).await?;
    let scope = brand_scope(ids[HARBORLINE]);
    let own = version(Uuid::now_v7(), &scope, "2.1", HARBORLINE_TERMS, app.clock.now());
    terms::Entity::insert(own).exec_without_returning(txn).await?;
    Ok(ids)
}

async fn resellers(txn: &Transaction) -> Result<Named> {
    let kinds =
        [("Copperfield Health IT", ResellerKind::Licensing), ("Bluestem Partners", ResellerKind::Affiliate)];
    let ids = ids(&kinds.map(|(name, _)| name));
    let rows = kinds.map(|(name, kind)| reseller::ActiveModel {
        id: Set(ids[name]),
        name: Set(name.into()),
        name_key: Set(name.to_lowercase()),
        kind: Set(kind),
        bypass_tos: Set(kind == ResellerKind::Licensing),
        version: Set(1),
    });
    reseller::Entity::insert_many(rows).exec_without_returning(txn).await?;
    Ok(ids)
}

async fn networks(app: &App, txn: &Transaction) -> Result<Named> {
    let ids = ids(&[MERIDIAN_EXCHANGE, "Quarry Valley Care Network"]);
    let rows = ids.iter().map(|(name, id)| network::ActiveModel {
        id: Set(*id),
        name: Set((*name).into()),
        name_key: Set(name.to_lowercase()),
        version: Set(1),
        created_at: Set(Some(app.clock.now())),
    });
    network::Entity::insert_many(rows).exec_without_returning(txn).await?;
    let features = (0..).zip(NETWORK_FEATURES);
    let rows = features.map(|(position, (name, parent, is_enabled))| network_feature::ActiveModel {
        network_id: Set(ids[MERIDIAN_EXCHANGE]),
        name: Set((*name).into()),
        parent: Set(parent.map(Into::into)),
        is_enabled: Set(*is_enabled),
        position: Set(position),
    });
    network_feature::Entity::insert_many(rows).exec_without_returning(txn).await?;
    Ok(ids)
}

/// Name, tier, users, excluded functions, and reseller.
type SamplePlan = (&'static str, &'static str, i32, &'static [&'static str], Option<Uuid>);

async fn plans(txn: &Transaction, resellers: &Named) -> Result<Named> {
    let licenser = resellers["Copperfield Health IT"];
    let all: [SamplePlan; 5] = [
        (STAY_CONNECTED, "T0", 1, STAY_CONNECTED_LACKS, None),
        (STANDARD, "T1", 10, &[], None),
        (PROFESSIONAL, "T2", UNLIMITED, &[], None),
        ("Copperfield Practice", "C1", 25, &[], Some(licenser)),
        ("Copperfield Enterprise", "C2", UNLIMITED, &[], Some(licenser)),
    ];
    let ids = ids(&all.map(|p| p.0));
    let rows = all.map(|(name, tier, users, restricted, reseller)| plan::ActiveModel {
        id: Set(ids[name]),
        name: Set(name.into()),
        name_key: Set(name.to_lowercase()),
        tier_code: Set(tier.into()),
        allowed_users: Set(users),
        restricted: Set(restricted.iter().copied().collect()),
        reseller_id: Set(reseller),
        is_free: Set(false),
        is_retired: Set(false),
        version: Set(1),
    });
    plan::Entity::insert_many(rows).exec_without_returning(txn).await?;
    Ok(ids)
}

/// An entry of a list that every installation has, by name.
async fn items(txn: &Transaction, kind: &str) -> Result<HashMap<String, Uuid>> {
    let rows = reference_item::Entity::find().filter(reference_item::Column::Kind.eq(kind)).all(txn).await?;
    Ok(rows.into_iter().map(|row| (row.name, row.id)).collect())
}

/// Another provider of Direct addresses.
async fn partner_hisp(txn: &Transaction) -> Result<()> {
    let row = reference_item::ActiveModel {
        id: Set(Uuid::now_v7()),
        kind: Set(kind::HISP_PROVIDER.into()),
        code: Set("meridian".into()),
        name: Set("Meridian HISP".into()),
        name_key: Set("meridian hisp".into()),
        position: Set(2),
        version: Set(1),
        is_retired: Set(false),
    };
    reference_item::Entity::insert(row).exec_without_returning(txn).await?;
    Ok(())
}
