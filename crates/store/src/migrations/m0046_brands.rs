//! Brands edited by operators: host names, the colour of their palette, and a logo.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0046_brands"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for column in [
            string("color").default("").to_owned(),
            json_binary("hosts").default("[]").to_owned(),
            string("logo_digest").default("").to_owned(),
            integer("version").default(1).to_owned(),
        ] {
            // SQLite adds one column at a time.
            m.alter_table(Table::alter().table("brand").add_column(column).to_owned()).await?;
        }
        m.create_index(Index::create().name("ux_brand_name").table("brand").col("name").unique().to_owned())
            .await?;
        // A separate table, because the brand is read with every visit of the sign-in page.
        m.create_table(
            Table::create()
                .table("brand_logo")
                .col(uuid("brand_id").primary_key())
                .col(string("media_type"))
                .col(binary("content"))
                .foreign_key(
                    ForeignKey::create()
                        .from("brand_logo", "brand_id")
                        .to("brand", "id")
                        .on_delete(ForeignKeyAction::Cascade),
                )
                .to_owned(),
        )
        .await
    }
}
