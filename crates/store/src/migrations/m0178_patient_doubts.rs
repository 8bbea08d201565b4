//! Messages whose documents name a different patient than their sender, or several.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0178_patient_doubts"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let column = text_null("patient_doubt");
        m.alter_table(Table::alter().table("message").add_column(column).to_owned()).await
    }
}
