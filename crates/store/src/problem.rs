//! Safe descriptions of database errors.

use sea_orm::{DbErr, RuntimeErr};

/// Describes an error by kind, code and the names of table and constraint. The error's own message can quote values,
/// possibly of a patient, so it is never used.
pub fn describe(error: &DbErr) -> String {
    match error {
        DbErr::ConnectionAcquire(error) => format!("the database cannot be reached: {error}"),
        DbErr::Conn(error) | DbErr::Exec(error) | DbErr::Query(error) => runtime(error),
        DbErr::RecordNotFound(_) => "a row is not there".into(),
        DbErr::RecordNotInserted => "a row was not inserted".into(),
        DbErr::RecordNotUpdated => "a row was not updated".into(),
        DbErr::Type(_) | DbErr::Json(_) | DbErr::TryIntoErr { .. } => "a value does not fit its type".into(),
        DbErr::Migration(text) => format!("a migration failed: {text}"),
        _ => "the database refused a statement".into(),
    }
}

fn runtime(error: &RuntimeErr) -> String {
    match error {
        RuntimeErr::SqlxError(error) => driver(error),
        RuntimeErr::Internal(_) => "the database refused a statement".into(),
    }
}

fn driver(error: &sqlx::Error) -> String {
    use sqlx::Error as E;
    match error {
        E::Database(said) => {
            let code = said.code().unwrap_or_default();
            let place =
                [said.table(), said.constraint()].into_iter().flatten().collect::<Vec<_>>().join(", ");
            let place = if place.is_empty() { place } else { format!(" ({place})") };
            format!("the database refused a statement with code {code}{place}")
        }
        E::Io(error) => format!("the connection to the database broke: {error}"),
        E::Tls(error) => format!("no secure connection to the database: {error}"),
        E::PoolTimedOut => "no connection to the database became free in time".into(),
        E::PoolClosed => "the connections to the database are closed".into(),
        E::ColumnDecode { index, .. } => format!("column {index} cannot be read"),
        E::RowNotFound => "a row is not there".into(),
        _ => "the database cannot be used".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_error_quotes_is_not_repeated() {
        for error in [
            DbErr::RecordNotFound("patient Marisol Tenney".into()),
            DbErr::Type("Tenney is no number".into()),
            DbErr::Json("invalid type: string \"Tenney\"".into()),
            DbErr::Custom("Tenney".into()),
            DbErr::Query(RuntimeErr::Internal("Tenney".into())),
            DbErr::Exec(RuntimeErr::SqlxError(sqlx::Error::Protocol("Tenney".into()).into())),
        ] {
            let said = describe(&error);
            assert!(!said.is_empty() && !said.contains("Tenney"), "{said}");
        }
    }
}
