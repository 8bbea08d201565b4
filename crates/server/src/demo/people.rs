//! The demo's users.

use super::{
    failed,
    practices::{
        self, BAYLINE, FERNHILL, GRANITE, HOLLIS, IRONWOOD, JUNIPER, KESTREL, LARKFIELD, NORTHGATE,
        Practices, QUARRY_LAB, SUMMIT, TARN, TRI_VALLEY,
    },
    reference::{Lists, MERIDIAN_EXCHANGE},
};
use accounts::{
    branding::http::DEMO_PASSWORD,
    onboarding::{
        http::{self as onboarding, ACTIVATION_NOTICE},
        terms::queries as terms,
    },
    passwords,
};
use anyhow::{Context, Result};
use platform::{
    App,
    session::{ROLE_ADMINISTRATOR, ROLE_REPORTING, ROLE_SYSADMIN, ROLE_USER},
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;
use std::collections::HashMap;
use store::{
    Transaction,
    entities::{app_user, membership, organization, user_document_source},
};
use uuid::Uuid;

/// The users by the local part of their user name.
pub type People = HashMap<&'static str, Person>;

pub struct Person {
    pub id: Uuid,
    pub first: &'static str,
    pub last: &'static str,
}

/// A user with organization and role.
struct Line {
    name: &'static str,
    first: &'static str,
    last: &'static str,
    job: &'static str,
    system_role: Option<&'static str>,
    /// The network that they administer.
    network: Option<&'static str>,
    places: &'static [(&'static str, &'static str)],
}

const fn line(
    name: &'static str,
    first: &'static str,
    last: &'static str,
    job: &'static str,
    places: &'static [(&'static str, &'static str)],
) -> Line {
    Line { name, first, last, job, system_role: None, network: None, places }
}

const LINES: &[Line] = &[
    line(
        "dana",
        "Dana",
        "Whitfield",
        "Practice Manager",
        &[(LARKFIELD, ROLE_ADMINISTRATOR), (SUMMIT, ROLE_USER)],
    ),
    line("priya", "Priya", "Nandakumar", "Medical Assistant", &[(LARKFIELD, ROLE_USER)]),
    line("rosa", "Rosa", "Meijer", "Health Information Clerk", &[(LARKFIELD, ROLE_USER)]),
    line("owen", "Owen", "Castellan", "Nurse", &[(LARKFIELD, ROLE_USER)]),
    line("sam", "Sam", "Okafor-Lund", "Office Manager", &[(SUMMIT, ROLE_ADMINISTRATOR)]),
    line("tess", "Tess", "Halloran", "Scheduler", &[(SUMMIT, ROLE_USER)]),
    line("nia", "Nia", "Castellanos", "Director", &[(BAYLINE, ROLE_ADMINISTRATOR)]),
    line("anselm", "Anselm", "Okonkwo", "Physician", &[(TRI_VALLEY, ROLE_ADMINISTRATOR)]),
    line("lena", "Lena", "Fairweather", "Laboratory Director", &[(QUARRY_LAB, ROLE_ADMINISTRATOR)]),
    // For trying features that would get in the way of other users: second steps, passkeys, forgotten passwords.
    line("mika", "Mika", "Sorensen", "Laboratory Technician", &[(QUARRY_LAB, ROLE_USER)]),
    line("ida", "Ida", "Castellan", "Laboratory Technician", &[(QUARRY_LAB, ROLE_USER)]),
    line("jo", "Jo", "Lindqvist", "Courier", &[(QUARRY_LAB, ROLE_USER)]),
    line("fern", "Fern", "Hadley", "Practice Manager", &[(FERNHILL, ROLE_ADMINISTRATOR)]),
    line("hollis", "Hollis", "Grant", "Office Manager", &[(HOLLIS, ROLE_ADMINISTRATOR)]),
    line("ines", "Ines", "Ferraro", "Practice Administrator", &[(IRONWOOD, ROLE_ADMINISTRATOR)]),
    line("jude", "Jude", "Merriweather", "Practice Manager", &[(JUNIPER, ROLE_ADMINISTRATOR)]),
    line("kai", "Kai", "Lindqvist", "Clinic Manager", &[(KESTREL, ROLE_ADMINISTRATOR)]),
    line("cora", "Cora", "Blythe", "Director", &[(TARN, ROLE_ADMINISTRATOR), (GRANITE, ROLE_USER)]),
    line("colin", "Colin", "Marsh", "Sleep Technician", &[(TARN, ROLE_USER)]),
    line("gwen", "Gwen", "Ashdown", "Office Manager", &[(GRANITE, ROLE_ADMINISTRATOR)]),
    line("ruth", "Ruth", "Abernathy", "Health Information Manager", &[(NORTHGATE, ROLE_ADMINISTRATOR)]),
    Line {
        network: Some(MERIDIAN_EXCHANGE),
        ..line("mara", "Mara", "Ellingsen", "Network Administrator", &[])
    },
    Line { system_role: Some(ROLE_SYSADMIN), ..line("ops", "Ola", "Brandt", "Operations", &[]) },
    Line { system_role: Some(ROLE_REPORTING), ..line("rita", "Rita", "Vance", "Reporting", &[]) },
];

/// Password hashes, computed before a transaction begins because each takes time.
pub async fn accounts() -> Result<Vec<String>> {
    let hashes = LINES.iter().map(|_| passwords::hash(DEMO_PASSWORD.into()));
    futures::future::try_join_all(hashes).await.map_err(failed)
}

pub async fn load(
    app: &App,
    txn: &Transaction,
    lists: &Lists,
    practices: &Practices,
    hashes: Vec<String>,
) -> Result<()> {
    for (line, hash) in LINES.iter().zip(hashes) {
        let id = Uuid::now_v7();
        app_user::Entity::insert(user(app, id, line, hash, lists, practices))
            .exec_without_returning(txn)
            .await?;
        for (place, role) in line.places {
            join(txn, id, line, practices, place, role).await?;
            if *role == ROLE_ADMINISTRATOR && practices::is_onboarded(place) {
                accept_terms(app, txn, id, practices[place].id).await?;
            }
            if *place == BAYLINE {
                // Dismissed, so that the notice does not cover the dashboard on every visit.
                onboarding::dismiss(txn, id, ACTIVATION_NOTICE).await.map_err(failed)?;
            }
        }
    }
    Ok(())
}

/// An administrator who accepted the terms when the organization was created.
async fn accept_terms(app: &App, txn: &Transaction, user_id: Uuid, organization_id: Uuid) -> Result<()> {
    let organization = organization::Entity::find_by_id(organization_id).one(txn).await?;
    let organization = organization.context("an organization that was just made")?;
    let applicable = terms::applicable(txn, &organization).await.map_err(failed)?.context("terms")?;
    let by = terms::By { organization_id, user_id, for_organization: true, source_ip: "127.0.0.1" };
    terms::record(txn, applicable.terms.id, &by, app.clock.now()).await.map_err(failed)?;
    Ok(())
}

/// The users created by [`load`].
pub async fn find(app: &App) -> Result<People> {
    let mut people = People::new();
    for line in LINES {
        let of_line = app_user::Column::UserNameKey.eq(format!("{}@carepost.example", line.name));
        let row = app_user::Entity::find().filter(of_line).one(app.store.db()).await?;
        let id = row.with_context(|| format!("the user {} is gone", line.name))?.id;
        people.insert(line.name, Person { id, first: line.first, last: line.last });
    }
    Ok(people)
}

fn user(
    app: &App,
    id: Uuid,
    line: &Line,
    hash: String,
    lists: &Lists,
    practices: &Practices,
) -> app_user::ActiveModel {
    let (user_name, now) = (format!("{}@carepost.example", line.name), app.clock.now());
    app_user::ActiveModel {
        id: Set(id),
        user_name: Set(user_name.clone()),
        user_name_key: Set(user_name.clone()),
        first_name: Set(line.first.into()),
        last_name: Set(line.last.into()),
        email: Set(user_name),
        phone: Set(String::new()),
        password_hash: Set(hash),
        system_role: Set(line.system_role.map(Into::into)),
        network_admin_of: Set(line.network.map(|name| lists.networks[name])),
        is_disabled: Set(false),
        disabled_at: Set(None),
        deleted_at: Set(None),
        failed_logins: Set(0),
        locked_until: Set(None),
        password_changed_at: Set(now),
        preferences: Set(json!({})),
        last_organization_id: Set(line.places.first().map(|(place, _)| practices[place].id)),
        created_at: Set(now),
        modified_at: Set(now),
        version: Set(1),
    }
}

/// Makes a user a member who may send from every address of the organization.
async fn join(
    txn: &Transaction,
    user_id: Uuid,
    line: &Line,
    practices: &Practices,
    place: &str,
    role: &str,
) -> Result<()> {
    let practice = &practices[place];
    membership::Model::new(user_id, practice.id, role, line.job).insert(txn).await?;
    let links = practice.sources.iter().map(|(source, _)| user_document_source::ActiveModel {
        user_id: Set(user_id),
        document_source_id: Set(*source),
        organization_id: Set(practice.id),
    });
    if !practice.sources.is_empty() {
        user_document_source::Entity::insert_many(links).exec_without_returning(txn).await?;
    }
    Ok(())
}
