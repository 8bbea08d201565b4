//! Permissions of a member in one column: a further one needs no migration.

use sea_orm_migration::{prelude::*, schema::*};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0193_permissions"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let column = json_binary("permissions").default("{}").to_owned();
        m.alter_table(Table::alter().table("membership").add_column(column).to_owned()).await?;
        let refused = Query::update()
            .table("membership")
            .value("permissions", serde_json::json!({ "openRestricted": false }))
            .and_where(Expr::col("may_open_restricted").eq(false))
            .to_owned();
        m.execute(refused).await?;
        m.alter_table(Table::alter().table("membership").drop_column("may_open_restricted").to_owned()).await
    }
}
