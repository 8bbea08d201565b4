//! Searching the patient index, for typed criteria or patients in documents.

use crate::{
    asked::{Asked, Fit},
    compare::{Agreement, Certainty, Comparison, Field, FieldMatch},
    face::{Face, Statement},
    model::Patient,
    tokens,
    values::{IDENTIFIER, Values},
};
use chrono::{DateTime, Utc};
use platform::Result;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, Order, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Select,
    sea_query::{Expr, ExprTrait, Query, UnionType},
};
use std::collections::HashMap;
use store::{
    entities::{
        patient, patient_source,
        patient_source::{Link, SourceKind},
        patient_token::{self, Column as Token},
    },
    keys::DataKey,
    tenant::Tenant,
};
use uuid::Uuid;

/// Most patients of one token in a typed search; the newest ones.
const TYPED_MAX: u64 = 200;
/// Most patients of one token in a match. A frequent one, such as that of a nursing home, finds only these.
const MATCHED_MAX: u64 = 50;
/// Most patients that are compared: those with the most common tokens.
const COMPARED_MAX: usize = 40;

/// A patient of the index, within the tenant's reading rights.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    pub id: Uuid,
    pub face: Face,
    pub seen_at: DateTime<Utc>,
}

impl Known {
    /// The patient data for a form.
    pub fn as_patient(&self) -> Patient {
        Patient { known_patient_id: Some(self.id), ..self.face.patient.clone() }
    }
}

/// A possible match in the index.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    pub known: Known,
    pub certainty: Certainty,
    /// Estimated percentage of such pairs that are one person; at most 99.
    pub percent: u8,
    pub fields: Vec<FieldMatch>,
    odds: f64,
}

/// Patients who match the typed criteria: exact matches first, then the latest.
pub async fn typed(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    key: &DataKey,
    asked: &Asked,
    limit: usize,
) -> Result<Vec<Known>> {
    let mut ids = exact(db, tenant.0, key, asked).await?;
    let mut found = fitting(known(db, tenant, key, &ids).await?, asked);
    if found.len() < limit && !asked.words.is_empty() {
        let more = forgiving(db, tenant.0, key, asked).await?;
        let more: Vec<Uuid> = more.into_iter().filter(|id| !ids.contains(id)).collect();
        found.extend(fitting(known(db, tenant, key, &more).await?, asked));
        ids.extend(more);
    }
    found.sort_by(|(a, one), (b, other)| b.cmp(a).then(other.seen_at.cmp(&one.seen_at)));
    Ok(found.into_iter().map(|(_, known)| known).take(limit).collect())
}

fn fitting(known: Vec<Known>, asked: &Asked) -> Vec<(Fit, Known)> {
    known.into_iter().filter_map(|known| Some((asked.fit(&known.face)?, known))).collect()
}

/// Exact search by the rarest criterion: a number, a birth date, two names, the start of one.
async fn exact(db: &impl ConnectionTrait, of: Uuid, key: &DataKey, asked: &Asked) -> Result<Vec<Uuid>> {
    if let Some(number) = asked.numbers.first() {
        let births = number.births.iter().map(|born| tokens::of_birth_date(key, *born));
        let tokens = tokens::of_number(key, &number.text).into_iter().chain(births).collect();
        return led_to(db, of, tokens, None).await;
    }
    if !asked.births.is_empty() {
        let births = asked.births.iter().map(|born| tokens::of_birth_date(key, *born)).collect();
        let word = asked.words.first().map(|word| tokens::of_prefix(key, word));
        return led_to(db, of, births, word).await;
    }
    let mut words: Vec<&String> = asked.words.iter().collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    match words.as_slice() {
        [] => Ok(Vec::new()),
        [one] => led_to(db, of, vec![tokens::of_prefix(key, one)], None).await,
        [one, other, ..] => match tokens::of_pair(key, one, other) {
            Some(pair) => led_to(db, of, vec![pair], None).await,
            None => {
                let [one, other] = [one, other].map(|word| tokens::of_prefix(key, word));
                led_to(db, of, vec![one], Some(other)).await
            }
        },
    }
}

/// Tolerant search by names that sound similar or have one typing error, and all other criteria.
async fn forgiving(db: &impl ConnectionTrait, of: Uuid, key: &DataKey, asked: &Asked) -> Result<Vec<Uuid>> {
    let mut found = Vec::new();
    for (at, word) in asked.words.iter().enumerate() {
        let other = asked.words.iter().enumerate().find(|(other, _)| *other != at);
        let other = other.map(|(_, word)| tokens::of_prefix(key, word));
        for id in led_to(db, of, tokens::alike(key, word), other).await? {
            if !found.contains(&id) {
                found.push(id);
            }
        }
    }
    Ok(found)
}

#[derive(FromQueryResult)]
struct Led {
    patient_id: Uuid,
}

/// The newest patients with a token.
fn newest(organization_id: Uuid, token: Vec<u8>, limit: u64) -> Select<patient_token::Entity> {
    patient_token::Entity::find()
        .select_only()
        .column(Token::PatientId)
        .filter(Token::OrganizationId.eq(organization_id))
        .filter(Token::Token.eq(token))
        .order_by(Token::PatientId, Order::Desc)
        .limit(limit)
}

/// The newest patients with any of these tokens and with `besides`. If `besides` is rare, all its patients; the
/// caller compares them.
async fn led_to(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    tokens: Vec<Vec<u8>>,
    besides: Option<Vec<u8>>,
) -> Result<Vec<Uuid>> {
    if let Some(besides) = &besides {
        // A rare or misspelled name is not searched in the long list of a frequent one.
        let few = newest(organization_id, besides.clone(), TYPED_MAX + 1);
        let few: Vec<Led> = few.into_model().all(db).await?;
        if few.len() as u64 <= TYPED_MAX {
            return Ok(few.into_iter().map(|led| led.patient_id).collect());
        }
    }
    let mut found = Vec::new();
    for token in tokens {
        let mut select = newest(organization_id, token, TYPED_MAX);
        if let Some(besides) = &besides {
            select = select.filter(has_token(organization_id, besides.clone()));
        }
        for Led { patient_id } in select.into_model::<Led>().all(db).await? {
            if !found.contains(&patient_id) {
                found.push(patient_id);
            }
        }
    }
    Ok(found)
}

/// Whether the patient of the outer row also has a token.
fn has_token(organization_id: Uuid, token: Vec<u8>) -> Expr {
    let other = "besides";
    let column = |column: Token| Expr::col((other, column));
    let select = Query::select()
        .expr(Expr::val(1))
        .from_as(patient_token::Entity, other)
        .and_where(column(Token::OrganizationId).eq(organization_id))
        .and_where(column(Token::Token).eq(token))
        .and_where(column(Token::PatientId).eq(Expr::col((patient_token::Entity, Token::PatientId))))
        .to_owned();
    Expr::exists(select)
}

/// Patients who are certainly or possibly the given one, the most likely first.
pub async fn matches(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    key: &DataKey,
    said: &Patient,
) -> Result<Vec<Match>> {
    let values = Values::of(said);
    if !values.is_somebody() {
        return Ok(Vec::new());
    }
    let ids = candidates(db, tenant.0, key, &values).await?;
    Ok(compared(known(db, tenant, key, &ids).await?, &values))
}

fn compared(known: Vec<Known>, values: &Values) -> Vec<Match> {
    let mut found: Vec<Match> = known.into_iter().filter_map(|known| Match::of(known, values)).collect();
    found.sort_by(|a, b| {
        let latest = b.known.seen_at.cmp(&a.known.seen_at);
        b.certainty.cmp(&a.certainty).then(b.odds.total_cmp(&a.odds)).then(latest)
    });
    found
}

impl Match {
    /// None if they do not count as the same person, unless they share a number.
    fn of(known: Known, values: &Values) -> Option<Self> {
        let found = known.face.compared(values);
        let percent = found.percent();
        let Comparison { certainty, odds, fields } = found;
        let same_number = FieldMatch { field: Field::PatientId, agreement: Agreement::Agrees };
        let certainty = certainty.or_else(|| fields.contains(&same_number).then_some(Certainty::Possible))?;
        Some(Self { known, certainty, percent, fields, odds })
    }

    fn has_same_number(&self) -> bool {
        self.fields.contains(&FieldMatch { field: Field::PatientId, agreement: Agreement::Agrees })
    }
}

/// Patients with one of this one's identifiers, regardless of other values.
pub(crate) async fn with_same_number(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    key: &DataKey,
    of: &Patient,
) -> Result<Vec<Match>> {
    let values = Values::of(of);
    let numbers = values.ids.iter().map(|id| key.token(IDENTIFIER, &id.number)).collect();
    let ids = led_to(db, tenant.0, numbers, None).await?;
    let found = compared(known(db, tenant, key, &ids).await?, &values);
    Ok(found.into_iter().filter(Match::has_same_number).collect())
}

/// The only certain match; none if there are two.
pub fn only_certain(matches: &[Match]) -> Option<&Match> {
    let mut certain = matches.iter().filter(|found| found.certainty == Certainty::Certain);
    match (certain.next(), certain.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// Patients with the most common tokens, found by one statement in which each token contributes some.
async fn candidates(
    db: &impl ConnectionTrait,
    organization_id: Uuid,
    key: &DataKey,
    values: &Values,
) -> Result<Vec<Uuid>> {
    let mut led = values.tokens(key).into_iter().map(|token| {
        let some = Query::select()
            .column(Token::PatientId)
            .from(patient_token::Entity)
            .and_where(Token::OrganizationId.eq(organization_id))
            .and_where(Token::Token.eq(token))
            .limit(MATCHED_MAX)
            .to_owned();
        // A separate limit needs a subquery: SQLite does not allow brackets around parts of a union.
        Query::select().column(Token::PatientId).from_subquery(some, "led").to_owned()
    });
    let Some(mut all) = led.next() else { return Ok(Vec::new()) };
    all.unions(led.map(|more| (UnionType::All, more)));
    let mut shared: HashMap<Uuid, usize> = HashMap::new();
    let statement = db.get_database_backend().build(&all);
    for Led { patient_id } in Led::find_by_statement(statement).all(db).await? {
        *shared.entry(patient_id).or_default() += 1;
    }
    let mut found: Vec<_> = shared.into_iter().collect();
    found.sort_by_key(|(id, shared)| (std::cmp::Reverse(*shared), *id));
    Ok(found.into_iter().take(COMPARED_MAX).map(|(id, _)| id).collect())
}

/// The existing patients with these ids, within the tenant's reading rights.
pub async fn known(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    key: &DataKey,
    ids: &[Uuid],
) -> Result<Vec<Known>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = patient::Entity::find()
        .filter(patient::Column::Id.is_in(ids.iter().copied()))
        .filter(patient::Column::OrganizationId.eq(tenant.0))
        .filter(patient::Column::MergedInto.is_null())
        .filter(patient::Column::SealedFace.is_not_null());
    let mut known = Vec::new();
    for row in rows.all(db).await? {
        let face = if tenant.unreadable().is_empty() {
            Face::open(key, &row)?
        } else {
            let said = statements(db, tenant, key, row.id).await?;
            // A correction alone does not reveal a patient whose messages may not be read.
            let is_shown = said.iter().any(|statement| statement.kind != SourceKind::Correction);
            is_shown.then(|| Face::of(&said))
        };
        if let Some(face) = face {
            known.push(Known { id: row.id, face, seen_at: row.seen_at });
        }
    }
    Ok(known)
}

/// Statements of a patient's confirmed sources that the tenant may read.
pub async fn statements(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    key: &DataKey,
    patient_id: Uuid,
) -> Result<Vec<Statement>> {
    use patient_source::Column;
    let readable =
        sea_orm::Condition::any().add(Column::MessageId.is_null()).add(tenant.of_readable(Column::MessageId));
    let rows = patient_source::Entity::find()
        .filter(Column::OrganizationId.eq(tenant.0))
        .filter(Column::PatientId.eq(patient_id))
        .filter(Column::Link.eq(Link::Confirmed))
        .filter(readable)
        .order_by(Column::SaidAt, Order::Desc);
    rows.all(db).await?.iter().map(|source| Statement::open(key, source)).collect()
}

/// Number of messages of each of these patients.
pub async fn message_counts(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    ids: &[Uuid],
) -> Result<HashMap<Uuid, u32>> {
    use patient_source::Column;
    let counted: Vec<(Uuid, i64)> = patient_source::Entity::find()
        .select_only()
        .column(Column::PatientId)
        .column_as(Column::Id.count(), "messages")
        .filter(Column::PatientId.is_in(ids.iter().copied()))
        .filter(Column::MessageId.is_not_null())
        .filter(Column::Link.eq(Link::Confirmed))
        .filter(tenant.of_readable(Column::MessageId))
        .group_by(Column::PatientId)
        .into_tuple()
        .all(db)
        .await?;
    Ok(counted.into_iter().map(|(id, messages)| (id, u32::try_from(messages).unwrap_or(u32::MAX))).collect())
}

/// The patients of these with a message from or to a facility, by part of its name or address.
pub async fn of_facility(
    db: &impl ConnectionTrait,
    tenant: &Tenant,
    ids: Vec<Uuid>,
    facility: &str,
) -> Result<Vec<Uuid>> {
    use store::entities::message;
    let facility = facility.to_lowercase();
    let columns = [
        message::Column::FromName,
        message::Column::FromAddress,
        message::Column::ToAddress,
        message::Column::CcAddress,
    ];
    let is_of = columns
        .into_iter()
        .fold(sea_orm::Condition::any(), |any, column| any.add(platform::sql::holds(column, &facility)));
    let messages = tenant
        .messages()
        .select_only()
        .column(message::Column::Id)
        .filter(is_of)
        .filter(message::Column::Id.into_expr().eq(patient_source::Column::MessageId.into_expr()));
    let found: Vec<Uuid> = patient_source::Entity::find()
        .select_only()
        .column(patient_source::Column::PatientId)
        .distinct()
        .filter(patient_source::Column::PatientId.is_in(ids))
        .filter(Expr::exists(messages.into_query()))
        .into_tuple()
        .all(db)
        .await?;
    Ok(found)
}
