//! Reads reports piece by piece, so that neither the memory nor a long transaction grows with the installation.

use futures::{Stream, stream};
use platform::{
    App, Error, Result,
    csv::{self, inert},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use std::collections::HashMap;
use store::entities::{document_source, organization};
use uuid::Uuid;

/// Addresses of one piece.
const PIECE: u64 = 1_000;

/// A CSV file: a line for each Direct address of an organization that is not deleted, oldest first.
pub fn direct_addresses(app: App) -> impl Stream<Item = Result<Vec<u8>, std::io::Error>> {
    let head = ["Organization ID", "Organization", "Subdomain", "Direct Address", "Name"].map(str::to_owned);
    stream::try_unfold((app, Some(Uuid::nil()), vec![head]), |(app, after, mut lines)| async move {
        let Some(after) = after else { return Ok(None) };
        let (piece, next) = piece(&app, after).await.map_err(|e| std::io::Error::other(format!("{e:?}")))?;
        lines.extend(piece);
        Ok(Some((csv::lines(&lines)?, (app, next, Vec::new()))))
    })
}

type Line = [String; 5];

/// The lines after an address, and the last address of them when there may be more.
async fn piece(app: &App, after: Uuid) -> Result<(Vec<Line>, Option<Uuid>), Error> {
    use document_source::Column;
    let db = app.store.db();
    let sources = document_source::Entity::find()
        .filter(Column::Id.gt(after))
        .filter(Column::Kind.eq("direct"))
        .order_by_asc(Column::Id)
        .limit(PIECE)
        .all(db)
        .await?;
    let next = sources.last().map(|s| s.id).filter(|_| sources.len() as u64 == PIECE);
    let organizations: HashMap<Uuid, organization::Model> = organization::Entity::find()
        .filter(organization::Column::Id.is_in(sources.iter().map(|s| s.organization_id)))
        .filter(organization::Column::DeletedAt.is_null())
        .all(db)
        .await?
        .into_iter()
        .map(|o| (o.id, o))
        .collect();
    let line = |source: document_source::Model| {
        let of = organizations.get(&source.organization_id)?;
        Some([
            of.id.to_string(),
            inert(&of.name),
            of.sub_domain.clone(),
            source.address,
            inert(&source.display_name),
        ])
    };
    Ok((sources.into_iter().filter_map(line).collect(), next))
}
