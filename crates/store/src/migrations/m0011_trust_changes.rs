//! Changes of anchors and certificates are counted, so that caches of nodes are never outdated.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0011_trust_changes"
    }
}

const COUNTER: &str = "trust_change";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::create()
            .table(COUNTER)
            .col(ColumnDef::new("id").integer().not_null().primary_key())
            .col(ColumnDef::new("number").big_integer().not_null())
            .to_owned();
        m.create_table(table).await?;
        let db = m.get_connection();
        db.execute_unprepared(&format!("INSERT INTO {COUNTER} (id, number) VALUES (1, 0)")).await?;
        let counted = ["trust_anchor", "direct_certificate"];
        for statement in crate::dialect::counting_triggers(m.get_database_backend(), COUNTER, &counted) {
            db.execute_unprepared(&statement).await?;
        }
        Ok(())
    }
}
