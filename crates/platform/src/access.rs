//! Callers, and the roles that an operation allows.
//!
//! A route states its roles once (see [`crate::api`]). The guard enforces the statement before the handler runs and
//! leaves a [`Caller`] behind; [`Member`] is a caller inside an organization, from which tenant-scoped finders start.

use crate::Error;
use admission::Party;
use axum::{
    extract::{FromRequestParts, OptionalFromRequestParts},
    http::request::Parts,
};
use std::convert::Infallible;
use store::permissions::Permissions;
use store::tenant::{Tenant, Unreadable};
use uuid::Uuid;

/// A role by its name in the API description (`x-roles`), without a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Public,
    User,
    Admin,
    NetAdmin,
    SysAdmin,
    Reporting,
    Service,
}

impl Role {
    pub fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::User => "user",
            Self::Admin => "admin",
            Self::NetAdmin => "netadmin",
            Self::SysAdmin => "sysadmin",
            Self::Reporting => "reporting",
            Self::Service => "service",
        }
    }
}

pub const PUBLIC: &[Role] = &[Role::Public];
/// Members of an organization.
pub const MEMBERS: &[Role] = &[Role::User, Role::Admin];
/// Members of an organization, and its service accounts.
pub const MEMBERS_AND_SYSTEMS: &[Role] = &[Role::User, Role::Admin, Role::Service];
/// Everybody who is signed in.
pub const SIGNED_IN: &[Role] = &[Role::User, Role::Admin, Role::NetAdmin, Role::SysAdmin, Role::Reporting];
pub const ADMINS: &[Role] = &[Role::Admin];
/// Administrators of an organization, and the operators who manage all.
pub const MANAGERS: &[Role] = &[Role::Admin, Role::SysAdmin];
pub const SYSADMINS: &[Role] = &[Role::SysAdmin];
/// Administrators of a network, and the operators who manage all.
pub const NETWORK_MANAGERS: &[Role] = &[Role::NetAdmin, Role::SysAdmin];
/// Operators of the platform, including those with reporting access only.
pub const OPERATORS: &[Role] = &[Role::SysAdmin, Role::Reporting];

/// A signed-in person, or the service account of a network or an organization, as the guard found them.
#[derive(Clone, Debug)]
pub struct Caller {
    /// For a service account, its own id.
    pub user_id: Uuid,
    pub user_name: String,
    pub full_name: String,
    /// For a service account, which has no session, its own id.
    pub session_id: Uuid,
    /// The sign-in provider of the session.
    pub connection_id: Option<Uuid>,
    /// The organization of the session or the service account.
    pub organization_id: Option<Uuid>,
    /// Whether that organization's subscription has ended.
    pub organization_is_cancelled: bool,
    /// Whether that organization's calls are captured.
    pub is_captured: bool,
    /// The network that the caller administers, or of the service account.
    pub network_id: Option<Uuid>,
    pub roles: Vec<Role>,
    pub source_ip: String,
    /// The addresses of that organization whose messages the caller may not read.
    pub unreadable: Unreadable,
    /// Whether the caller has to accept terms of service in that organization first.
    pub owes_terms: bool,
    /// Permissions in that organization; none without one.
    pub permissions: Permissions,
}

impl Caller {
    /// The party for which the caller's work is done.
    pub(crate) fn party(&self) -> Party {
        self.organization_id.map_or(Party::Person(self.user_id), Party::from)
    }

    pub fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// Administrators manage their own organization, operators all; other organizations are not found.
    pub fn require_manager_of(&self, organization_id: Uuid) -> Result<(), Error> {
        let is_own = self.has(Role::Admin) && self.organization_id == Some(organization_id);
        if is_own || self.has(Role::SysAdmin) { Ok(()) } else { Err(Error::NotFound) }
    }
}

/// A caller within an organization.
#[derive(Clone, Debug)]
pub struct Member {
    pub caller: Caller,
    pub organization_id: Uuid,
}

impl Member {
    pub fn tenant(&self) -> Tenant {
        Tenant::without(self.organization_id, self.caller.unreadable.clone())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        parts.extensions.get::<Self>().cloned().ok_or(Error::Unauthenticated)
    }
}

impl<S: Send + Sync> OptionalFromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Option<Self>, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Member {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        let caller = <Caller as FromRequestParts<S>>::from_request_parts(parts, state).await?;
        let organization_id = caller.organization_id.ok_or(Error::Forbidden)?;
        Ok(Self { caller, organization_id })
    }
}
