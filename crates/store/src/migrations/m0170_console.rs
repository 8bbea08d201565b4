//! The feature for managing the Direct domain of an organization, on for all as before; and the signer of inbound
//! connections' assertions, unset so far.

use sea_orm::entity::prelude::Uuid;
use sea_orm_migration::{prelude::*, schema::*};

const NAME: &str = "DirectInterface";

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0170_console"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let column = string("assertion_certificate").default("").to_owned();
        m.alter_table(Table::alter().table("inbound_connection").add_column(column).to_owned()).await?;
        let now = crate::Clock::system().now();
        let mut insert = Query::insert()
            .into_table("feature")
            .columns([
                "id",
                "name",
                "name_key",
                "is_enabled",
                "is_organization_feature",
                "created_by",
                "created_at",
                "modified_by",
                "modified_at",
                "version",
            ])
            .to_owned();
        insert.values_panic([
            Uuid::now_v7().into(),
            NAME.into(),
            NAME.to_lowercase().into(),
            true.into(),
            false.into(),
            "System".into(),
            now.into(),
            "System".into(),
            now.into(),
            1.into(),
        ]);
        // An operator may have created a feature with this name.
        insert.on_conflict(OnConflict::column("name_key").do_nothing().to_owned());
        m.execute(insert).await
    }
}
