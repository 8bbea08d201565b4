//! The party that work is done for: named once at its start, and known to everything below.

use crate::processor::InTurns;
use std::{fmt, future::Future, net::IpAddr};
use tokio::task::JoinHandle;
use uuid::Uuid;

/// A party whose work is counted together.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Party {
    /// This installation, which has no share.
    Installation,
    Organization(Uuid),
    /// A signed-in person who works for no organization, such as an operator.
    Person(Uuid),
    /// An outside machine or domain.
    Host(String),
}

impl From<Uuid> for Party {
    fn from(organization_id: Uuid) -> Self {
        Self::Organization(organization_id)
    }
}

/// Party for a machine until its organization is known.
impl From<IpAddr> for Party {
    fn from(address: IpAddr) -> Self {
        Self::Host(address.to_canonical().to_string())
    }
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Installation => f.write_str("this installation"),
            Self::Organization(id) => write!(f, "organization {id}"),
            Self::Person(id) => write!(f, "person {id}"),
            Self::Host(name) => f.write_str(name),
        }
    }
}

tokio::task_local! {
    static PARTY: Party;
}

impl Party {
    /// The party of the current task; the installation if none is named.
    pub fn current() -> Self {
        PARTY.try_with(Self::clone).unwrap_or(Self::Installation)
    }

    /// Runs work for this party, taking turns with others at the processor. Spawned tasks must name the party again.
    pub async fn working<T>(self, work: impl Future<Output = T>) -> T {
        InTurns::new(self.clone(), PARTY.scope(self, work)).await
    }

    /// Spawns a task for this party. Use it instead of `tokio::spawn`.
    pub fn spawn<T: Send + 'static>(self, work: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
        tokio::spawn(self.working(work))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_within_work_is_known_as_what_was_said_last() {
        let (one, other) = (Party::from(Uuid::from_u128(1)), Party::Host("192.0.2.1".into()));
        let inner = other.clone();
        let seen = one.clone().working(async move {
            let before = Party::current();
            (before, inner.working(async { Party::current() }).await, Party::current())
        });
        assert_eq!(seen.await, (one.clone(), other, one));
        assert_eq!(Party::current(), Party::Installation);
    }

    #[tokio::test]
    async fn a_task_does_the_work_of_whom_it_was_spawned_for() {
        let (one, other) = (Party::from(Uuid::from_u128(1)), Party::Host("192.0.2.1".into()));
        let spawned = other.clone();
        let seen = one.working(async move {
            let forgot = tokio::spawn(async { Party::current() }).await;
            let said = spawned.spawn(async { Party::current() }).await;
            (forgot.expect("a task"), said.expect("a task"))
        });
        assert_eq!(seen.await, (Party::Installation, other));
    }
}
