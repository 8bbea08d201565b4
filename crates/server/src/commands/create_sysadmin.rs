//! `carepost create-sysadmin`

use super::{CreateSysadmin, open_app};
use crate::setup::operator::{self, NewOperator};
use anyhow::{Context, Result, bail, ensure};
use platform::{
    Config, Error,
    fields::{is_email, user_name_key},
};
use std::io::{IsTerminal, Read, stdin};

pub async fn run(config: Config, account: CreateSysadmin) -> Result<()> {
    let email = account.email.as_deref().unwrap_or(&account.user_name).trim();
    // Recipient of codes for the first sign-in.
    ensure!(is_email(email), "set an e-mail address with --email: {email} is not one");
    ensure!(!user_name_key(&account.user_name).is_empty(), "the user name is empty");
    let new = NewOperator {
        email: email.to_owned(),
        password: read_password(&account)?,
        user_name: account.user_name.clone(),
        first_name: account.first_name,
        last_name: account.last_name,
    };
    let app = open_app(config).await?;
    match operator::create(&app, new).await {
        Ok(()) => {}
        Err(Error::Invalid(errors)) => bail!(errors.sentences()),
        Err(error) => bail!("the account cannot be created: {error:?}"),
    }
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
