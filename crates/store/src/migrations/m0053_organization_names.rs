//! Search of organizations by each word of their names.

use crate::{dialect::byte_order, entities::organization, organization_names};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, prelude::Uuid};
use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0053_organization_names"
    }
}

/// Organizations written at a time.
const PIECE: u64 = 500;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let part = string("part").extra(byte_order(m.get_database_backend())).to_owned();
        m.create_table(
            Table::create()
                .table("organization_name")
                .col(part)
                .col(uuid("organization_id"))
                .primary_key(Index::create().col("part").col("organization_id"))
                .foreign_key(
                    ForeignKey::create()
                        .from("organization_name", "organization_id")
                        .to("organization", "id")
                        .on_delete(ForeignKeyAction::Cascade),
                )
                .to_owned(),
        )
        .await?;
        m.create_index(
            Index::create()
                .name("ix_organization_name_organization_id")
                .table("organization_name")
                .col("organization_id")
                .to_owned(),
        )
        .await?;
        fill(m).await
    }
}

/// Reads two columns only: later versions of the entity may have more than the table has now.
async fn fill(m: &SchemaManager<'_>) -> Result<(), DbErr> {
    use organization::Column::{DeletedAt, Id, NameKey};
    let mut after = Uuid::nil();
    loop {
        let names: Vec<(Uuid, String)> = organization::Entity::find()
            .select_only()
            .columns([Id, NameKey])
            .filter(DeletedAt.is_null())
            .filter(Id.gt(after))
            .order_by_asc(Id)
            .limit(PIECE)
            .into_tuple()
            .all(m.get_connection())
            .await?;
        let Some((last, _)) = names.last() else { return Ok(()) };
        after = *last;
        for (id, name_key) in &names {
            organization_names::write(m.get_connection(), *id, name_key).await?;
        }
    }
}
