//! A mark for steps that crashed their process.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0187_steps_that_end_a_process"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let column = ColumnDef::new("ended_process").boolean().not_null().default(false).to_owned();
        m.alter_table(Table::alter().table("workflow_step").add_column(column).to_owned()).await
    }
}
