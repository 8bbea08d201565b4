//! Document types, release types, plans and resellers become lists edited by operators, entries can be retired, and
//! the purposes of use join the standard vocabulary.

use super::m0032_vocabulary::{add_column, fill_kind};
use crate::dialect::byte_order;
use sea_orm::{FromQueryResult, Statement};
use sea_orm_migration::{prelude::*, schema::*};
use std::collections::HashSet;
use uuid::Uuid;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0033_lists"
    }
}

const EDITED: [&str; 4] = ["document_type", "release_type", "plan", "reseller"];

/// Entries of an organization are separate from the operators' and may have the same name.
const INDEXES: [&str; 5] = [
    "CREATE UNIQUE INDEX ux_document_type_name_key ON document_type (name_key) WHERE organization_id IS NULL",
    "CREATE UNIQUE INDEX ux_release_type_name_key ON release_type (name_key) WHERE organization_id IS NULL",
    "CREATE UNIQUE INDEX ux_plan_name_key ON plan (name_key)",
    "CREATE UNIQUE INDEX ux_reseller_name_key ON reseller (name_key)",
    "CREATE UNIQUE INDEX ux_reference_item_code ON reference_item (kind, code) \
     WHERE kind IN ('classification', 'purpose_of_use')",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for table in EDITED {
            let key = ColumnDef::new("name_key")
                .string()
                .not_null()
                .default("")
                .extra(byte_order(m.get_database_backend()))
                .to_owned();
            add_column(m, table, key).await?;
            add_column(m, table, integer("version").default(1).to_owned()).await?;
            name_keys(m, table).await?;
        }
        for table in ["reference_item", "release_type", "plan"] {
            add_column(m, table, boolean("is_retired").default(false).to_owned()).await?;
        }
        add_column(m, "document_type", string("code").default("").to_owned()).await?;
        for statement in INDEXES {
            m.get_connection().execute_unprepared(statement).await?;
        }
        loinc_codes(m).await?;
        fill_kind(m, "purpose_of_use", PURPOSES_OF_USE).await
    }
}

#[derive(FromQueryResult)]
struct Named {
    id: Uuid,
    name: String,
}

/// Of two rows with the same name the later one gets a different key.
async fn name_keys(m: &SchemaManager<'_>, table: &'static str) -> Result<(), DbErr> {
    let (db, backend) = (m.get_connection(), m.get_database_backend());
    let all = Query::select().columns(["id", "name"]).from(table).order_by("id", Order::Asc).to_owned();
    let mut taken = HashSet::new();
    for row in Named::find_by_statement(backend.build(&all)).all(db).await? {
        let mut key = row.name.trim().to_lowercase();
        if !taken.insert(key.clone()) {
            key = format!("{key} {}", row.id.simple());
        }
        let update = Query::update()
            .table(table)
            .value("name_key", key)
            .and_where(Expr::col("id").eq(row.id))
            .to_owned();
        let statement: Statement = backend.build(&update);
        db.execute_raw(statement).await?;
    }
    Ok(())
}

async fn loinc_codes(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    for (name, code) in LOINC_CODES {
        let update = Query::update()
            .table("document_type")
            .value("code", *code)
            .and_where(Expr::col("name").eq(*name))
            .and_where(Expr::col("organization_id").is_null())
            .to_owned();
        m.execute(update).await?;
    }
    Ok(())
}

/// Document types of the installation by LOINC code. "Outside records" has none, since they are of any kind.
const LOINC_CODES: &[(&str, &str)] = &[
    ("Advance directive", "42348-3"),
    ("Consent", "59284-0"),
    ("Consultation", "11488-4"),
    ("Discharge summary", "18842-5"),
    ("ED summary", "34111-5"),
    ("History and physical", "34117-2"),
    ("Imaging report", "18748-4"),
    ("Immunizations", "11369-6"),
    ("Insurance", "64290-0"),
    ("Laboratory results", "11502-2"),
    ("Medication list", "10160-0"),
    ("Operative note", "11504-8"),
    ("Pathology", "11526-1"),
    ("Plan of care", "18776-5"),
    ("Prescription", "57833-6"),
    ("Progress note", "11506-3"),
    ("Referral", "57133-1"),
    ("Summary of care", "34133-9"),
];

/// The value set PurposeOfUse of HL7 Version 3.
const PURPOSES_OF_USE: &[(&str, &str)] = &[
    ("TREAT", "Treatment"),
    ("ETREAT", "Emergency treatment"),
    ("ERTREAT", "Emergency room treatment"),
    ("BTG", "Break the glass"),
    ("COC", "Coordination of care"),
    ("CAREMGT", "Care management"),
    ("POPHLTH", "Population health"),
    ("CLINTRL", "Clinical trial"),
    ("HPAYMT", "Healthcare payment"),
    ("CLMATTCH", "Claim attachment"),
    ("COVAUTH", "Coverage authorization"),
    ("COVERAGE", "Coverage under a policy or program"),
    ("ELIGDTRM", "Eligibility determination"),
    ("ELIGVER", "Eligibility verification"),
    ("ENROLLM", "Enrollment"),
    ("REMITADV", "Remittance advice"),
    ("HOPERAT", "Healthcare operations"),
    ("DONAT", "Donation"),
    ("FRAUD", "Fraud detection"),
    ("GOV", "Government"),
    ("HACCRED", "Health accreditation"),
    ("HCOMPL", "Health compliance"),
    ("HDECD", "Decedent"),
    ("HDIRECT", "Directory"),
    ("HLEGAL", "Legal"),
    ("HOUTCOMS", "Health outcome measure"),
    ("HPRGRP", "Health program reporting"),
    ("HQUALIMP", "Health quality improvement"),
    ("HSYSADMIN", "Health system administration"),
    ("LABELING", "Labeling"),
    ("MEMADMIN", "Member administration"),
    ("PATADMIN", "Patient administration"),
    ("PATSFTY", "Patient safety"),
    ("PERFMSR", "Performance measure"),
    ("RECORDMGT", "Records management"),
    ("TRAIN", "Training"),
    ("HTEST", "Test of health data"),
    ("HRESCH", "Healthcare research"),
    ("CLINTRCH", "Clinical trial research"),
    ("PUBHLTH", "Public health"),
    ("DISASTER", "Disaster"),
    ("THREAT", "Threat"),
    ("PATRQT", "Patient requested"),
    ("FAMRQT", "Family requested"),
    ("PWATRNY", "Power of attorney"),
    ("SUPNWK", "Support network"),
    ("HMARKT", "Healthcare marketing"),
];
