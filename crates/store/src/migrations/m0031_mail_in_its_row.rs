//! A small mail is stored in its row instead of a file.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0031_mail_in_its_row"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let content = ColumnDef::new("sealed_content").binary().null().to_owned();
        m.alter_table(Table::alter().table("inbound_mail").add_column(content).to_owned()).await
    }
}
