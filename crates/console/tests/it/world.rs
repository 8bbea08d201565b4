//! The console with its lists and people, on a database of its own.

use axum::{
    Extension, Router,
    body::{Body, to_bytes},
    http::{HeaderMap, Request, StatusCode, header},
};
use chrono::{DateTime, Duration};
use console::lookups::kind;
use platform::{App, Config, Parts, bus::Bus, session};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, ColumnTrait, Condition, EntityTrait, QueryFilter};
use serde_json::{Value, json};
use std::path::Path;
use store::{
    Clock, Store,
    blobs::BlobStore,
    entities::{
        app_user, brand, membership, network, organization, plan, reference_item, reseller,
        session as session_row,
    },
    keys::{KeyRing, MasterKey},
};
use tower::ServiceExt;
use utoipa::openapi::OpenApi;
use uuid::Uuid;

pub struct World {
    pub app: App,
    pub openapi: OpenApi,
    router: Router,
    pub lists: Lists,
    /// Token of a system administrator.
    pub ops: String,
}

/// What an organization's form chooses from.
pub struct Lists {
    pub brand: Uuid,
    pub organization_type: Uuid,
    pub specialty: Uuid,
    pub hisp: Uuid,
    pub network: Uuid,
    pub licenser: Uuid,
    pub affiliate: Uuid,
    /// 5 users, of no reseller.
    pub small_plan: Uuid,
    /// Any number of users, of no reseller.
    pub large_plan: Uuid,
    /// 50 users, of the licensing reseller.
    pub licensed_plan: Uuid,
}

/// What came back.
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Answer {
    /// The texts under a field of a refused form.
    pub fn texts(&self, field: &str) -> Vec<&str> {
        assert_eq!(self.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", self.body);
        let texts = self.body["modelState"][field].as_array();
        texts.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    pub fn ok(self) -> Value {
        assert!(self.status.is_success(), "{} {}", self.status, self.body);
        self.body
    }
}

/// Who signs in.
#[derive(Clone, Copy)]
pub enum Person {
    Member(&'static str, Uuid),
    System(&'static str),
    NetworkAdmin(Uuid),
}

impl World {
    pub async fn new(database: &str, folder: &Path) -> Self {
        let store = Store::open_and_migrate(database).await.unwrap();
        let clock = Clock::manual(DateTime::from_timestamp(1_790_000_000, 0).unwrap());
        let app = App::new(parts(store, clock, folder).await);
        let lists = Lists::fill(app.store.db()).await;
        let (router, openapi) = console::api().into_parts();
        let router = router.with_state(app.clone()).layer(Extension(app.clone()));
        let mut world = Self { app, openapi, router, lists, ops: String::new() };
        world.ops = world.sign_in(Person::System(session::ROLE_SYSADMIN)).await.0;
        world
    }

    /// A new person with a session. Returns the access token and the session.
    pub async fn sign_in(&self, person: Person) -> (String, Uuid) {
        let now = self.app.clock.now();
        let (user, id) = (self.user(person).await, Uuid::now_v7());
        let organization = match person {
            Person::Member(_, organization) => Some(organization),
            _ => None,
        };
        let row = session_row::ActiveModel {
            id: Set(id),
            user_id: Set(user),
            organization_id: Set(organization),
            created_at: Set(now),
            last_used_at: Set(now),
            expires_at: Set(now + Duration::hours(12)),
            revoked_at: Set(None),
            revoke_reason: Set(None),
            source_ip: Set("192.0.2.1".into()),
            user_agent: Set(String::new()),
            connection_id: Set(None),
        };
        row.insert(self.app.store.db()).await.unwrap();
        let txn = self.app.store.begin().await.unwrap();
        let (token, _) = session::issue_access_token(&self.app, &txn, id).await.unwrap();
        txn.commit().await.unwrap();
        (token, id)
    }

    /// A new person.
    pub async fn user(&self, person: Person) -> Uuid {
        let now = self.app.clock.now();
        let id = Uuid::now_v7();
        let system_role = match person {
            Person::System(role) => Some(role.to_owned()),
            _ => None,
        };
        let network_admin_of = match person {
            Person::NetworkAdmin(network) => Some(network),
            _ => None,
        };
        let row = app_user::ActiveModel {
            id: Set(id),
            user_name: Set(format!("{id}@carepost.example")),
            user_name_key: Set(format!("{id}@carepost.example")),
            first_name: Set("Robin".into()),
            last_name: Set("Vale".into()),
            email: Set(String::new()),
            phone: Set(String::new()),
            password_hash: Set(String::new()),
            system_role: Set(system_role),
            network_admin_of: Set(network_admin_of),
            is_disabled: Set(false),
            failed_logins: Set(0),
            locked_until: Set(None),
            password_changed_at: Set(now),
            preferences: Set(json!({})),
            last_organization_id: Set(None),
            created_at: Set(now),
            modified_at: Set(now),
            version: Set(1),
        };
        row.insert(self.app.store.db()).await.unwrap();
        if let Person::Member(role, organization) = person {
            self.join(id, organization, role).await;
        }
        id
    }

    pub async fn join(&self, user: Uuid, organization: Uuid, role: &str) {
        let row = membership::ActiveModel {
            user_id: Set(user),
            organization_id: Set(organization),
            role: Set(role.into()),
            job_function: Set(String::new()),
            is_disabled: Set(false),
            disabled_at: Set(None),
        };
        row.insert(self.app.store.db()).await.unwrap();
    }

    /// A call as a system administrator.
    pub async fn call(&self, method: &str, path: &str, body: Value) -> Answer {
        self.call_as(&self.ops, method, path, body).await
    }

    /// A call with a token, or without one when it is empty.
    pub async fn call_as(&self, token: &str, method: &str, path: &str, body: Value) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if !token.is_empty() {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = if body.is_null() {
            request.body(Body::empty()).unwrap()
        } else {
            let json = request.header(header::CONTENT_TYPE, "application/json");
            json.body(Body::from(body.to_string())).unwrap()
        };
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        let text = || Value::String(String::from_utf8_lossy(&bytes).into_owned());
        let body = if bytes.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&bytes).unwrap_or_else(|_| text())
        };
        Answer { status: parts.status, headers: parts.headers, body }
    }

    pub async fn get(&self, path: &str) -> Value {
        self.call("GET", path, Value::Null).await.ok()
    }

    /// A form that can be saved.
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

    /// A new organization as it was answered.
    pub async fn organization(&self, name: &str, sub_domain: &str) -> Value {
        self.call("POST", "/api/organizations", self.form(name, sub_domain)).await.ok()
    }

    pub async fn organization_id(&self, name: &str, sub_domain: &str) -> Uuid {
        id_of(&self.organization(name, sub_domain).await)
    }

    pub async fn row(&self, id: Uuid) -> organization::Model {
        organization::Entity::find_by_id(id).one(self.app.store.db()).await.unwrap().unwrap()
    }

    /// Adds users until the organization has that many.
    pub async fn people(&self, organization: Uuid, count: usize) {
        for _ in 0..count {
            self.user(Person::Member(session::ROLE_USER, organization)).await;
        }
    }

    /// Kinds and details of what the audit trail holds about an organization, oldest first.
    pub async fn audited(&self, id: Uuid) -> Vec<(String, String)> {
        let page = platform::http::Page::new(None, None, 100, 100).unwrap();
        let (entries, _) = platform::audit::entries_about(
            self.app.store.db(),
            id,
            "organization",
            &id.to_string(),
            Condition::all(),
            page,
        )
        .await
        .unwrap();
        assert!(platform::audit::verify(self.app.store.db()).await.unwrap().is_empty());
        entries.into_iter().rev().map(|e| (e.event_type, e.detail)).collect()
    }
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
    async fn fill(db: &store::Database) -> Self {
        let brand = brand::Entity::find().one(db).await.unwrap().unwrap().id;
        let network = network(db, "Cascade").await;
        let licenser = reseller(db, "Northwind Health IT", "Licensing").await;
        Self {
            brand,
            network,
            organization_type: item(db, kind::ORGANIZATION_TYPE, "Clinic").await,
            specialty: item(db, kind::ORGANIZATION_SPECIALTY, "Family Medicine").await,
            hisp: item(db, kind::HISP_PROVIDER, "Carepost Direct").await,
            licenser,
            affiliate: reseller(db, "Harbor Partners", "Affiliate").await,
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

async fn item(db: &store::Database, kind: &str, name: &str) -> Uuid {
    let entry = reference_item::Entity::find()
        .filter(reference_item::Column::Kind.eq(kind))
        .filter(reference_item::Column::Name.eq(name));
    entry.one(db).await.unwrap().unwrap().id
}

async fn reseller(db: &store::Database, name: &str, kind: &str) -> Uuid {
    let row = reseller::ActiveModel {
        id: Set(Uuid::now_v7()),
        name: Set(name.into()),
        kind: Set(kind.into()),
        bypass_tos: Set(false),
    };
    row.insert(db).await.unwrap().id
}

async fn plan(db: &store::Database, name: &str, allowed_users: i32, reseller_id: Option<Uuid>) -> Uuid {
    let row = plan::ActiveModel {
        id: Set(Uuid::now_v7()),
        name: Set(name.into()),
        tier_code: Set(name.to_uppercase()),
        allowed_users: Set(allowed_users),
        restricted: Set(json!([])),
        reseller_id: Set(reseller_id),
        is_free: Set(false),
    };
    row.insert(db).await.unwrap().id
}

async fn parts(store: Store, clock: Clock, folder: &Path) -> Parts {
    Parts {
        config: Config::default(),
        keys: KeyRing::new(store.clone(), clock.clone(), MasterKey::generate()),
        blobs: BlobStore::local(folder.join("blobs")).unwrap(),
        bus: Bus::start(&store).await.unwrap(),
        converter: documents::worker::Converter::new("/nonexistent", [""; 0]),
        store,
        clock,
    }
}
