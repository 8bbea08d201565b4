//! Intake rules that file into charts: which rule filed a document, what it left to people, and the days about which
//! administrators were told. Failed filings can be acknowledged.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0198_filing_rules"
    }
}

/// In SQL common to both databases, because the builder does not support `WHERE` on an index.
const INDEXES: [&str; 5] = [
    "CREATE INDEX ix_chart_filing_rule ON chart_filing (organization_id, created_at DESC, id DESC, rule_id, state) WHERE rule_id IS NOT NULL",
    "CREATE INDEX ix_chart_filing_open ON chart_filing (organization_id, state, created_at DESC, id DESC) WHERE acknowledged_at IS NULL AND state IN ('Waiting', 'Failed', 'WithdrawalFailed')",
    "CREATE INDEX ix_chart_filing_rule_day ON chart_filing (created_at, organization_id) WHERE rule_id IS NOT NULL",
    "CREATE INDEX ix_filing_refusal_day ON filing_refusal (at, organization_id)",
    "CREATE INDEX ix_filing_refusal ON filing_refusal (organization_id, at DESC, message_id DESC, rule_id)",
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let columns = [
            uuid_null("rule_id"),
            string_null("rule_name"),
            small_integer_null("percent"),
            timestamp_with_time_zone_null("acknowledged_at"),
        ];
        for column in columns {
            m.alter_table(Table::alter().table("chart_filing").add_column(column).to_owned()).await?;
        }
        m.create_table(refusals()).await?;
        m.create_table(digests()).await?;
        for index in INDEXES {
            m.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }
}

fn of_organization(table: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from(table, "organization_id")
        .to("organization", "id")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}

fn refusals() -> TableCreateStatement {
    Table::create()
        .table("filing_refusal")
        .col(uuid("message_id").primary_key())
        .col(uuid("organization_id"))
        .col(uuid("rule_id"))
        .col(string("rule_name"))
        .col(text("reason"))
        .col(timestamp_with_time_zone("at"))
        .foreign_key(
            ForeignKey::create()
                .from("filing_refusal", "message_id")
                .to("message", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .foreign_key(&mut of_organization("filing_refusal"))
        .to_owned()
}

fn digests() -> TableCreateStatement {
    Table::create()
        .table("filing_digest")
        .col(uuid("organization_id"))
        .col(date("day"))
        .primary_key(Index::create().col("organization_id").col("day"))
        .foreign_key(&mut of_organization("filing_digest"))
        .to_owned()
}
