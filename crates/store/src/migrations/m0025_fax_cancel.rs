//! Cancelling of faxes.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0025_fax_cancel"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for column in [timestamp_with_time_zone_null("cancel_at"), text_null("cancel_problem")] {
            m.alter_table(Table::alter().table("fax_job").add_column(column).to_owned()).await?;
        }
        Ok(())
    }
}
