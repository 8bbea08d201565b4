//! Organizations, people and addresses for tests.

use crate::{Client, TestApp};
use messaging::{direct::certificates, model::SourceStatus};
use platform::{
    Role,
    secret::token_hash,
    service,
    session::{ROLE_ADMINISTRATOR, ROLE_REPORTING, ROLE_SYSADMIN, ROLE_USER},
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;
use store::entities::{
    app_user, brand, document_source, fax_account, fax_number, membership, network, organization,
    organization_feature, reference_item,
    release_type::{self, SendType},
    service_account, user_document_source,
};
use store::entities::{
    brand::BrandSettings, document_source::SourceKind, fax_account::ProviderKind, string_list::StringList,
};
use store::organization_names;
use uuid::Uuid;

/// The password of every user of the fixtures.
pub const PASSWORD: &str = "correct horse battery staple";

/// Argon2id of [`PASSWORD`] at the lowest cost, since most tests sign in.
const PASSWORD_HASH: &str =
    "$argon2id$v=19$m=8,t=1,p=1$Y2FyZXBvc3QtdGVzdHM$zbxJ10tSc7cb/vmltiT02XDmCDkGr89PSDNX2umjYHw";

pub struct Organization {
    pub id: Uuid,
    pub sub_domain: String,
}

pub struct User {
    pub id: Uuid,
    pub user_name: String,
    pub organization_id: Option<Uuid>,
}

/// A Direct address.
pub struct Source {
    pub id: Uuid,
    pub address: String,
    pub organization_id: Uuid,
}

impl TestApp {
    /// An activated organization.
    pub async fn organization(&self, sub_domain: &str) -> Organization {
        let (id, brand_id) = (Uuid::now_v7(), self.brand().await);
        let row = self.organization_row(id, brand_id, sub_domain);
        let (db, name_key) = (self.store.db(), row.name_key.as_ref().clone());
        organization::Entity::insert(row).exec_without_returning(db).await.expect("an organization");
        organization_names::write(db, id, &name_key).await.expect("the words of its name");
        Organization { id, sub_domain: sub_domain.to_owned() }
    }

    async fn brand(&self) -> Uuid {
        let db = self.store.db();
        if let Some(brand) = brand::Entity::find().one(db).await.expect("brands") {
            return brand.id;
        }
        let id = Uuid::now_v7();
        brand::Entity::insert(brand::ActiveModel {
            id: Set(id),
            name: Set("carepost".into()),
            display_name: Set("Carepost".into()),
            color: Set(String::new()),
            colors: Set(StringList::default()),
            hosts: Set(StringList::default()),
            logo_digest: Set(String::new()),
            settings: Set(BrandSettings::default()),
            has_own_terms: Set(false),
            version: Set(1),
        })
        .exec_without_returning(db)
        .await
        .expect("a brand");
        id
    }

    fn organization_row(&self, id: Uuid, brand_id: Uuid, sub_domain: &str) -> organization::ActiveModel {
        let now = self.clock.now();
        let name = format!("{sub_domain} practice");
        let empty = || Set(String::new());
        organization::ActiveModel {
            id: Set(id),
            name_key: Set(name.to_lowercase()),
            name: Set(name),
            sub_domain: Set(sub_domain.to_owned()),
            brand_id: Set(brand_id),
            organization_type_id: Set(None),
            organization_specialty_id: Set(None),
            npi: empty(),
            emr: empty(),
            preferred_group_name: empty(),
            reseller_id: Set(None),
            plan_id: Set(None),
            network_id: Set(None),
            hisp_provider_id: Set(None),
            street: Set("410 Main Street".into()),
            unit: empty(),
            city: Set("Larkfield".into()),
            state: Set("OH".into()),
            zip: Set("43999".into()),
            primary_phone: Set("(555) 010-0110".into()),
            primary_fax: empty(),
            phone: Set("(555) 010-0110".into()),
            contact_first_name: Set("Dana".into()),
            contact_last_name: Set("Whitfield".into()),
            contact_email: Set("dana@larkfield.example".into()),
            contact_title: empty(),
            contact_npi: empty(),
            purposes_of_use: Set(StringList::default()),
            settings: Set(json!({})),
            is_activated: Set(true),
            is_enabled: Set(true),
            login_type: Set("Password".into()),
            api_capture: Set(false),
            is_cancelled: Set(false),
            is_pending_cancellation: Set(false),
            grace_until: Set(None),
            subscription_reference: Set(None),
            eula_accepted_at: Set(Some(now)),
            id_proofed_at: Set(Some(now)),
            id_proof_attempt_at: Set(None),
            created_by: Set("Test".into()),
            created_at: Set(now),
            modified_by: Set("Test".into()),
            modified_at: Set(now),
            deleted_at: Set(None),
            version: Set(1),
        }
    }

    /// An entry of a list of every new installation.
    pub async fn listed(&self, kind: &str, name: &str) -> Uuid {
        let entry = reference_item::Entity::find()
            .filter(reference_item::Column::Kind.eq(kind))
            .filter(reference_item::Column::Name.eq(name))
            .one(self.store.db())
            .await
            .expect("reference items");
        entry.unwrap_or_else(|| panic!("{name} stands in no list {kind}")).id
    }

    /// Switches a feature on.
    pub async fn enable(&self, organization: &Organization, feature: &str) {
        let row = organization_feature::ActiveModel {
            organization_id: Set(organization.id),
            name: Set(feature.into()),
        };
        organization_feature::Entity::insert(row)
            .exec_without_returning(self.store.db())
            .await
            .expect("a feature");
    }

    /// A user with a role: staff of an organization, or of the platform for a platform role.
    pub async fn user(&self, role: Role, organization: &Organization) -> User {
        let (id, user_name) = (Uuid::now_v7(), format!("{}@carepost.example", Uuid::new_v4().simple()));
        let row = self.user_row(id, &user_name, role).await;
        app_user::Entity::insert(row).exec_without_returning(self.store.db()).await.expect("a user");
        let organization_id = match role {
            Role::User => Some(self.join(id, organization, ROLE_USER).await),
            Role::Admin => Some(self.join(id, organization, ROLE_ADMINISTRATOR).await),
            _ => None,
        };
        User { id, user_name, organization_id }
    }

    async fn user_row(&self, id: Uuid, user_name: &str, role: Role) -> app_user::ActiveModel {
        let now = self.clock.now();
        let system_role = match role {
            Role::SysAdmin => Some(ROLE_SYSADMIN.to_owned()),
            Role::Reporting => Some(ROLE_REPORTING.to_owned()),
            _ => None,
        };
        let network = if role == Role::NetAdmin { Some(self.network().await) } else { None };
        app_user::ActiveModel {
            id: Set(id),
            user_name: Set(user_name.to_owned()),
            user_name_key: Set(user_name.to_owned()),
            first_name: Set("Priya".into()),
            last_name: Set("Nandakumar".into()),
            email: Set(user_name.to_owned()),
            phone: Set(String::new()),
            password_hash: Set(PASSWORD_HASH.into()),
            system_role: Set(system_role),
            network_admin_of: Set(network),
            is_disabled: Set(false),
            disabled_at: Set(None),
            deleted_at: Set(None),
            failed_logins: Set(0),
            locked_until: Set(None),
            password_changed_at: Set(now),
            preferences: Set(json!({})),
            last_organization_id: Set(None),
            created_at: Set(now),
            modified_at: Set(now),
            version: Set(1),
        }
    }

    /// A network without members.
    pub async fn network(&self) -> Uuid {
        let id = Uuid::now_v7();
        let name = format!("Network {}", id.simple());
        let row = network::ActiveModel {
            id: Set(id),
            name_key: Set(name.to_lowercase()),
            name: Set(name),
            version: Set(1),
            created_at: Set(Some(self.clock.now())),
        };
        network::Entity::insert(row).exec_without_returning(self.store.db()).await.expect("a network");
        id
    }

    /// A service account of a network, allowed from anywhere on this machine. It replaces an existing one.
    pub async fn service(&self, network_id: Uuid) -> Client {
        service_account::Entity::delete_many()
            .filter(service_account::Column::NetworkId.eq(network_id))
            .exec(self.store.db())
            .await
            .expect("service accounts");
        self.system(Some(network_id), None).await
    }

    /// A service account of an organization, allowed from anywhere on this machine.
    pub async fn system_of(&self, organization: &Organization) -> Client {
        self.system(None, Some(organization.id)).await
    }

    async fn system(&self, network_id: Option<Uuid>, organization_id: Option<Uuid>) -> Client {
        let (token, now) = (service::new_token(), self.clock.now());
        let client_id = Uuid::new_v4().simple().to_string();
        let row = service_account::ActiveModel {
            id: Set(Uuid::now_v7()),
            network_id: Set(network_id),
            organization_id: Set(organization_id),
            name: Set(organization_id.map(|_| client_id.clone()).unwrap_or_default()),
            allowed_address_count: Set(200),
            client_id: Set(client_id),
            token_hash: Set(token_hash(&token)),
            is_enabled: Set(true),
            allowed_addresses: Set(json!(["127.0.0.0/8", "::1/128"])),
            version: Set(1),
            created_at: Set(now),
            token_issued_at: Set(now),
            last_used_at: Set(None),
            last_used_from: Set(None),
            last_refused_at: Set(None),
            last_refused_from: Set(None),
        };
        let db = self.store.db();
        service_account::Entity::insert(row).exec_without_returning(db).await.expect("a service account");
        let client = self.client();
        client.set_token(&token);
        client
    }

    /// Makes a user a member of another organization.
    pub async fn join(&self, user_id: Uuid, organization: &Organization, role: &str) -> Uuid {
        let place = membership::Model::new(user_id, organization.id, role, "");
        place.insert(self.store.db()).await.expect("a membership");
        organization.id
    }

    /// A browser with a signed-in user.
    pub async fn browser_of(&self, user: &User) -> Client {
        let client = self.client();
        client.enter(user).await;
        client
    }

    /// A browser of a new user with that role.
    pub async fn signed_in(&self, role: Role, organization: &Organization) -> Client {
        self.browser_of(&self.user(role, organization).await).await
    }

    /// An active Direct address of an organization, which also gets a certificate.
    pub async fn source(&self, organization: &Organization, local: &str) -> Source {
        let key = self.practice_key().await;
        certificates::ensure_with(self, organization.id, || Ok(key)).await.expect("a certificate");
        let id = Uuid::now_v7();
        let address = format!("{local}@{}", self.config.direct_domain(&organization.sub_domain));
        document_source::Entity::insert(document_source::ActiveModel {
            id: Set(id),
            organization_id: Set(organization.id),
            kind: Set(SourceKind::Direct),
            address: Set(address.clone()),
            address_key: Set(address.clone()),
            display_name: Set(local.to_owned()),
            status: Set(SourceStatus::Activated),
            created_at: Set(self.clock.now()),
            version: Set(1),
            limits_readers: Set(false),
        })
        .exec_without_returning(self.store.db())
        .await
        .expect("a document source");
        Source { id, address, organization_id: organization.id }
    }

    /// An active fax number of an organization, for calls within the installation.
    pub async fn fax_number(&self, organization: &Organization, number: &str) -> Source {
        let db = self.store.db();
        let id = Uuid::now_v7();
        let account_id = self.fax_account(organization).await;
        document_source::Entity::insert(document_source::ActiveModel {
            id: Set(id),
            organization_id: Set(organization.id),
            kind: Set(SourceKind::Fax),
            address: Set(number.into()),
            address_key: Set(number.into()),
            display_name: Set("Front desk".into()),
            status: Set(SourceStatus::Activated),
            created_at: Set(self.clock.now()),
            version: Set(1),
            limits_readers: Set(false),
        })
        .exec_without_returning(db)
        .await
        .expect("a document source");
        fax_number::Entity::insert(fax_number::ActiveModel {
            document_source_id: Set(id),
            organization_id: Set(organization.id),
            account_id: Set(account_id),
            callers: Set(StringList::default()),
            sender_ids: Set(StringList::default()),
            problem: Set(None),
        })
        .exec_without_returning(db)
        .await
        .expect("a fax number");
        Source { id, address: number.to_owned(), organization_id: organization.id }
    }

    /// The account of an organization for calls within the installation.
    async fn fax_account(&self, organization: &Organization) -> Uuid {
        let db = self.store.db();
        let found = fax_account::Entity::find()
            .filter(fax_account::Column::OrganizationId.eq(organization.id))
            .filter(fax_account::Column::Provider.eq("embedded"))
            .one(db)
            .await
            .expect("fax accounts");
        if let Some(found) = found {
            return found.id;
        }
        let (id, now) = (Uuid::now_v7(), self.clock.now());
        fax_account::Entity::insert(fax_account::ActiveModel {
            id: Set(id),
            organization_id: Set(organization.id),
            provider: Set(ProviderKind::Embedded),
            settings: Set(Default::default()),
            sealed_secrets: Set(None),
            callback_hash: Set(token_hash(&id.to_string())),
            poll_at: Set(now),
            polled_at: Set(None),
            problem: Set(None),
            created_at: Set(now),
            modified_at: Set(now),
            version: Set(1),
        })
        .exec_without_returning(db)
        .await
        .expect("a fax account");
        id
    }

    /// Lets a user send on behalf of an address.
    pub async fn link(&self, user: &User, source: &Source) {
        user_document_source::Entity::insert(user_document_source::ActiveModel {
            user_id: Set(user.id),
            document_source_id: Set(source.id),
            organization_id: Set(source.organization_id),
        })
        .exec_without_returning(self.store.db())
        .await
        .expect("a link");
    }

    /// A release type of an organization.
    pub async fn release_type(&self, organization: &Organization, name: &str) -> Uuid {
        let id = Uuid::now_v7();
        release_type::Entity::insert(release_type::ActiveModel {
            id: Set(id),
            organization_id: Set(Some(organization.id)),
            name: Set(name.to_owned()),
            name_key: Set(name.to_lowercase()),
            send_type: Set(SendType::Original),
            origin_address_id: Set(None),
            destination_address: Set(None),
            classification_code: Set(None),
            subject: Set(None),
            track_fax_responses: Set(false),
            is_retired: Set(false),
            version: Set(1),
        })
        .exec_without_returning(self.store.db())
        .await
        .expect("a release type");
        id
    }

    /// An organization with an address and a browser of a user who may send from it.
    pub async fn practice(&self, sub_domain: &str) -> Practice {
        let organization = self.organization(sub_domain).await;
        let source = self.source(&organization, "records").await;
        let user = self.user(Role::User, &organization).await;
        self.link(&user, &source).await;
        let client = self.browser_of(&user).await;
        Practice { organization, address: source.address, user, client }
    }
}

/// A practice that can send and receive.
pub struct Practice {
    pub organization: Organization,
    pub address: String,
    pub user: User,
    pub client: Client,
}
