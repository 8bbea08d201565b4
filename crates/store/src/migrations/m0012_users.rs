//! Users of an organization: disabled memberships, their activity, and the list of job functions.

use sea_orm_migration::{prelude::*, schema::*};
use uuid::Uuid;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0012_users"
    }
}

const INDEXES: &[&str] = &[
    // Activity of a person in an organization, newest first.
    "CREATE INDEX ix_audit_entry_actor ON audit_entry (organization_id, actor_id, at DESC, id DESC) WHERE actor_id IS NOT NULL",
    // Last sign-in of a person there. Sessions are kept, so there are many.
    "CREATE INDEX ix_session_sign_in ON session (user_id, organization_id, created_at)",
];

/// First of consecutive ids.
const FIRST_JOB: Uuid = Uuid::from_u128(0x019a_a000_0000_7000_8000_0000_0000_0001);

const JOBS: &[&str] = &[
    "Billing and Coding",
    "Care Coordinator",
    "Case Manager",
    "Clinic Manager",
    "Director",
    "Front Desk",
    "Health Information Clerk",
    "Health Information Manager",
    "IT Administrator",
    "Laboratory Director",
    "Laboratory Technician",
    "Medical Assistant",
    "Nurse",
    "Nurse Practitioner",
    "Office Manager",
    "Pharmacist",
    "Physician",
    "Physician Assistant",
    "Practice Administrator",
    "Practice Manager",
    "Referral Coordinator",
    "Scheduler",
    "Social Worker",
    "Therapist",
    "Other",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column at a time.
        let disabled = boolean("is_disabled").default(false).to_owned();
        for column in [disabled, timestamp_with_time_zone_null("disabled_at")] {
            m.alter_table(Table::alter().table("membership").add_column(column).to_owned()).await?;
        }
        for statement in INDEXES {
            m.get_connection().execute_unprepared(statement).await?;
        }
        jobs(m).await
    }
}

async fn jobs(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    let mut insert = Query::insert()
        .into_table("reference_item")
        .columns(["id", "kind", "code", "name", "position"])
        .to_owned();
    for (position, name) in (0_i32..).zip(JOBS) {
        let id = Uuid::from_u128(FIRST_JOB.as_u128() + u128::from(position.unsigned_abs()));
        let code = name.to_lowercase().replace(' ', "-");
        insert.values_panic([id.into(), "job_function".into(), code.into(), (*name).into(), position.into()]);
    }
    m.execute(insert).await
}
