//! Imports of organizations from a file: the file as a whole, and each of its rows.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0057_imports"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("import_batch")
                .col(uuid("id").primary_key())
                .col(string("kind"))
                .col(string("file_name"))
                .col(json_binary("choices"))
                .col(string("status"))
                .col(integer("total"))
                .col(string("created_by"))
                .col(uuid_null("actor_id"))
                .col(string("actor_name"))
                .col(string("source_ip"))
                .col(timestamp_with_time_zone("created_at"))
                .col(timestamp_with_time_zone_null("ended_at"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("import_row")
                .col(uuid("id").primary_key())
                .col(uuid("batch_id"))
                .col(integer("line"))
                .col(string("key"))
                .col(json_binary("cells"))
                .col(string("status"))
                .col(json_binary("errors"))
                .col(json_binary("contact_errors"))
                .foreign_key(
                    ForeignKey::create()
                        .from("import_row", "batch_id")
                        .to("import_batch", "id")
                        .on_delete(ForeignKeyAction::Cascade),
                )
                .to_owned(),
        )
        .await?;
        let list = Index::create().name("ix_import_row_list").table("import_row").to_owned();
        m.create_index(list.clone().col(("batch_id", IndexOrder::Desc)).col("line").to_owned()).await?;
        let state = Index::create().name("ix_import_row_status").table("import_row").to_owned();
        m.create_index(state.clone().col("batch_id").col("status").col("line").to_owned()).await
    }
}
