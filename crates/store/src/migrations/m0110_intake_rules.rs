//! Intake rules, their assignees, and the messages they were applied to.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0110_intake_rules"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table("intake_rule")
                .col(uuid("id").primary_key())
                .col(uuid("organization_id"))
                .col(string("name"))
                .col(string("name_key"))
                .col(integer("position"))
                .col(boolean("is_enabled"))
                .col(boolean("stops"))
                .col(binary("sealed_terms"))
                .col(integer("version"))
                .foreign_key(
                    ForeignKey::create()
                        .from("intake_rule", "organization_id")
                        .to("organization", "id")
                        .on_delete(ForeignKeyAction::Cascade),
                )
                .to_owned(),
        )
        .await?;
        for (table, other) in [("intake_rule_user", "user_id"), ("intake_rule_match", "message_id")] {
            let mut of_rule = Table::create()
                .table(table)
                .col(uuid("intake_rule_id"))
                .col(uuid(other))
                .col(uuid("organization_id"))
                .primary_key(Index::create().col("intake_rule_id").col(other))
                .foreign_key(
                    ForeignKey::create()
                        .from(table, "intake_rule_id")
                        .to("intake_rule", "id")
                        .on_delete(ForeignKeyAction::Cascade),
                )
                .to_owned();
            if table == "intake_rule_match" {
                of_rule.col(timestamp_with_time_zone("at"));
            }
            m.create_table(of_rule).await?;
        }
        let index = |name: &str, table: &str, columns: &[&'static str]| {
            let mut index = Index::create().name(name).table(table.to_owned()).to_owned();
            for column in columns {
                index.col(*column);
            }
            index
        };
        m.create_index(
            index("ux_intake_rule_name", "intake_rule", &["organization_id", "name_key"]).unique().to_owned(),
        )
        .await?;
        m.create_index(index("ix_intake_rule_user", "intake_rule_user", &["user_id", "organization_id"]))
            .await
    }
}
