//! Cache of partners' MTA-STS policies: in the database, common to all nodes.

use ::direct::smtp::sts::{FetchedPolicy, PoliciesUnavailable, PolicyStore, StsPolicy};
use chrono::{DateTime, Utc};
use platform::App;
use sea_orm::{ActiveValue::Set, ColumnTrait, DbErr, EntityTrait, QueryFilter, sea_query::OnConflict};
use std::fmt;
use store::entities::sts_policy::{ActiveModel, Column, Entity, Model};

/// Stores policies in the table `sts_policy`.
#[derive(Clone)]
pub struct KeptPolicies(pub App);

impl fmt::Debug for KeptPolicies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeptPolicies")
    }
}

// Database errors may contain the statement, and these errors are shown to operators.
fn unavailable(_: DbErr) -> PoliciesUnavailable {
    PoliciesUnavailable
}

#[async_trait::async_trait]
impl PolicyStore for KeptPolicies {
    async fn load(&self, domain: &str) -> Result<Option<FetchedPolicy>, PoliciesUnavailable> {
        let found = Entity::find_by_id(domain).one(self.0.store.db()).await.map_err(unavailable)?;
        Ok(found.map(fetched))
    }

    async fn save(
        &self,
        domain: &str,
        fetched: &FetchedPolicy,
        now: DateTime<Utc>,
    ) -> Result<(), PoliciesUnavailable> {
        let row = ActiveModel {
            domain: Set(domain.to_owned()),
            policy_id: Set(fetched.id.clone()),
            enforce: Set(fetched.policy.enforce),
            servers: Set(fetched.policy.servers.clone().into()),
            max_age: Set(i64::try_from(fetched.policy.max_age).unwrap_or(i64::MAX)),
            valid_until: Set(fetched.until),
        };
        let columns =
            [Column::PolicyId, Column::Enforce, Column::Servers, Column::MaxAge, Column::ValidUntil];
        let again = OnConflict::column(Column::Domain).update_columns(columns).to_owned();
        let db = self.0.store.db();
        Entity::insert(row).on_conflict(again).exec_without_returning(db).await.map_err(unavailable)?;
        let expired = Entity::delete_many().filter(Column::ValidUntil.lt(now));
        expired.exec(db).await.map_err(unavailable)?;
        Ok(())
    }
}

fn fetched(row: Model) -> FetchedPolicy {
    let max_age = u64::try_from(row.max_age).unwrap_or_default();
    FetchedPolicy {
        id: row.policy_id,
        policy: StsPolicy { enforce: row.enforce, servers: row.servers.0, max_age },
        until: row.valid_until,
    }
}
