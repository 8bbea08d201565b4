//! Connections of prescription networks.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0186_prescription_networks"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let column = ColumnDef::new("is_prescription_network").boolean().not_null().default(false).to_owned();
        m.alter_table(Table::alter().table("inbound_connection").add_column(column).to_owned()).await
    }
}
