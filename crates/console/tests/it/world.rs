//! A console with data for its forms, and a signed-in operator.

use accounts::reference_items::kind;
use platform::Role;
use reqwest::Method;
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::{Value, json};
use store::entities::reseller::ResellerKind;
use store::entities::string_list::StringList;
use store::entities::{
    app_user, audit_entry, brand, network, organization, plan, reseller, session as session_row,
};
use testkit::{Answer, Client, Db, Organization, TestApp, User};
use uuid::Uuid;

pub struct World {
    pub app: TestApp,
    pub lists: Lists,
    operator: Client,
}

/// Choices in the form of an organization.
pub struct Lists {
    pub brand: Uuid,
    pub organization_type: Uuid,
    pub specialty: Uuid,
    pub hisp: Uuid,
    pub network: Uuid,
    pub licenser: Uuid,
    pub affiliate: Uuid,
    /// 5 users, without a reseller.
    pub small_plan: Uuid,
    /// Unlimited users, without a reseller.
    pub large_plan: Uuid,
    /// 50 users, of the licensing reseller.
    pub licensed_plan: Uuid,
}

/// Role of a person.
#[derive(Clone, Copy)]
pub enum Person {
    Member(Role, Uuid),
    System(Role),
    NetworkAdmin(Uuid),
}

impl World {
    pub async fn new(db: Db) -> Self {
        let app = TestApp::start(db).await;
        let lists = Lists::fill(&app).await;
        let operator = app.signed_in(Role::SysAdmin, &id_only(Uuid::nil())).await;
        Self { app, lists, operator }
    }

    /// A new signed-in person, and their session.
    pub async fn sign_in(&self, person: Person) -> (Client, Uuid) {
        let user = self.person(person).await;
        let client = self.app.browser_of(&user).await;
        let session = session_row::Entity::find()
            .filter(session_row::Column::UserId.eq(user.id))
            .order_by_desc(session_row::Column::Id)
            .one(self.app.store.db())
            .await
            .expect("sessions")
            .expect("a session");
        (client, session.id)
    }

    /// A new person.
    pub async fn user(&self, person: Person) -> Uuid {
        self.person(person).await.id
    }

    async fn person(&self, person: Person) -> User {
        match person {
            Person::Member(role, organization) => self.app.user(role, &id_only(organization)).await,
            Person::System(role) => self.app.user(role, &id_only(Uuid::nil())).await,
            Person::NetworkAdmin(network) => {
                let user = self.app.user(Role::Reporting, &id_only(Uuid::nil())).await;
                let administrator = app_user::ActiveModel {
                    id: Set(user.id),
                    system_role: Set(None),
                    network_admin_of: Set(Some(network)),
                    ..Default::default()
                };
                administrator.update(self.app.store.db()).await.expect("a user");
                user
            }
        }
    }

    pub async fn join(&self, user: Uuid, organization: Uuid, role: &str) {
        self.app.join(user, &id_only(organization), role).await;
    }

    /// Calls as a system administrator.
    pub async fn call(&self, method: &str, path: &str, body: Value) -> Answer {
        self.call_as(&self.operator, method, path, body).await
    }

    pub async fn call_as(&self, client: &Client, method: &str, path: &str, body: Value) -> Answer {
        let request = client.request(Method::from_bytes(method.as_bytes()).expect("a method"), path);
        client.send(if body.is_null() { request } else { request.json(&body) }).await
    }

    pub async fn get(&self, path: &str) -> Value {
        self.call("GET", path, Value::Null).await.ok()
    }

    /// A valid form.
    pub fn form(&self, name: &str, sub_domain: &str) -> Value {
        json!({
            "name": name,
            "subDomain": sub_domain,
            "brandId": self.lists.brand,
            "organizationTypeId": self.lists.organization_type,
            "organizationSpecialtyId": self.lists.specialty,
            "hispProviderId": self.lists.hisp,
            "organizationNpi": "1234567893",
            "activationStatus": "NotActivated",
            "street": "418 Orchard Lane",
            "city": "Portland",
            "state": "OR",
            "zip": "97201",
            "primaryPhone": "503-555-0142",
            "primaryContactFirstName": "Dana",
            "primaryContactLastName": "Whitlock",
            "primaryContactEmail": "dana@larkfield.example",
        })
    }

    /// A new organization, as in the answer.
    pub async fn organization(&self, name: &str, sub_domain: &str) -> Value {
        self.call("POST", "/api/organizations", self.form(name, sub_domain)).await.ok()
    }

    pub async fn organization_id(&self, name: &str, sub_domain: &str) -> Uuid {
        id_of(&self.organization(name, sub_domain).await)
    }

    pub async fn row(&self, id: Uuid) -> organization::Model {
        organization::Entity::find_by_id(id).one(self.app.store.db()).await.unwrap().unwrap()
    }

    /// Adds users until the organization has this many.
    pub async fn people(&self, organization: Uuid, count: usize) {
        for _ in 0..count {
            self.user(Person::Member(Role::User, organization)).await;
        }
    }

    /// Kinds and details of the audit entries of an organization, oldest first.
    pub async fn audited(&self, id: Uuid) -> Vec<(String, String)> {
        let entries = audit_entry::Entity::find()
            .filter(audit_entry::Column::OrganizationId.eq(id))
            .filter(audit_entry::Column::ObjectType.eq("organization"))
            .filter(audit_entry::Column::ObjectId.eq(id.to_string()))
            .order_by_asc(audit_entry::Column::Seq)
            .all(self.app.store.db())
            .await
            .unwrap();
        assert!(platform::audit::verify(self.app.store.db()).await.unwrap().is_empty());
        entries.into_iter().map(|e| (e.event_type, e.detail)).collect()
    }
}

fn id_only(id: Uuid) -> Organization {
    Organization { id, sub_domain: String::new() }
}

pub fn id_of(value: &Value) -> Uuid {
    value["id"].as_str().unwrap().parse().unwrap()
}

/// `value` with some members replaced.
pub fn with(mut value: Value, change: Value) -> Value {
    for (name, new) in change.as_object().unwrap() {
        value[name] = new.clone();
    }
    value
}

impl Lists {
    async fn fill(app: &TestApp) -> Self {
        let db = app.store.db();
        let brand = brand::Entity::find().one(db).await.unwrap().unwrap().id;
        let network = network(db, "Cascade").await;
        let licenser = reseller(db, "Northwind Health IT", ResellerKind::Licensing).await;
        Self {
            brand,
            network,
            organization_type: app.listed(kind::ORGANIZATION_TYPE, "Clinic").await,
            specialty: app.listed(kind::ORGANIZATION_SPECIALTY, "Family Medicine").await,
            hisp: app.listed(kind::HISP_PROVIDER, "Carepost Direct").await,
            licenser,
            affiliate: reseller(db, "Harbor Partners", ResellerKind::Affiliate).await,
            small_plan: plan(db, "Starter", 5, None).await,
            large_plan: plan(db, "Enterprise", -1, None).await,
            licensed_plan: plan(db, "Northwind 50", 50, Some(licenser)).await,
        }
    }
}

pub async fn network(db: &store::Database, name: &str) -> Uuid {
    let row = network::ActiveModel {
        id: Set(Uuid::now_v7()),
        name: Set(name.into()),
        name_key: Set(name.to_lowercase()),
        version: Set(1),
        created_at: Set(None),
    };
    row.insert(db).await.unwrap().id
}

async fn reseller(db: &store::Database, name: &str, kind: ResellerKind) -> Uuid {
    let row = reseller::ActiveModel {
        id: Set(Uuid::now_v7()),
        name: Set(name.into()),
        name_key: Set(name.to_lowercase()),
        kind: Set(kind),
        bypass_tos: Set(false),
        version: Set(1),
    };
    row.insert(db).await.unwrap().id
}

async fn plan(db: &store::Database, name: &str, allowed_users: i32, reseller_id: Option<Uuid>) -> Uuid {
    let row = plan::ActiveModel {
        id: Set(Uuid::now_v7()),
        name: Set(name.into()),
        name_key: Set(name.to_lowercase()),
        tier_code: Set(name.to_uppercase()),
        allowed_users: Set(allowed_users),
        restricted: Set(StringList::default()),
        reseller_id: Set(reseller_id),
        is_free: Set(false),
        is_retired: Set(false),
        version: Set(1),
    };
    row.insert(db).await.unwrap().id
}
