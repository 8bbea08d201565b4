//! The form in which a release type sends files, in one column instead of two.

use sea_orm_migration::prelude::*;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0194_one_send_type"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, m: &SchemaManager) -> Result<(), DbErr> {
        let set = |form: &str| Query::update().table("release_type").value("send_type", form).to_owned();
        m.execute(set("Original")).await?;
        for form in ["Pdf", "Cda"] {
            let of_conversion = set(form).and_where(Expr::col("conversion").eq(form)).to_owned();
            m.execute(of_conversion).await?;
        }
        m.alter_table(Table::alter().table("release_type").drop_column("conversion").to_owned()).await
    }
}
