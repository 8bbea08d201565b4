//! The demo's organizations with their Direct addresses.

use super::reference::{CAREPOST, HARBORLINE, Lists, OWN_HISP, PROFESSIONAL, STANDARD, STAY_CONNECTED};
use anyhow::{Context, Result};
use chrono::{DateTime, Duration, Utc};
use messaging::model::SourceStatus;
use platform::{
    App,
    secret::{random_token, token_hash},
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::json;
use std::collections::HashMap;
use store::entities::{
    document_source::SourceKind, fax_account::ProviderKind, string_list::StringList,
    subscription::BillingStatus,
};
use store::{
    Transaction,
    entities::{
        document_source, fax_account, fax_number, organization, organization_feature,
        release_type::{self, SendType},
        saved_address, subscription,
    },
    organization_names,
};
use uuid::Uuid;

/// The organizations by subdomain.
pub type Practices = HashMap<&'static str, Practice>;

pub struct Practice {
    pub id: Uuid,
    pub name: &'static str,
    /// Ids of the document sources with their addresses.
    pub sources: Vec<(Uuid, String)>,
}

impl Practice {
    /// The address that begins with `local@`, or the first.
    pub fn address(&self, local: &str) -> &str {
        let wanted = self.sources.iter().find(|(_, address)| address.split('@').next() == Some(local));
        wanted.or(self.sources.first()).map_or("", |(_, address)| address)
    }
}

pub const LARKFIELD: &str = "larkfield";
pub const SUMMIT: &str = "summit-ortho";
pub const BAYLINE: &str = "bayline";
pub const TRI_VALLEY: &str = "trivalley";
pub const QUARRY_LAB: &str = "quarrylab";
pub const NORTHGATE: &str = "northgate";
/// Numbers of organizations with prepared names at the beginning and at the end.
pub const FERNHILL: &str = "fernhill";
pub const HOLLIS: &str = "hollis-dental";
pub const IRONWOOD: &str = "ironwood";
pub const JUNIPER: &str = "juniper";
pub const KESTREL: &str = "kestrel";
pub const TARN: &str = "tarn-sleep";
pub const GRANITE: &str = "granite-falls";

/// Subscription of an organization.
#[derive(Clone, Copy, PartialEq)]
enum Subscribed {
    Active,
    /// Cancelled, with a number of days left at the beginning of the demonstration.
    Grace(i64),
    Cancelled,
}

/// An organization as a row of a table.
struct Line {
    name: &'static str,
    sub_domain: &'static str,
    kind: &'static str,
    specialty: &'static str,
    street: &'static str,
    city: &'static str,
    contact: (&'static str, &'static str, &'static str),
    plan: Option<&'static str>,
    reseller: Option<&'static str>,
    network: Option<&'static str>,
    brand: &'static str,
    activated: bool,
    enabled: bool,
    pending_cancellation: bool,
    /// Whether the terms are accepted, and an administrator's identity is proven.
    onboarded: bool,
    subscription: Option<Subscribed>,
    addresses: &'static [(&'static str, &'static str)],
    /// Fax number and its name.
    fax: Option<(&'static str, &'static str)>,
}

const LINE: Line = Line {
    name: "",
    sub_domain: "",
    kind: "Physician Practice",
    specialty: "Family Medicine",
    street: "",
    city: "Larkfield",
    contact: ("", "", ""),
    plan: Some(STANDARD),
    reseller: None,
    network: None,
    brand: CAREPOST,
    activated: true,
    enabled: true,
    pending_cancellation: false,
    onboarded: true,
    subscription: None,
    addresses: &[],
    fax: None,
};

const MERIDIAN: Option<&str> = Some("Meridian Exchange");
const QUARRY_VALLEY: Option<&str> = Some("Quarry Valley Care Network");
const COPPERFIELD: Option<&str> = Some("Copperfield Health IT");
const BLUESTEM: Option<&str> = Some("Bluestem Partners");

/// The organizations of the story.
const MAIN: &[Line] = &[
    Line {
        name: "Larkfield Family Medicine",
        sub_domain: LARKFIELD,
        street: "410 Main Street",
        contact: ("Dana", "Whitfield", "Practice Manager"),
        plan: Some(PROFESSIONAL),
        reseller: BLUESTEM,
        network: MERIDIAN,
        addresses: &[("referrals", "Referrals"), ("records", "Medical records"), ("frontdesk", "Front desk")],
        fax: Some(("+17405550110", "Front desk")),
        ..LINE
    },
    Line {
        name: "Summit Orthopedics",
        subscription: Some(Subscribed::Active),
        sub_domain: SUMMIT,
        specialty: "Orthopedics",
        street: "88 Ridgeline Drive, Suite 200",
        city: "Summit",
        contact: ("Sam", "Okafor-Lund", "Office Manager"),
        plan: Some(STANDARD),
        reseller: BLUESTEM,
        network: MERIDIAN,
        addresses: &[("intake", "Intake"), ("records", "Medical records")],
        fax: Some(("+17405550120", "Intake")),
        ..LINE
    },
    Line {
        name: "Bayline Imaging",
        sub_domain: BAYLINE,
        kind: "Imaging Center",
        specialty: "Radiology",
        street: "5 Harbor Point",
        city: "Bayline",
        contact: ("Nia", "Castellanos", "Director"),
        network: MERIDIAN,
        brand: HARBORLINE,
        activated: false,
        // Calls of such a number are cut off in the middle of a fax.
        fax: Some(("+17405550199", "Scheduling")),
        ..LINE
    },
    Line {
        name: "Tri-Valley Cardiology",
        sub_domain: TRI_VALLEY,
        specialty: "Cardiology",
        street: "2200 Cedar Hollow Road, Suite 310",
        contact: ("Anselm", "Okonkwo", "Physician"),
        network: QUARRY_VALLEY,
        addresses: &[("office", "Office")],
        ..LINE
    },
    Line {
        name: "Quarry Lab Services",
        sub_domain: QUARRY_LAB,
        kind: "Laboratory",
        specialty: "Laboratory Medicine",
        street: "75 Quarry Street",
        contact: ("Lena", "Fairweather", "Laboratory Director"),
        network: QUARRY_VALLEY,
        addresses: &[("results", "Results")],
        ..LINE
    },
    Line {
        name: "Northgate Regional Hospital",
        sub_domain: NORTHGATE,
        kind: "Hospital",
        specialty: "Internal Medicine",
        street: "1 Northgate Plaza",
        city: "Northgate",
        contact: ("Ruth", "Abernathy", "Health Information Manager"),
        plan: Some("Copperfield Enterprise"),
        reseller: COPPERFIELD,
        network: MERIDIAN,
        addresses: &[("him", "Health information management")],
        ..LINE
    },
];

const fn small(
    name: &'static str,
    sub_domain: &'static str,
    specialty: &'static str,
    city: &'static str,
    contact: (&'static str, &'static str),
) -> Line {
    Line {
        name,
        sub_domain,
        specialty,
        city,
        street: "100 Market Street",
        contact: (contact.0, contact.1, "Administrator"),
        ..LINE
    }
}

/// An organization whose onboarding has not begun.
const fn fresh(name: &'static str, sub_domain: &'static str, contact: (&'static str, &'static str)) -> Line {
    Line {
        activated: false,
        onboarded: false,
        ..small(name, sub_domain, "Family Medicine", "Larkfield", contact)
    }
}

/// Organizations that fill the console's list.
const OTHERS: &[Line] = &[
    fresh("Fernhill Family Practice", FERNHILL, ("Fern", "Hadley")),
    Line { brand: HARBORLINE, ..fresh("Hollis Street Dental", HOLLIS, ("Hollis", "Grant")) },
    Line {
        reseller: COPPERFIELD,
        plan: Some("Copperfield Practice"),
        ..fresh("Ironwood Surgical Group", IRONWOOD, ("Ines", "Ferraro"))
    },
    fresh("Juniper Street Pediatrics", JUNIPER, ("Jude", "Merriweather")),
    fresh("Kestrel Point Clinic", KESTREL, ("Kai", "Lindqvist")),
    Line {
        subscription: Some(Subscribed::Cancelled),
        ..small("Tarn Sleep Center", TARN, "Pulmonology", "Tarn", ("Cora", "Blythe"))
    },
    Line {
        pending_cancellation: true,
        subscription: Some(Subscribed::Grace(21)),
        ..small("Granite Falls Podiatry", GRANITE, "Podiatry", "Granite Falls", ("Gwen", "Ashdown"))
    },
    Line {
        network: MERIDIAN,
        ..small("Alder Creek Clinic", "aldercreek", "Family Medicine", "Alder Creek", ("Ivo", "Marsh"))
    },
    Line {
        activated: false,
        ..small("Ashgrove Dermatology", "ashgrove", "Dermatology", "Ashgrove", ("Petra", "Noll"))
    },
    Line {
        plan: Some(STAY_CONNECTED),
        ..small("Birchwood Podiatry", "birchwood", "Podiatry", "Birchwood", ("Ewan", "Tate"))
    },
    Line {
        enabled: false,
        ..small(
            "Brightwater Endocrinology",
            "brightwater",
            "Endocrinology",
            "Brightwater",
            ("Anouk", "Dreyer"),
        )
    },
    Line {
        plan: None,
        activated: false,
        ..small("Cedar Falls Pediatrics", "cedarfalls", "Pediatrics", "Cedar Falls", ("Mira", "Solberg"))
    },
    Line {
        reseller: COPPERFIELD,
        plan: Some("Copperfield Practice"),
        ..small("Crescent Eye Associates", "crescent-eye", "Ophthalmology", "Crescent", ("Hugo", "Lindahl"))
    },
    Line {
        network: QUARRY_VALLEY,
        ..small("Dunmore Rheumatology", "dunmore", "Rheumatology", "Dunmore", ("Salma", "Haddad"))
    },
    Line {
        kind: "Urgent Care",
        activated: false,
        ..small(
            "Eastbridge Urgent Care",
            "eastbridge",
            "Emergency Medicine",
            "Eastbridge",
            ("Cole", "Renner"),
        )
    },
    Line {
        brand: HARBORLINE,
        ..small(
            "Fairhaven Internal Medicine",
            "fairhaven",
            "Internal Medicine",
            "Fairhaven",
            ("Ida", "Kowalski"),
        )
    },
    Line {
        pending_cancellation: true,
        ..small("Foxhollow Allergy", "foxhollow", "Allergy and Immunology", "Foxhollow", ("Bram", "Visser"))
    },
    Line {
        kind: "Pharmacy",
        specialty: "Other",
        ..small("Harbor Point Pharmacy", "harborpoint", "Other", "Bayline", ("June", "Acheson"))
    },
    Line {
        kind: "Home Health Agency",
        brand: HARBORLINE,
        activated: false,
        ..small("Keystone Home Health", "keystone", "Home Health", "Keystone", ("Ada", "Brock"))
    },
    Line {
        reseller: BLUESTEM,
        ..small("Lakeshore Gastroenterology", "lakeshore", "Gastroenterology", "Lakeshore", ("Omar", "Fathi"))
    },
    Line {
        activated: false,
        enabled: false,
        ..small("Linden Neurology", "linden", "Neurology", "Linden", ("Greta", "Munk"))
    },
    Line {
        plan: Some(STAY_CONNECTED),
        ..small(
            "Maple Street Family Care",
            "maplestreet",
            "Family Medicine",
            "Larkfield",
            ("Noel", "Iverson"),
        )
    },
    Line {
        network: MERIDIAN,
        ..small("Meadowbank Pediatrics", "meadowbank", "Pediatrics", "Meadowbank", ("Rosalind", "Peck"))
    },
    Line {
        kind: "Clinic",
        activated: false,
        ..small("Mill Creek Orthopedics", "millcreek", "Orthopedics", "Larkfield", ("Jonas", "Abernathy"))
    },
    Line {
        reseller: COPPERFIELD,
        plan: Some("Copperfield Practice"),
        ..small("Oakridge Nephrology", "oakridge", "Nephrology", "Oakridge", ("Tamsin", "Ward"))
    },
    Line {
        activated: false,
        ..small(
            "Orchard Behavioral Health",
            "orchard-bh",
            "Behavioral Health",
            "Orchard",
            ("Leif", "Sandoval"),
        )
    },
    Line { plan: None, ..small("Pinecrest Urology", "pinecrest", "Urology", "Pinecrest", ("Colm", "Reyes")) },
    Line {
        kind: "Skilled Nursing Facility",
        ..small("Quiet Harbor Nursing", "quietharbor", "Geriatrics", "Bayline", ("Vera", "Stahl"))
    },
    Line {
        activated: false,
        ..small("Redstone Oncology", "redstone", "Oncology", "Redstone", ("Amir", "Sethi"))
    },
    Line {
        network: QUARRY_VALLEY,
        ..small("Riverbend Physical Therapy", "riverbend", "Physical Therapy", "Riverbend", ("Kit", "Oakes"))
    },
    Line {
        kind: "Ambulatory Surgery Center",
        activated: false,
        ..small("Saltmarsh Surgery Center", "saltmarsh", "General Surgery", "Saltmarsh", ("Nadia", "Petrov"))
    },
    Line {
        brand: HARBORLINE,
        ..small("Stonebridge Pulmonology", "stonebridge", "Pulmonology", "Stonebridge", ("Hal", "Finch"))
    },
    Line {
        kind: "Hospital",
        network: MERIDIAN,
        plan: Some(PROFESSIONAL),
        ..small("St. Brannoc Health", "stbrannoc", "Internal Medicine", "Brannoc", ("Maeve", "Doran"))
    },
    Line {
        enabled: false,
        activated: false,
        ..small("Thornhill Otolaryngology", "thornhill", "Otolaryngology", "Thornhill", ("Rafe", "Lowell"))
    },
    Line {
        reseller: BLUESTEM,
        ..small("Vesper Sleep Medicine", "vesper", "Pulmonology", "Vesper", ("Inez", "Quill"))
    },
    Line {
        pending_cancellation: true,
        activated: false,
        ..small(
            "Westfield Women's Health",
            "westfield",
            "Obstetrics and Gynecology",
            "Westfield",
            ("Tova", "Blum"),
        )
    },
    Line {
        kind: "Public Health Agency",
        specialty: "Other",
        activated: false,
        ..small("Willow County Public Health", "willowcounty", "Other", "Willow", ("Gus", "Arden"))
    },
];

const FEATURES: &[&str] = &[
    "OptimizedIntake",
    "IntakeCdaViewer",
    "PatientExtractionAPI",
    "PointClickCareIdentityProvider",
    "WestFaxInterface",
];

/// Loads the organizations into the demonstration that begins at `now`.
pub async fn load(app: &App, txn: &Transaction, lists: &Lists, now: DateTime<Utc>) -> Result<Practices> {
    let mut practices = Practices::new();
    for (line, number) in MAIN.iter().chain(OTHERS).zip(0..) {
        let mut row = organization(app, line, number, lists);
        let id = *row.id.as_ref();
        let subscription = subscribe(&mut row, line, now);
        let name_key = row.name_key.as_ref().clone();
        organization::Entity::insert(row).exec_without_returning(txn).await?;
        organization_names::write(txn, id, &name_key).await?;
        app.keys.create_in(txn, id).await?;
        if let Some(subscription) = subscription {
            subscription::Entity::insert(subscription).exec_without_returning(txn).await?;
        }
        let sources = sources(app, txn, id, line).await?;
        practices.insert(line.sub_domain, Practice { id, name: line.name, sources });
    }
    features(txn, &practices).await?;
    quick_release(txn, &practices).await?;
    saved_addresses(txn, &practices).await?;
    Ok(practices)
}

/// The subscription of an organization, and its consequences.
fn subscribe(
    row: &mut organization::ActiveModel,
    line: &Line,
    now: DateTime<Utc>,
) -> Option<subscription::ActiveModel> {
    let state = line.subscription?;
    let (id, started_at) = (Uuid::now_v7(), *row.created_at.as_ref());
    let (status, ends_at) = match state {
        Subscribed::Active => (BillingStatus::Active, None),
        Subscribed::Grace(days) => (BillingStatus::Ending, Some(now + Duration::days(days))),
        Subscribed::Cancelled => (BillingStatus::Cancelled, Some(now - Duration::days(3))),
    };
    row.subscription_reference = Set(Some(id.to_string()));
    row.is_cancelled = Set(state == Subscribed::Cancelled);
    row.grace_until = Set(ends_at);
    Some(subscription::ActiveModel {
        id: Set(id),
        organization_id: Set(*row.id.as_ref()),
        plan_id: Set(*row.plan_id.as_ref()),
        status: Set(status),
        sealed_cancel_reason: Set(None),
        started_at: Set(started_at),
        cancelled_at: Set(ends_at.map(|at| at - Duration::days(30))),
        ends_at: Set(ends_at),
    })
}

/// Whether the administrators of an organization have completed everything needed to use it.
pub fn is_onboarded(sub_domain: &str) -> bool {
    MAIN.iter().chain(OTHERS).any(|line| line.sub_domain == sub_domain && line.onboarded)
}

/// The practices created by [`load`].
pub async fn find(app: &App) -> Result<Practices> {
    let db = app.store.db();
    let mut practices = Practices::new();
    for line in MAIN.iter().chain(OTHERS) {
        let of_line = organization::Column::SubDomain.eq(line.sub_domain);
        let row = organization::Entity::find().filter(of_line).one(db).await?;
        let id = row.with_context(|| format!("the practice {} is gone", line.name))?.id;
        let sources = document_source::Entity::find()
            .filter(document_source::Column::OrganizationId.eq(id))
            .order_by_asc(document_source::Column::Id)
            .all(db)
            .await?;
        let sources = sources.into_iter().map(|s| (s.id, s.address)).collect();
        practices.insert(line.sub_domain, Practice { id, name: line.name, sources });
    }
    Ok(practices)
}

fn organization(app: &App, line: &Line, number: i64, lists: &Lists) -> organization::ActiveModel {
    let created = app.clock.now() - Duration::days(400 - 10 * number);
    let (first, last, title) = line.contact;
    let phone = format!("(555) 010-{:04}", 200 + number);
    organization::ActiveModel {
        id: Set(Uuid::now_v7()),
        name: Set(line.name.into()),
        name_key: Set(line.name.to_lowercase()),
        sub_domain: Set(line.sub_domain.into()),
        brand_id: Set(lists.brands[line.brand]),
        organization_type_id: Set(Some(lists.types[line.kind])),
        organization_specialty_id: Set(Some(lists.specialties[line.specialty])),
        npi: Set(String::new()),
        emr: Set(String::new()),
        preferred_group_name: Set(String::new()),
        reseller_id: Set(line.reseller.map(|name| lists.resellers[name])),
        plan_id: Set(line.plan.map(|name| lists.plans[name])),
        network_id: Set(line.network.map(|name| lists.networks[name])),
        hisp_provider_id: Set(Some(lists.hisp_providers[OWN_HISP])),
        street: Set(line.street.into()),
        unit: Set(String::new()),
        city: Set(line.city.into()),
        state: Set("OH".into()),
        zip: Set("43999".into()),
        primary_phone: Set(phone.clone()),
        primary_fax: Set(String::new()),
        phone: Set(phone),
        contact_first_name: Set(first.into()),
        contact_last_name: Set(last.into()),
        contact_email: Set(format!("{}@{}.example", first.to_lowercase(), line.sub_domain)),
        contact_title: Set(title.into()),
        contact_npi: Set(String::new()),
        purposes_of_use: Set(StringList::from_iter(["TREAT", "HPAYMT", "HOPERAT"])),
        settings: Set(json!({})),
        is_activated: Set(line.activated),
        is_enabled: Set(line.enabled),
        login_type: Set("Password".into()),
        api_capture: Set(false),
        is_cancelled: Set(false),
        is_pending_cancellation: Set(line.pending_cancellation),
        grace_until: Set(None),
        subscription_reference: Set(None),
        eula_accepted_at: Set(line.onboarded.then_some(created)),
        id_proofed_at: Set(line.onboarded.then_some(created)),
        id_proof_attempt_at: Set(line.onboarded.then_some(created)),
        created_by: Set("Demo data".into()),
        created_at: Set(created),
        modified_by: Set("Demo data".into()),
        modified_at: Set(created),
        deleted_at: Set(None),
        version: Set(1),
    }
}

async fn sources(
    app: &App,
    txn: &Transaction,
    organization_id: Uuid,
    line: &Line,
) -> Result<Vec<(Uuid, String)>> {
    let domain = app.config.direct_domain(line.sub_domain);
    let mut sources = Vec::new();
    for (local, display_name) in line.addresses {
        let (id, address) = (Uuid::now_v7(), format!("{local}@{domain}"));
        document_source::Entity::insert(document_source::ActiveModel {
            id: Set(id),
            organization_id: Set(organization_id),
            kind: Set(SourceKind::Direct),
            address: Set(address.clone()),
            address_key: Set(address.clone()),
            display_name: Set((*display_name).into()),
            status: Set(SourceStatus::Activated),
            created_at: Set(app.clock.now()),
            version: Set(1),
            limits_readers: Set(false),
        })
        .exec_without_returning(txn)
        .await?;
        sources.push((id, address));
    }
    if let Some((number, display_name)) = line.fax {
        let id = fax_source(app, txn, organization_id, number, display_name).await?;
        sources.push((id, number.into()));
    }
    Ok(sources)
}

/// A fax number with its account for calls between numbers of the demonstration.
async fn fax_source(
    app: &App,
    txn: &Transaction,
    organization_id: Uuid,
    number: &str,
    display_name: &str,
) -> Result<Uuid> {
    let (id, account_id, now) = (Uuid::now_v7(), Uuid::now_v7(), app.clock.now());
    let account = fax_account::ActiveModel {
        id: Set(account_id),
        organization_id: Set(organization_id),
        provider: Set(ProviderKind::Embedded),
        settings: Set(Default::default()),
        sealed_secrets: Set(None),
        callback_hash: Set(token_hash(&random_token())),
        poll_at: Set(now),
        polled_at: Set(None),
        problem: Set(None),
        created_at: Set(now),
        modified_at: Set(now),
        version: Set(1),
    };
    fax_account::Entity::insert(account).exec_without_returning(txn).await?;
    let source = document_source::ActiveModel {
        id: Set(id),
        organization_id: Set(organization_id),
        kind: Set(SourceKind::Fax),
        address: Set(number.into()),
        address_key: Set(number.into()),
        display_name: Set(display_name.into()),
        status: Set(SourceStatus::Activated),
        created_at: Set(now),
        version: Set(1),
        limits_readers: Set(false),
    };
    document_source::Entity::insert(source).exec_without_returning(txn).await?;
    let number = fax_number::ActiveModel {
        document_source_id: Set(id),
        organization_id: Set(organization_id),
        account_id: Set(account_id),
        callers: Set(StringList::default()),
        sender_ids: Set(StringList::default()),
        problem: Set(None),
    };
    fax_number::Entity::insert(number).exec_without_returning(txn).await?;
    Ok(id)
}

async fn features(txn: &Transaction, practices: &Practices) -> Result<()> {
    let rows = practices.values().flat_map(|practice| {
        FEATURES.iter().map(|name| organization_feature::ActiveModel {
            organization_id: Set(practice.id),
            name: Set((*name).into()),
        })
    });
    organization_feature::Entity::insert_many(rows).exec_without_returning(txn).await?;
    Ok(())
}

/// A release type of Larkfield with fixed sender and recipient.
async fn quick_release(txn: &Transaction, practices: &Practices) -> Result<()> {
    let larkfield = &practices[LARKFIELD];
    let row = release_type::ActiveModel {
        id: Set(Uuid::now_v7()),
        organization_id: Set(Some(larkfield.id)),
        name: Set("Cardiology referral".into()),
        name_key: Set("cardiology referral".into()),
        send_type: Set(SendType::Original),
        origin_address_id: Set(larkfield.sources.first().map(|(id, _)| *id)),
        destination_address: Set(Some(practices[TRI_VALLEY].address("office").to_owned())),
        classification_code: Set(Some("57133-1".into())),
        subject: Set(Some("Cardiology referral".into())),
        track_fax_responses: Set(false),
        is_retired: Set(false),
        version: Set(1),
    };
    release_type::Entity::insert(row).exec_without_returning(txn).await?;
    Ok(())
}

async fn saved_addresses(txn: &Transaction, practices: &Practices) -> Result<()> {
    let partners = [SUMMIT, TRI_VALLEY, QUARRY_LAB, NORTHGATE].map(|name| &practices[name]);
    let rows = partners.map(|partner| saved_address::ActiveModel {
        organization_id: Set(practices[LARKFIELD].id),
        address: Set(partner.address("").to_owned()),
        name: Set(String::new()),
        company: Set(partner.name.into()),
    });
    saved_address::Entity::insert_many(rows).exec_without_returning(txn).await?;
    Ok(())
}
