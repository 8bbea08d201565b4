//! Licence types of each application; existing applications keep all of them.

use sea_orm_migration::{prelude::*, schema::*};

const TABLE: &str = "application_licence_type";
const ALL: &str = "INSERT INTO application_licence_type (application_id, licence_type_id) \
     SELECT application.id, licence_type.id FROM reference_item AS application \
     CROSS JOIN reference_item AS licence_type \
     WHERE application.kind = 'application' AND licence_type.kind = 'licence_type'";

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0185_types_of_applications"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        m.create_table(
            Table::create()
                .table(TABLE)
                .col(uuid("application_id"))
                .col(uuid("licence_type_id"))
                .primary_key(Index::create().col("application_id").col("licence_type_id"))
                .foreign_key(&mut cascade("application_id"))
                .foreign_key(&mut cascade("licence_type_id"))
                .to_owned(),
        )
        .await?;
        let of_type = Index::create()
            .name("ix_application_licence_type")
            .table(TABLE)
            .col("licence_type_id")
            .to_owned();
        m.create_index(of_type).await?;
        m.get_connection().execute_unprepared(ALL).await.map(|_| ())
    }
}

/// Removed together with its list entry.
fn cascade(column: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from(TABLE, column)
        .to("reference_item", "id")
        .on_delete(ForeignKeyAction::Cascade)
        .to_owned()
}
