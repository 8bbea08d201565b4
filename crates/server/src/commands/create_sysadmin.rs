//! `carepost create-sysadmin`

use super::{CreateSysadmin, open_app};
use accounts::passwords::{
    self,
    rules::{Owner, refusal},
};
use anyhow::{Context, Result, bail, ensure};
use platform::{
    App, Config,
    audit::{self, Act, Actor, event},
    fields::{is_email, user_name_key},
    session::ROLE_SYSADMIN,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};
use serde_json::json;
use std::io::{IsTerminal, Read, stdin};
use store::entities::app_user;
use uuid::Uuid;

pub async fn run(config: Config, account: CreateSysadmin) -> Result<()> {
    let password = read_password(&account)?;
    let names = [account.first_name.as_str(), account.last_name.as_str()];
    let owner = Owner::new(&names, &account.user_name, &[], false);
    if let Some(text) = refusal(&password, &owner) {
        bail!("the password cannot be used. {text}");
    }
    let app = open_app(config).await?;
    create(&app, &account, password).await?;
    println!("{} can sign in as system administrator.", account.user_name);
    Ok(())
}

fn read_password(account: &CreateSysadmin) -> Result<String> {
    let text = if let Some(file) = &account.password_file {
        std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?
    } else if stdin().is_terminal() {
        let typed = rpassword::prompt_password("Password: ")?;
        ensure!(typed == rpassword::prompt_password("Again: ")?, "the passwords differ");
        typed
    } else {
        let mut text = String::new();
        stdin().read_to_string(&mut text)?;
        text
    };
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

async fn create(app: &App, account: &CreateSysadmin, password: String) -> Result<()> {
    let key = user_name_key(&account.user_name);
    ensure!(!key.is_empty(), "the user name is empty");
    let email = account.email.as_deref().unwrap_or(&account.user_name).trim();
    // Codes for the first sign-in go there.
    ensure!(is_email(email), "give an e-mail address with --email: {email} is none");
    let password_hash = passwords::hash(password).await.map_err(|_| anyhow::anyhow!("hashing failed"))?;
    let txn = app.store.begin().await?;
    let taken = app_user::Entity::find().filter(app_user::Column::UserNameKey.eq(&key)).one(&txn).await?;
    if taken.is_some() {
        bail!("the user name {} is taken", account.user_name);
    }
    let (id, now) = (Uuid::now_v7(), app.clock.now());
    app_user::Entity::insert(app_user::ActiveModel {
        id: Set(id),
        user_name: Set(account.user_name.trim().to_owned()),
        user_name_key: Set(key),
        first_name: Set(account.first_name.clone()),
        last_name: Set(account.last_name.clone()),
        email: Set(email.to_owned()),
        phone: Set(String::new()),
        password_hash: Set(password_hash),
        system_role: Set(Some(ROLE_SYSADMIN.into())),
        network_admin_of: Set(None),
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
    })
    .exec_without_returning(&txn)
    .await?;
    let actor = Actor { name: "Command line".into(), ..Actor::default() };
    audit::record(app, &txn, &actor, Act::new(event::CREATED, "user", id))
        .await
        .map_err(|error| anyhow::anyhow!("the audit entry cannot be written: {error:?}"))?;
    txn.commit().await?;
    Ok(())
}
