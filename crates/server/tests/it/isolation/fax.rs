//! Fax numbers, accounts and faxes of a side.

use super::{
    operations::Operation,
    side::{Ids, Side, text},
};
use chrono::DateTime;
use messaging::model::{DeliveryKind, DeliveryState, SourceStatus};
use platform::Role;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};
use store::entities::{delivery, document_source, fax_job, fax_number, message, user_document_source};
use uuid::Uuid;

impl Side {
    /// A new fax number.
    pub async fn number(&self) -> Value {
        let admin = self.browser(Role::Admin);
        self.save_account("/api/fax/accounts/embedded", "embedded", json!({})).await;
        admin.post("/api/admin/documentsources", &form_of_a_number()).await.ok()
    }

    async fn save_account(&self, path: &str, provider: &str, mut form: Value) {
        form["version"] = self.account_version(provider).await;
        self.browser(Role::Admin).put(path, &form).await.ok();
    }

    pub async fn account_version(&self, provider: &str) -> Value {
        let accounts = self.browser(Role::Admin).get("/api/fax/accounts").await.ok();
        let accounts = accounts["items"].as_array().expect("accounts");
        let found = accounts.iter().find(|account| account["provider"] == provider);
        found.map(|account| account["version"].clone()).unwrap_or_default()
    }

    pub async fn ids_of_a_number(&self, operation: &Operation) -> Ids {
        let number = self.number().await;
        let id = |place: &str| match place {
            "query.organizationId" | "body.organizationId" => self.practice.organization.id.to_string(),
            _ => text(&number["id"]),
        };
        operation.places.iter().map(|place| (place.clone(), id(place))).collect()
    }

    /// A message whose fax failed, from a number that the caller may use.
    pub async fn ids_of_a_failed_fax(&self, role: Role) -> Ids {
        self.ids_of_a_fax(role, DeliveryState::Failed).await
    }

    /// A sent message with a fax in this state.
    pub async fn ids_of_a_fax(&self, role: Role, state: DeliveryState) -> Ids {
        let (db, organization_id) = (&self.db, self.practice.organization.id);
        let source = self.number_to_send_from(role).await;
        let message_id: Uuid = self.draft().await.parse().expect("an id");
        let sent = message::ActiveModel { id: Set(message_id), is_draft: Set(false), ..Default::default() };
        sent.update(db).await.expect("a message that was sent");
        let delivery_id = Uuid::now_v7();
        let failed = delivery::ActiveModel {
            id: Set(delivery_id),
            message_id: Set(message_id),
            organization_id: Set(organization_id),
            transmission_id: Set(None),
            position: Set(0),
            address: Set("+17405550120".into()),
            address_key: Set("+17405550120".into()),
            name: Set(String::new()),
            kind: Set(DeliveryKind::Fax),
            role: Set(messaging::model::RecipientRole::To),
            state: Set(state),
            reason: Set(None),
            attempt: Set(4),
            wants_dispatched: Set(false),
            accepted_at: Set(DateTime::UNIX_EPOCH),
            ..Default::default()
        };
        delivery::Entity::insert(failed).exec_without_returning(db).await.expect("a delivery");
        let job = fax_job::ActiveModel {
            delivery_id: Set(delivery_id),
            organization_id: Set(organization_id),
            message_id: Set(message_id),
            document_source_id: Set(source),
            workflow_id: Set(Uuid::now_v7()),
            blob_id: Set(None),
            pages: Set(0),
            confirmed_pages: Set(0),
            dials: Set(4),
            waiting_since: Set(None),
            next_at: Set(None),
            waits_for: Set(None),
            cancel_at: Set(None),
            cancel_problem: Set(None),
        };
        fax_job::Entity::insert(job).exec_without_returning(db).await.expect("a fax");
        Ids::from([("id".into(), message_id.to_string()), ("deliveryId".into(), delivery_id.to_string())])
    }

    /// A draft to a fax number, by a person who has a number to send from.
    pub async fn draft_of_a_fax(&self, role: Role) -> String {
        self.number_to_send_from(role).await;
        let id = self.draft().await;
        let draft = message::ActiveModel {
            id: Set(id.parse().expect("an id")),
            to_address: Set("+17405550120".into()),
            ..Default::default()
        };
        draft.update(&self.db).await.expect("a draft to a fax number");
        id
    }

    async fn number_to_send_from(&self, role: Role) -> Uuid {
        let source: Uuid = text(&self.number().await["id"]).parse().expect("an id");
        let number = document_source::ActiveModel {
            id: Set(source),
            status: Set(SourceStatus::Activated),
            ..Default::default()
        };
        number.update(&self.db).await.expect("an active number");
        let link = user_document_source::ActiveModel {
            user_id: Set(self.user(role).id),
            document_source_id: Set(source),
            organization_id: Set(self.practice.organization.id),
        };
        user_document_source::Entity::insert(link).exec_without_returning(&self.db).await.expect("a link");
        source
    }

    /// Restores the organization's fax accounts, without the numbers that prevent their deletion.
    pub async fn restore_fax_accounts(&self) {
        let id = self.practice.organization.id;
        fax_number::Entity::delete_many()
            .filter(fax_number::Column::OrganizationId.eq(id))
            .exec(&self.db)
            .await
            .expect("fax numbers");
        self.save_account("/api/fax/accounts/embedded", "embedded", json!({})).await;
        self.save_account("/api/efax/account", "efax", account_at_a_service()).await;
        self.save_account("/api/westfax/account", "westfax", account_at_a_service()).await;
    }

    /// A new number of the WestFax account.
    pub async fn westfax_number(&self) -> String {
        let admin = self.browser(Role::Admin);
        self.save_account("/api/westfax/account", "westfax", account_at_a_service()).await;
        let number = json!({ "number": new_number() });
        text(&admin.post("/api/westfax/account/numbers", &number).await.ok()["fullAddress"])
    }
}

/// An unused fax number.
pub fn new_number() -> String {
    format!("+49301{:07}", Uuid::now_v7().as_u128() % 10_000_000)
}

pub fn form_of_a_number() -> Value {
    json!({ "directAddressType": "fax", "fullAddress": new_number(), "provider": "embedded" })
}

pub fn account_at_a_service() -> Value {
    json!({ "userName": "clinic", "password": "a password", "appId": "an app", "productId": "a line" })
}
