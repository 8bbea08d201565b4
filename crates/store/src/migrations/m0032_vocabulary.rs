//! Lists edited by operators: versions and keys for their rows, and the standard vocabulary of a new installation. A
//! list with rows is not changed.

use crate::dialect::byte_order;
use sea_orm::{FromQueryResult, Statement};
use sea_orm_migration::{prelude::*, schema::*};
use std::collections::HashSet;
use uuid::Uuid;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0032_vocabulary"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for table in ["reserved_word", "reference_item", "carequality_entry"] {
            add_column(m, table, integer("version").default(1).to_owned()).await?;
        }
        let key = ColumnDef::new("name_key")
            .string()
            .not_null()
            .default("")
            .extra(byte_order(m.get_database_backend()))
            .to_owned();
        add_column(m, "reference_item", key).await?;
        name_keys(m).await?;
        m.create_index(
            Index::create()
                .name("ux_reference_item_kind_name_key")
                .table("reference_item")
                .col("kind")
                .col("name_key")
                .unique()
                .to_owned(),
        )
        .await?;
        for (kind, items) in [
            ("organization_type", ORGANIZATION_TYPES),
            ("organization_specialty", SPECIALTIES),
            ("classification", CLASSIFICATIONS),
            ("hisp_provider", HISP_PROVIDERS),
        ] {
            fill_kind(m, kind, items).await?;
        }
        first_brand(m).await?;
        reserved_words(m).await?;
        document_types(m).await?;
        release_types(m).await
    }
}

/// SQLite adds one column at a time.
pub(super) async fn add_column(
    m: &SchemaManager<'_>,
    table: &'static str,
    column: ColumnDef,
) -> Result<(), DbErr> {
    m.alter_table(Table::alter().table(table).add_column(column).to_owned()).await
}

#[derive(FromQueryResult)]
struct Named {
    id: Uuid,
    kind: String,
    name: String,
}

async fn name_keys(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    let (db, backend) = (m.get_connection(), m.get_database_backend());
    let all = Query::select()
        .columns(["id", "kind", "name"])
        .from("reference_item")
        .order_by("id", Order::Asc)
        .to_owned();
    let mut taken = HashSet::new();
    for row in Named::find_by_statement(backend.build(&all)).all(db).await? {
        let mut key = row.name.trim().to_lowercase();
        if !taken.insert((row.kind, key.clone())) {
            key = format!("{key} {}", row.id.simple());
        }
        let update = Query::update()
            .table("reference_item")
            .value("name_key", key)
            .and_where(Expr::col("id").eq(row.id))
            .to_owned();
        let statement: Statement = backend.build(&update);
        db.execute_raw(statement).await?;
    }
    Ok(())
}

async fn is_empty(m: &SchemaManager<'_>, table: &'static str, condition: Expr) -> Result<bool, DbErr> {
    let any = Query::select().column("id").from(table).and_where(condition).limit(1).to_owned();
    let statement: Statement = m.get_database_backend().build(&any);
    Ok(m.get_connection().query_one_raw(statement).await?.is_none())
}

/// Code and name.
pub(super) type Item = (&'static str, &'static str);

pub(super) async fn fill_kind(
    m: &SchemaManager<'_>,
    kind: &'static str,
    items: &[Item],
) -> Result<(), DbErr> {
    if !is_empty(m, "reference_item", Expr::col("kind").eq(kind)).await? {
        return Ok(());
    }
    let mut insert = Query::insert()
        .into_table("reference_item")
        .columns(["id", "kind", "code", "name", "name_key", "position"])
        .to_owned();
    for (position, (code, name)) in (1_i32..).zip(items) {
        // "Other" comes last.
        let position = if *name == "Other" { 1_000 } else { position };
        insert.values_panic([
            Uuid::now_v7().into(),
            kind.into(),
            (*code).into(),
            (*name).into(),
            name.to_lowercase().into(),
            position.into(),
        ]);
    }
    m.execute(insert).await
}

/// An organization needs a brand, so there is an initial one.
async fn first_brand(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    if !is_empty(m, "brand", Expr::val(true)).await? {
        return Ok(());
    }
    let insert = Query::insert()
        .into_table("brand")
        .columns(["id", "name", "display_name", "colors", "settings", "has_own_terms"])
        .values_panic([
            Uuid::now_v7().into(),
            "carepost".into(),
            "Carepost".into(),
            serde_json::json!([]).into(),
            serde_json::json!({}).into(),
            false.into(),
        ])
        .to_owned();
    m.execute(insert).await
}

async fn reserved_words(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    if !is_empty(m, "reserved_word", Expr::val(true)).await? {
        return Ok(());
    }
    let mut insert = Query::insert()
        .into_table("reserved_word")
        .columns(["id", "name", "name_key", "profanity"])
        .to_owned();
    for name in RESERVED_WORDS {
        insert.values_panic([Uuid::now_v7().into(), (*name).into(), (*name).into(), false.into()]);
    }
    m.execute(insert).await
}

async fn document_types(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    if !is_empty(m, "document_type", Expr::col("organization_id").is_null()).await? {
        return Ok(());
    }
    let mut insert = Query::insert().into_table("document_type").columns(["id", "name", "source"]).to_owned();
    for name in DOCUMENT_TYPES {
        insert.values_panic([Uuid::now_v7().into(), (*name).into(), "System".into()]);
    }
    m.execute(insert).await
}

async fn release_types(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    if !is_empty(m, "release_type", Expr::col("organization_id").is_null()).await? {
        return Ok(());
    }
    let mut insert = Query::insert()
        .into_table("release_type")
        .columns(["id", "name", "send_type", "classification_code", "track_fax_responses"])
        .to_owned();
    for (name, classification) in RELEASE_TYPES {
        insert.values_panic([
            Uuid::now_v7().into(),
            (*name).into(),
            "Original".into(),
            (*classification).into(),
            false.into(),
        ]);
    }
    m.execute(insert).await
}

/// Providers of Direct addresses: initially this installation.
const HISP_PROVIDERS: &[Item] = &[("carepost", "Carepost Direct")];

const ORGANIZATION_TYPES: &[Item] = &[
    ("physician-practice", "Physician Practice"),
    ("hospital", "Hospital"),
    ("clinic", "Clinic"),
    ("laboratory", "Laboratory"),
    ("imaging-center", "Imaging Center"),
    ("pharmacy", "Pharmacy"),
    ("skilled-nursing-facility", "Skilled Nursing Facility"),
    ("home-health-agency", "Home Health Agency"),
    ("hospice", "Hospice"),
    ("behavioral-health", "Behavioral Health"),
    ("urgent-care", "Urgent Care"),
    ("ambulatory-surgery-center", "Ambulatory Surgery Center"),
    ("dental-practice", "Dental Practice"),
    ("community-health-center", "Community Health Center"),
    ("health-information-exchange", "Health Information Exchange"),
    ("health-plan", "Health Plan"),
    ("public-health-agency", "Public Health Agency"),
    ("other", "Other"),
];

/// Groups of the Health Care Provider Taxonomy (NUCC), by their codes.
const SPECIALTIES: &[Item] = &[
    ("207K00000X", "Allergy and Immunology"),
    ("207L00000X", "Anesthesiology"),
    ("231H00000X", "Audiology"),
    ("101YM0800X", "Behavioral Health"),
    ("207RC0000X", "Cardiology"),
    ("111N00000X", "Chiropractic"),
    ("208C00000X", "Colon and Rectal Surgery"),
    ("122300000X", "Dentistry"),
    ("207N00000X", "Dermatology"),
    ("207P00000X", "Emergency Medicine"),
    ("207RE0101X", "Endocrinology"),
    ("207Q00000X", "Family Medicine"),
    ("207RG0100X", "Gastroenterology"),
    ("208D00000X", "General Practice"),
    ("208600000X", "General Surgery"),
    ("207RG0300X", "Geriatrics"),
    ("207RH0003X", "Hematology and Oncology"),
    ("251E00000X", "Home Health"),
    ("251G00000X", "Hospice Care"),
    ("208M00000X", "Hospital Medicine"),
    ("207RI0200X", "Infectious Disease"),
    ("207R00000X", "Internal Medicine"),
    ("291U00000X", "Laboratory Medicine"),
    ("207SG0201X", "Medical Genetics"),
    ("193200000X", "Multi-Specialty"),
    ("207RN0300X", "Nephrology"),
    ("207T00000X", "Neurological Surgery"),
    ("2084N0400X", "Neurology"),
    ("207U00000X", "Nuclear Medicine"),
    ("133V00000X", "Nutrition"),
    ("207V00000X", "Obstetrics and Gynecology"),
    ("225X00000X", "Occupational Therapy"),
    ("207RX0202X", "Oncology"),
    ("207W00000X", "Ophthalmology"),
    ("152W00000X", "Optometry"),
    ("204E00000X", "Oral and Maxillofacial Surgery"),
    ("207X00000X", "Orthopedics"),
    ("207Y00000X", "Otolaryngology"),
    ("208VP0000X", "Pain Medicine"),
    ("207ZP0102X", "Pathology"),
    ("208000000X", "Pediatrics"),
    ("183500000X", "Pharmacy"),
    ("208100000X", "Physical Medicine and Rehabilitation"),
    ("225100000X", "Physical Therapy"),
    ("208200000X", "Plastic Surgery"),
    ("213E00000X", "Podiatry"),
    ("2084P0800X", "Psychiatry"),
    ("103T00000X", "Psychology"),
    ("207RP1001X", "Pulmonology"),
    ("2085R0001X", "Radiation Oncology"),
    ("2085R0202X", "Radiology"),
    ("207RR0500X", "Rheumatology"),
    ("235Z00000X", "Speech-Language Pathology"),
    ("208G00000X", "Thoracic Surgery"),
    ("261QU0200X", "Urgent Care"),
    ("208800000X", "Urology"),
    ("2086S0129X", "Vascular Surgery"),
    ("other", "Other"),
];

/// LOINC codes of document kinds, with their plain names.
const CLASSIFICATIONS: &[Item] = &[
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

/// Name and its classification.
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

/// Names that resemble parts of the installation, and mailboxes that RFC 2142 reserves for its operator.
const RESERVED_WORDS: &[&str] = &[
    "abuse",
    "account",
    "admin",
    "administrator",
    "api",
    "app",
    "assets",
    "autoconfig",
    "autodiscover",
    "billing",
    "console",
    "demo",
    "direct",
    "dns",
    "ftp",
    "help",
    "hostmaster",
    "imap",
    "info",
    "localhost",
    "login",
    "mail",
    "mta-sts",
    "mx",
    "noc",
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
    "webmaster",
    "www",
];
