//! What applying an event needs, and when something was told.

use crate::keys::Keys;
use chrono::{DateTime, Utc};
use platform::{
    App, Result,
    interoperability::{Interoperability, RecordNumberAuthority},
    settings,
};
use store::keys::DataKey;
use uuid::Uuid;

/// A message of an EHR that was made durable.
#[derive(Clone, Copy, Debug)]
pub struct Reception {
    /// Ids of one sender grow in the order of its messages.
    pub id: Uuid,
    pub organization_id: Uuid,
    pub connection_id: Uuid,
    pub received_at: DateTime<Utc>,
}

/// When something was told. Of two events of the same second, the one that was received later counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    pub at: DateTime<Utc>,
    pub reception_id: Uuid,
}

/// What is needed to apply an event, read before its transaction begins.
pub struct Feed {
    pub(crate) app: App,
    pub(crate) key: DataKey,
    /// Authorities of the organization's own record numbers.
    pub(crate) authorities: Vec<RecordNumberAuthority>,
    pub(crate) reception: Reception,
}

impl Feed {
    pub async fn open(app: &App, reception: Reception) -> Result<Self> {
        let settings: Interoperability = settings::find(app, reception.organization_id).await?;
        Ok(Self {
            app: app.clone(),
            key: app.keys.data_key(reception.organization_id).await?,
            authorities: settings.record_number_authorities,
            reception,
        })
    }

    pub(crate) fn organization_id(&self) -> Uuid {
        self.reception.organization_id
    }

    pub(crate) fn keys(&self) -> Keys<'_> {
        Keys { key: &self.key, connection_id: self.reception.connection_id }
    }
}
