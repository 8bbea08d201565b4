//! An organization's intake rules that assign to a user.

use super::{
    rules::NO_SUCH_RULE,
    types::{IntakeRuleLink, UserRule},
};
use crate::organization::locked;
use platform::{
    App, Error, Member, Result,
    audit::{self, Act, Actor, event},
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use serde_json::json;
use std::collections::BTreeSet;
use store::entities::{intake_rule, intake_rule_user};
use uuid::Uuid;

pub async fn list(db: &impl ConnectionTrait, member: &Member, user_id: Uuid) -> Result<Vec<UserRule>> {
    let ids = linked(db, member, user_id).await?;
    let rows = intake_rule::Entity::find()
        .filter(intake_rule::Column::OrganizationId.eq(member.organization_id))
        .filter(intake_rule::Column::Id.is_in(ids))
        .order_by_asc(intake_rule::Column::Position)
        .all(db)
        .await?;
    let rule = |row: intake_rule::Model| UserRule {
        organization_id: row.organization_id,
        intake_rule_id: row.id,
        name: row.name,
    };
    Ok(rows.into_iter().map(rule).collect())
}

async fn linked(db: &impl ConnectionTrait, member: &Member, user_id: Uuid) -> Result<BTreeSet<Uuid>> {
    let links = intake_rule_user::Entity::find()
        .filter(intake_rule_user::Column::UserId.eq(user_id))
        .filter(intake_rule_user::Column::OrganizationId.eq(member.organization_id))
        .all(db)
        .await?;
    Ok(links.into_iter().map(|link| link.intake_rule_id).collect())
}

/// Replaces the rules that assign to a user in this organization.
pub async fn save(
    app: &App,
    member: &Member,
    user_id: Uuid,
    links: &[IntakeRuleLink],
) -> Result<Vec<UserRule>> {
    let txn = app.store.begin().await?;
    // Concurrent saves by two administrators run one after the other.
    locked(&txn, member.organization_id).await?;
    let known: Vec<Uuid> = intake_rule::Entity::find()
        .select_only()
        .column(intake_rule::Column::Id)
        .filter(intake_rule::Column::OrganizationId.eq(member.organization_id))
        .into_tuple()
        .all(&txn)
        .await?;
    let is_own = |link: &IntakeRuleLink| {
        link.organization_id == member.organization_id && known.contains(&link.intake_rule_id)
    };
    if !links.iter().all(is_own) {
        return Err(Error::field("intakeRuleId", NO_SUCH_RULE));
    }
    let wanted: BTreeSet<Uuid> = links.iter().map(|link| link.intake_rule_id).collect();
    let before = linked(&txn, member, user_id).await?;
    let added: Vec<Uuid> = wanted.difference(&before).copied().collect();
    let removed: Vec<Uuid> = before.difference(&wanted).copied().collect();
    intake_rule_user::Entity::delete_many()
        .filter(intake_rule_user::Column::UserId.eq(user_id))
        .filter(intake_rule_user::Column::IntakeRuleId.is_in(removed.iter().copied()))
        .exec(&txn)
        .await?;
    let rows = added.iter().map(|rule| intake_rule_user::ActiveModel {
        intake_rule_id: Set(*rule),
        user_id: Set(user_id),
        organization_id: Set(member.organization_id),
    });
    if !added.is_empty() {
        intake_rule_user::Entity::insert_many(rows).exec_without_returning(&txn).await?;
    }
    if !(added.is_empty() && removed.is_empty()) {
        let act = Act::new(event::CHANGED, "user", user_id)
            .detail(json!({ "intakeRulesAdded": added, "intakeRulesRemoved": removed }));
        audit::record(app, &txn, &Actor::from(&member.caller), act).await?;
    }
    let saved = list(&txn, member, user_id).await?;
    txn.commit().await?;
    Ok(saved)
}
