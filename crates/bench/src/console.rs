//! Part `console`: lists, reports and an import of organizations and users in the console.

use crate::{
    Options,
    list::ask,
    load::{TRANSACTION, databases, insert, patient, settle},
    table::Table,
};
use anyhow::{Context, Result, ensure};
use reqwest::{
    Method,
    multipart::{Form, Part},
};
use sea_orm::{EntityTrait, IntoActiveModel};
use serde_json::json;
use std::time::Instant;
use store::{
    entities::{app_user, brand, membership, organization, organization_name},
    organization_names,
};
use testkit::{Client, Db, Organization, Role, TestApp};
use uuid::Uuid;

const TARGET_MILLISECONDS: f64 = 25.0;
const TARGET_MEGABYTES: f64 = 20.0;
const TARGET_SECONDS: f64 = 120.0;
/// Users of each organization.
const USERS: usize = 10;
/// Rows of the imported file, the maximum.
const IMPORTED: usize = 10_000;
const KINDS: [&str; 4] = ["Family Medicine", "Orthopedics", "Imaging Center", "Home Health"];

pub async fn measure(options: &Options, table: &mut Table) -> Result<()> {
    for (name, db) in databases() {
        on(db, name, options, table).await?;
    }
    Ok(())
}

async fn on(db: Db, name: &str, options: &Options, table: &mut Table) -> Result<()> {
    let app = TestApp::start(db).await;
    let home = app.organization("home").await;
    let begun = Instant::now();
    let filled = fill(&app, &home, options.organizations).await?;
    let size = format!("{} organizations", options.organizations);
    println!("{name}: {size} with {USERS} users each were loaded in {:.0} s", begun.elapsed().as_secs_f64());
    let operator = app.signed_in(Role::SysAdmin, &home).await;
    let admin = app.signed_in(Role::Admin, &filled).await;
    for question in questions() {
        let client = if question.is_of_organization { &admin } else { &operator };
        let figures = ask(options.requests, async |n| client.get(&(question.path)(n)).await).await;
        let label = format!("{name}, {size}, p99 of {}", question.what);
        let p50 = format!(" (p50 {:.1} ms)", figures.p50);
        table.held_against(label, figures.p99, TARGET_MILLISECONDS, "ms", &p50);
    }
    for report in ["organizations", "users"] {
        let begun = Instant::now();
        let answer = operator.get(&format!("/api/admin/reports/{report}")).await;
        let seconds = begun.elapsed().as_secs_f64();
        ensure!(answer.status.is_success(), "the report on {report}: {}", answer.status);
        let megabytes = answer.body.len() as f64 / 1e6;
        let label = format!("{name}, report on {report} as CSV, {megabytes:.1} MB");
        table.at_least(label, megabytes / seconds, TARGET_MEGABYTES, "MB/s");
    }
    let seconds = import(&app, &operator).await?;
    table.at_most(
        format!("{name}, import of {IMPORTED} organizations from a file"),
        seconds,
        TARGET_SECONDS,
        "s",
    );
    app.finish().await;
    Ok(())
}

/// Adds organizations with their users, modelled on an existing organization and user. Returns one of them.
async fn fill(app: &TestApp, home: &Organization, count: usize) -> Result<Organization> {
    let db = app.store.db();
    let somebody = app.user(Role::User, home).await;
    let person = app_user::Entity::find_by_id(somebody.id).one(db).await?.context("a user")?;
    let place = organization::Entity::find_by_id(home.id).one(db).await?.context("an organization")?;
    let of_person = membership::Entity::find_by_id((somebody.id, home.id)).one(db).await?;
    let of_person = of_person.context("a membership")?;
    let mut last = None;
    for begin in (0..count).step_by(TRANSACTION / USERS) {
        let (mut places, mut names) = (Vec::new(), Vec::new());
        let (mut people, mut memberships) = (Vec::new(), Vec::new());
        for number in begin..count.min(begin + TRANSACTION / USERS) {
            let new = practice(&place, number);
            names.extend(organization_names::rows(new.id, &new.name_key));
            for of in 0..USERS {
                let user = user(&person, number * USERS + of);
                let membership =
                    membership::Model { user_id: user.id, organization_id: new.id, ..of_person.clone() };
                memberships.push(membership.into_active_model());
                people.push(user.into_active_model());
            }
            last = Some(Organization { id: new.id, sub_domain: new.sub_domain.clone() });
            places.push(new.into_active_model());
        }
        insert::<organization::Entity, organization::ActiveModel>(app, places).await?;
        insert::<organization_name::Entity, organization_name::ActiveModel>(app, names).await?;
        insert::<app_user::Entity, app_user::ActiveModel>(app, people).await?;
        insert::<membership::Entity, membership::ActiveModel>(app, memberships).await?;
    }
    settle(app).await?;
    last.context("there is one organization at least")
}

fn practice(of: &organization::Model, number: usize) -> organization::Model {
    let [_, family] = patient(number * 31 % 90_001);
    let name = format!("{family} {} {number}", KINDS[number % KINDS.len()]);
    organization::Model {
        id: Uuid::now_v7(),
        name_key: name.to_lowercase(),
        name,
        sub_domain: format!("practice-{number}"),
        is_pending_cancellation: number % 1_000 == 7,
        ..of.clone()
    }
}

fn user(of: &app_user::Model, number: usize) -> app_user::Model {
    let [first_name, last_name] = patient(number * 37 % 100_003);
    let user_name = format!("{first_name}.{last_name}.{number}@carepost.example").to_lowercase();
    app_user::Model {
        id: Uuid::now_v7(),
        user_name_key: user_name.clone(),
        email: user_name.clone(),
        user_name,
        first_name,
        last_name,
        ..of.clone()
    }
}

/// A request of a screen.
struct Question {
    what: &'static str,
    /// Path for the number of the request.
    path: Box<dyn Fn(usize) -> String>,
    /// Whether an administrator of an organization asks instead of an operator.
    is_of_organization: bool,
}

fn questions() -> Vec<Question> {
    let new = |what, path: Box<dyn Fn(usize) -> String>| Question { what, path, is_of_organization: false };
    let same = |what, path: &'static str| new(what, Box::new(move |_| path.to_owned()));
    let family = |n: usize| patient(n * 31 % 90_001)[1].clone();
    let person = |n: usize| patient(n * 37 % 100_003);
    vec![
        same("organizations: first page", "/api/organizations"),
        new(
            "organizations: pages 1 to 90 of a hundred",
            Box::new(|n| format!("/api/organizations?pageSize=100&pageNumber={}", n % 90 + 1)),
        ),
        same("organizations: last by name", "/api/organizations?sortDir=desc&pageSize=100"),
        same("organizations: being cancelled", "/api/organizations?cancelling=true&pageSize=100"),
        new(
            "organizations: by a name",
            Box::new(move |n| format!("/api/organizations?search={}", family(n))),
        ),
        new(
            "organizations: by three letters",
            Box::new(move |n| format!("/api/organizations?search={}", &family(n)[..3])),
        ),
        same("organizations: by a frequent word", "/api/organizations?search=medicine"),
        same("organizations: nobody's name", "/api/organizations?search=zzyzx"),
        new(
            "organizations to choose for a report",
            Box::new(move |n| format!("/api/admin/reports/organizationchoices?search={}", &family(n)[..3])),
        ),
        same("users: first page", "/api/admin/users"),
        new(
            "users: pages 1 to 90 of a hundred",
            Box::new(|n| format!("/api/admin/users?pageSize=100&pageNumber={}", n % 90 + 1)),
        ),
        // {"by":"userName","dir":"desc"}
        same(
            "users: last by name",
            "/api/admin/users?pageSize=100&sort=%7B%22by%22%3A%22userName%22%2C%22dir%22%3A%22desc%22%7D",
        ),
        same("users: with deleted ones", "/api/admin/users?deleted=true&pageSize=100"),
        same("users: operators", "/api/admin/users?sysAdmin=true"),
        new("users: by a last name", Box::new(move |n| format!("/api/admin/users?search={}", person(n)[1]))),
        new(
            "users: by both names",
            Box::new(move |n| {
                let [first, last] = person(n);
                format!("/api/admin/users?search={first}%20{last}")
            }),
        ),
        new(
            "users: by three letters",
            Box::new(move |n| format!("/api/admin/users?search={}", &person(n)[1][..3])),
        ),
        same("users: by a frequent first name", "/api/admin/users?search=maria"),
        same("users: nobody's name", "/api/admin/users?search=zzyzx"),
        Question { is_of_organization: true, ..same("people of one organization", "/api/users") },
    ]
}

/// Seconds until all organizations of a file are imported.
async fn import(app: &TestApp, operator: &Client) -> Result<f64> {
    let brand = brand::Entity::find().one(app.store.db()).await?.context("a brand")?;
    let shared = json!({
        "HispProviderId": app.listed("hisp_provider", "Carepost Direct").await, "BrandId": brand.id,
        "PlanId": null, "Specialty": app.listed("organization_specialty", "Family Medicine").await,
        "Type": app.listed("organization_type", "Clinic").await,
    });
    let mut file = String::from(
        "Organization name,Subdomain,Street,City,State,Zip,Contact first name,Contact last name,Contact email\r\n",
    );
    for number in 0..IMPORTED {
        file.push_str(&format!(
            "Alder Clinic {number},alder-{number},418 Orchard Lane,Portland,OR,97201,Dana,Whitlock,\
             dana{number}@alder.example\r\n"
        ));
    }
    let form = Form::new()
        .text("metadata", shared.to_string())
        .part("file", Part::bytes(file.into_bytes()).file_name("alder.csv"));
    let begun = Instant::now();
    operator
        .send(operator.request(Method::POST, "/api/admin/import/organization").multipart(form))
        .await
        .ok();
    app.drain().await;
    let seconds = begun.elapsed().as_secs_f64();
    let batch = operator.get("/api/admin/import/batches").await.ok()["items"][0].clone();
    ensure!(batch["created"] == IMPORTED, "not all were imported: {batch}");
    Ok(seconds)
}
