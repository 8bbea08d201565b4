//! Applying an event.

use crate::{
    details::Number,
    feed::{Feed, Stamp},
    merges, orders,
    people::{self, Rows},
    visits,
};
use exchange::receive::hospital::{Told, What};
use platform::Result;
use store::Transaction;

impl Feed {
    /// Applies an event. What is older than what was told already changes nothing, and neither does a repetition.
    pub async fn apply(&self, txn: &Transaction, told: Told) -> Result<()> {
        let number = Number::from(told.patient.record_number().clone());
        if number.is_placeholder() || told.what == What::Nothing {
            return Ok(());
        }
        // A clock that is ahead must not make all later events old.
        let at = told.at.unwrap_or(self.reception.received_at).min(self.reception.received_at);
        let stamp = Stamp { at, reception_id: self.reception.id };
        let gone: Vec<Number> = match &told.what {
            What::Merge { gone } => gone.iter().cloned().map(Number::from).collect(),
            What::Renumber { old } => vec![Number::from(old.clone())],
            _ => Vec::new(),
        };
        let gone: Vec<Number> = gone.into_iter().filter(|number| !number.is_placeholder()).collect();
        if let (What::Renumber { .. }, Some(old)) = (&told.what, gone.first()) {
            people::renumber(self, txn, (old, &number), stamp.at).await?;
        }
        let mut rows = Rows::lock(self, txn, &number, &gone).await?;
        people::tell(self, txn, &mut rows.patient, &told.patient, stamp).await?;
        match told.what {
            What::Merge { .. } | What::Renumber { .. } => {
                merges::merge(self, txn, &mut rows, stamp.at).await?;
            }
            What::Visit(visit) => {
                let of = people::remaining(self, txn, &rows.patient).await?;
                visits::tell(self, txn, &of, *visit, stamp).await?;
            }
            What::Orders { visit, orders } => {
                let of = people::remaining(self, txn, &rows.patient).await?;
                let visit = visit.map(Number::from);
                for order in orders {
                    orders::tell(self, txn, &of, visit.as_ref(), order, stamp).await?;
                }
            }
            What::Patient | What::Nothing => {}
        }
        merges::settle(self, txn, &rows.patient).await
    }
}
