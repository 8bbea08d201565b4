//! Logo and notice of a brand on fax covers.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0026_brand_cover"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        // A separate table, because the logo is read for covers only.
        m.create_table(
            Table::create()
                .table("brand_cover")
                .col(uuid("brand_id").primary_key())
                .col(binary_null("logo"))
                .col(text("notice"))
                .foreign_key(ForeignKey::create().from("brand_cover", "brand_id").to("brand", "id"))
                .to_owned(),
        )
        .await
    }
}
