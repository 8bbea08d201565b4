//! Activation times of terms, from which they bind everybody; and acceptances that count for an organization.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0182_binding_terms"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        // Versions active before need no new acceptance.
        let mut activated = timestamp_with_time_zone_null("activated_at");
        m.alter_table(Table::alter().table("terms").add_column(&mut activated).to_owned()).await?;
        // So far only administrators could accept anything.
        let mut counts = boolean("for_organization");
        m.alter_table(Table::alter().table("terms_acceptance").add_column(counts.default(true)).to_owned())
            .await
    }
}
