//! Exports and prints made in the background, with their files.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0155_export_tasks"
    }
}

fn index(name: &str, table: &'static str, columns: &[&'static str]) -> IndexCreateStatement {
    let mut index = Index::create();
    index.name(name).table(table);
    for column in columns {
        index.col(*column);
    }
    index
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("export_task")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
                .col(uuid("user_id"))
                .col(string("user_name"))
                .col(string("source_ip"))
                .col(string("form"))
                .col(string("layout"))
                .col(string("brand"))
                .col(boolean("processes"))
                .col(boolean("accepts_gaps"))
                .col(boolean("takes_over"))
                .col(string("state"))
                .col(json_binary("message_ids"))
                .col(integer("message_count"))
                .col(integer("messages_done"))
                .col(integer("file_count"))
                .col(integer("problem_count"))
                .col(integer("page_count"))
                .col(big_integer("size_bytes"))
                .col(integer("next_position"))
                .col(timestamp_with_time_zone("created_at"))
                .col(timestamp_with_time_zone_null("ended_at"))
                .col(timestamp_with_time_zone("expires_at"))
                .to_owned(),
        )
        .await?;
        m.create_table(
            Table::create()
                .table("export_file")
                .col(uuid("task_id"))
                .col(integer("position"))
                .col(uuid("message_id"))
                .col(uuid_null("blob_id"))
                .col(binary("sealed_text"))
                .col(string("mime_type"))
                .col(big_integer("size_bytes"))
                .primary_key(Index::create().col("task_id").col("position"))
                .foreign_key(
                    ForeignKey::create()
                        .from("export_file", "task_id")
                        .to("export_task", "id")
                        .on_delete(ForeignKeyAction::Cascade),
                )
                .to_owned(),
        )
        .await?;
        let of_person = ["organization_id", "user_id", "created_at"];
        m.create_index(index("ix_export_task_person", "export_task", &of_person)).await?;
        m.create_index(index("ix_export_task_expires_at", "export_task", &["expires_at"])).await?;
        m.create_index(index("ix_export_file_blob_id", "export_file", &["blob_id"])).await
    }
}
