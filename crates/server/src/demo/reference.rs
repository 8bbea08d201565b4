//! Brands, resellers, networks, plans and the small lists.

use accounts::onboarding::terms::queries::{brand_scope, version};
use anyhow::Result;
use console::{
    lookups::{API_CAPTURE_SETTING, kind},
    plans::rules::{LICENSING, UNLIMITED},
};
use platform::App;
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::json;
use std::collections::HashMap;
use store::{
    Transaction,
    entities::{
        brand, document_type, network, network_feature, plan, reference_item, release_type, reseller,
        reserved_word, terms,
    },
};
use uuid::Uuid;

/// What organizations refer to, by name.
pub struct Lists {
    pub brands: HashMap<&'static str, Uuid>,
    pub resellers: HashMap<&'static str, Uuid>,
    pub networks: HashMap<&'static str, Uuid>,
    pub plans: HashMap<&'static str, Uuid>,
    pub types: HashMap<&'static str, Uuid>,
    pub specialties: HashMap<&'static str, Uuid>,
    pub hisp_providers: HashMap<&'static str, Uuid>,
}

type Named = HashMap<&'static str, Uuid>;

pub const CAREPOST: &str = "carepost";
pub const HARBORLINE: &str = "harborline";
pub const STANDARD: &str = "Standard";
pub const PROFESSIONAL: &str = "Professional";
pub const STAY_CONNECTED: &str = "Stay Connected";
pub const OWN_HISP: &str = "Carepost Direct";

pub const MERIDIAN_EXCHANGE: &str = "Meridian Exchange";

/// The features of that network: name, the feature it belongs to, and whether it is on.
const NETWORK_FEATURES: &[(&str, Option<&str>, bool)] = &[
    ("SingleSignOn", None, true),
    ("PointClickCareIdentityProvider", Some("SingleSignOn"), true),
    ("SharedDirectory", None, true),
    ("DirectoryOfPartners", Some("SharedDirectory"), false),
    ("AutomatedCarePlans", None, false),
];

/// What the Stay Connected plan leaves out.
const STAY_CONNECTED_LACKS: &[&str] = &["releaseRoute", "send", "reply", "forward", "triage"];

/// A plum palette whose seventh step stands out from white by more than 4.5:1.
const HARBORLINE_COLORS: [&str; 10] = [
    "#F8F0F7", "#EEDDEB", "#DDBAD7", "#CA95C1", "#B974AE", "#A95A9D", "#964489", "#7C3671", "#632A5A",
    "#4A1F43",
];

/// Terms that a brand agrees on with its customers outside the product.
const HARBORLINE_TERMS: &str =
    "<p>The terms of service of Harborline Exchange are part of the agreement with your organization.</p>";

const ORGANIZATION_TYPES: &[&str] = &[
    "Physician Practice",
    "Hospital",
    "Clinic",
    "Laboratory",
    "Imaging Center",
    "Pharmacy",
    "Skilled Nursing Facility",
    "Home Health Agency",
    "Behavioral Health",
    "Urgent Care",
    "Ambulatory Surgery Center",
    "Health Plan",
    "Public Health Agency",
    "Other",
];

const SPECIALTIES: &[&str] = &[
    "Allergy and Immunology",
    "Anesthesiology",
    "Behavioral Health",
    "Cardiology",
    "Dermatology",
    "Emergency Medicine",
    "Endocrinology",
    "Family Medicine",
    "Gastroenterology",
    "General Surgery",
    "Geriatrics",
    "Home Health",
    "Internal Medicine",
    "Laboratory Medicine",
    "Nephrology",
    "Neurology",
    "Obstetrics and Gynecology",
    "Oncology",
    "Ophthalmology",
    "Orthopedics",
    "Otolaryngology",
    "Pediatrics",
    "Physical Therapy",
    "Podiatry",
    "Pulmonology",
    "Radiology",
    "Rheumatology",
    "Urology",
    "Other",
];

/// LOINC codes of document kinds, with their plain names.
const CLASSIFICATIONS: &[(&str, &str)] = &[
    ("57133-1", "Referral note"),
    ("11488-4", "Consultation note"),
    ("34133-9", "Summary of care"),
    ("18842-5", "Discharge summary"),
    ("11506-3", "Progress note"),
    ("11502-2", "Laboratory report"),
    ("18748-4", "Imaging report"),
    ("11504-8", "Operative note"),
    ("52033-8", "General correspondence"),
];

const DOCUMENT_TYPES: &[&str] = &[
    "Advance directive",
    "Consent",
    "Consultation",
    "Discharge summary",
    "ED summary",
    "History and physical",
    "Imaging report",
    "Immunizations",
    "Insurance",
    "Laboratory results",
    "Medication list",
    "Operative note",
    "Outside records",
    "Pathology",
    "Plan of care",
    "Prescription",
    "Progress note",
    "Referral",
    "Summary of care",
];

/// Name and classification.
const RELEASE_TYPES: &[(&str, Option<&str>)] = &[
    ("Referral", Some("57133-1")),
    ("Consultation report", Some("11488-4")),
    ("Summary of care", Some("34133-9")),
    ("Discharge summary", Some("18842-5")),
    ("Laboratory results", Some("11502-2")),
    ("Imaging report", Some("18748-4")),
    ("Records request response", Some("52033-8")),
    ("Other", None),
];

const RESERVED_WORDS: &[&str] = &[
    "abuse",
    "account",
    "admin",
    "api",
    "app",
    "assets",
    "billing",
    "console",
    "demo",
    "direct",
    "dns",
    "ftp",
    "help",
    "imap",
    "localhost",
    "login",
    "mail",
    "mx",
    "ns1",
    "ns2",
    "pop",
    "postmaster",
    "root",
    "security",
    "smtp",
    "status",
    "support",
    "system",
    "test",
    "webmail",
    "www",
];

pub async fn load(app: &App, txn: &Transaction) -> Result<Lists> {
    let resellers = resellers(txn).await?;
    let lists = Lists {
        brands: brands(app, txn).await?,
        networks: networks(app, txn).await?,
        plans: plans(txn, &resellers).await?,
        resellers,
        types: items(txn, kind::ORGANIZATION_TYPE, ORGANIZATION_TYPES).await?,
        specialties: items(txn, kind::ORGANIZATION_SPECIALTY, SPECIALTIES).await?,
        hisp_providers: items(txn, kind::HISP_PROVIDER, &[OWN_HISP, "Meridian HISP"]).await?,
    };
    classifications(txn).await?;
    document_types(txn).await?;
    release_types(txn).await?;
    reserved_words(txn).await?;
    crate::installation::claim(txn, API_CAPTURE_SETTING, "true").await?;
    Ok(lists)
}

fn ids(names: &[&'static str]) -> Named {
    names.iter().map(|name| (*name, Uuid::now_v7())).collect()
}

async fn brands(app: &App, txn: &Transaction) -> Result<Named> {
    let ids = ids(&[CAREPOST, HARBORLINE]);
    let row = |name: &'static str, display: &str, colors: &[&str]| brand::ActiveModel {
        id: Set(ids[name]),
        name: Set(name.into()),
        display_name: Set(display.into()),
        colors: Set(json!(colors)),
        settings: Set(json!({})),
        has_own_terms: Set(name == HARBORLINE),
    };
    let rows = [row(CAREPOST, "Carepost", &[]), row(HARBORLINE, "Harborline Exchange", &HARBORLINE_COLORS)];
    brand::Entity::insert_many(rows).exec_without_returning(txn).await?;
    let scope = brand_scope(ids[HARBORLINE]);
    let own = version(Uuid::now_v7(), &scope, "2.1", HARBORLINE_TERMS, app.clock.now());
    terms::Entity::insert(own).exec_without_returning(txn).await?;
    Ok(ids)
}

async fn resellers(txn: &Transaction) -> Result<Named> {
    let kinds = [("Copperfield Health IT", LICENSING), ("Bluestem Partners", "Affiliate")];
    let ids = ids(&kinds.map(|(name, _)| name));
    let rows = kinds.map(|(name, kind)| reseller::ActiveModel {
        id: Set(ids[name]),
        name: Set(name.into()),
        kind: Set(kind.into()),
        bypass_tos: Set(kind == LICENSING),
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

/// Name, tier, users, what it lacks, and who sells it.
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
        tier_code: Set(tier.into()),
        allowed_users: Set(users),
        restricted: Set(json!(restricted)),
        reseller_id: Set(reseller),
        is_free: Set(false),
    });
    plan::Entity::insert_many(rows).exec_without_returning(txn).await?;
    Ok(ids)
}

async fn items(txn: &Transaction, kind: &str, names: &[&'static str]) -> Result<Named> {
    let ids = ids(names);
    let rows = names.iter().zip(1..).map(|(name, position)| item(ids[name], kind, name, name, position));
    reference_item::Entity::insert_many(rows).exec_without_returning(txn).await?;
    Ok(ids)
}

fn item(id: Uuid, kind: &str, code: &str, name: &str, position: i32) -> reference_item::ActiveModel {
    reference_item::ActiveModel {
        id: Set(id),
        kind: Set(kind.into()),
        code: Set(code.into()),
        name: Set(name.into()),
        position: Set(position),
    }
}

async fn classifications(txn: &Transaction) -> Result<()> {
    let row = |((code, name), position): (&(&str, &str), i32)| {
        item(Uuid::now_v7(), "classification", code, name, position)
    };
    let rows = CLASSIFICATIONS.iter().zip(1..).map(row);
    reference_item::Entity::insert_many(rows).exec_without_returning(txn).await?;
    Ok(())
}

async fn document_types(txn: &Transaction) -> Result<()> {
    let rows = DOCUMENT_TYPES.iter().map(|name| document_type::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(None),
        name: Set((*name).into()),
        source: Set("System".into()),
    });
    document_type::Entity::insert_many(rows).exec_without_returning(txn).await?;
    Ok(())
}

/// A release type; without an organization it is the system's.
pub fn release_type(name: &str, classification: Option<&str>) -> release_type::ActiveModel {
    release_type::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(None),
        name: Set(name.into()),
        send_type: Set("Original".into()),
        origin_address_id: Set(None),
        destination_address: Set(None),
        classification_code: Set(classification.map(Into::into)),
        conversion: Set(None),
        subject: Set(None),
        track_fax_responses: Set(false),
    }
}

async fn release_types(txn: &Transaction) -> Result<()> {
    let rows = RELEASE_TYPES.iter().map(|(name, code)| release_type(name, *code));
    release_type::Entity::insert_many(rows).exec_without_returning(txn).await?;
    Ok(())
}

async fn reserved_words(txn: &Transaction) -> Result<()> {
    let rows = RESERVED_WORDS.iter().map(|name| reserved_word::ActiveModel {
        id: Set(Uuid::now_v7()),
        name: Set((*name).into()),
        name_key: Set((*name).into()),
        profanity: Set(false),
    });
    reserved_word::Entity::insert_many(rows).exec_without_returning(txn).await?;
    Ok(())
}
