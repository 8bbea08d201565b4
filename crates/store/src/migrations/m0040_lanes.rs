//! Lanes of steps, each with its own workers, in turns of the organizations.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0040_lanes"
    }
}

/// Open steps at the time of the upgrade. Steps that have ended keep the default.
const LANES_OF_OPEN_STEPS: &str = "UPDATE workflow_step SET lane = CASE name \
    WHEN 'Open' THEN 'Receiving' WHEN 'OpenFax' THEN 'Conversion' \
    WHEN 'Deliver' THEN 'Delivering' WHEN 'SubmitFax' THEN 'Delivering' WHEN 'FollowFax' THEN 'Delivering' \
    WHEN 'Notify' THEN 'Notices' WHEN 'SendEmail' THEN 'Notices' \
    WHEN 'MakePreview' THEN 'Conversion' WHEN 'RenderFax' THEN 'Conversion' \
    WHEN 'MakeDeliverySummary' THEN 'Conversion' ELSE 'Chores' END \
    WHERE status NOT IN ('Completed', 'Skipped')";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        for (name, default) in [("lane", "Chores"), ("partner", "")] {
            let column = ColumnDef::new(name).string().not_null().default(default).to_owned();
            m.alter_table(Table::alter().table("workflow_step").add_column(column).to_owned()).await?;
        }
        let open = "WHERE status IN ('Pending', 'Running')";
        for sql in [
            LANES_OF_OPEN_STEPS,
            "DROP INDEX ix_workflow_step_due",
            &format!("CREATE INDEX ix_workflow_step_due ON workflow_step (lane, run_at) {open}"),
            // The next organization in a lane with more due steps than workers.
            &format!(
                "CREATE INDEX ix_workflow_step_turn \
                 ON workflow_step (lane, organization_id, run_at, partner) {open}"
            ),
        ] {
            m.get_connection().execute_unprepared(sql).await?;
        }
        Ok(())
    }
}
