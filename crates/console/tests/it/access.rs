use crate::{
    databases::on_both,
    world::{Person, World},
};
use axum::http::StatusCode;
use platform::session::{ROLE_ADMINISTRATOR, ROLE_REPORTING, ROLE_SYSADMIN, ROLE_USER};
use serde_json::Value;
use uuid::Uuid;

/// Method, path and stated roles of every operation.
fn operations(world: &World) -> Vec<(String, String, Vec<String>)> {
    let description = serde_json::to_value(&world.openapi).unwrap();
    let paths = description["paths"].as_object().unwrap().clone();
    let of_path = |(path, item): (String, Value)| -> Vec<_> {
        let operations = item.as_object().unwrap().clone();
        operations
            .into_iter()
            .filter(|(_, operation)| operation.get("operationId").is_some())
            .map(|(method, operation)| {
                let roles = operation["x-roles"].as_array().unwrap();
                let roles = roles.iter().map(|r| r.as_str().unwrap().to_owned()).collect();
                (method.to_uppercase(), path.clone(), roles)
            })
            .collect()
    };
    paths.into_iter().flat_map(of_path).collect()
}

#[tokio::test]
async fn every_operation_answers_only_the_roles_it_states() {
    on_both(async |world| {
        let organization = world.organization_id("Larkfield Family Medicine", "larkfield").await;
        let people = [
            ("user", Person::Member(ROLE_USER, organization)),
            ("admin", Person::Member(ROLE_ADMINISTRATOR, organization)),
            ("netadmin", Person::NetworkAdmin(world.lists.network)),
            ("sysadmin", Person::System(ROLE_SYSADMIN)),
            ("reporting", Person::System(ROLE_REPORTING)),
        ];
        let mut operations = operations(&world);
        // A practice that registers itself has not signed in.
        operations.retain(|(_, _, roles)| !roles.contains(&"public".to_owned()));
        assert!(operations.len() > 20, "the description names the operations");
        for (role, person) in people {
            let (token, _) = world.sign_in(person).await;
            for (method, path, roles) in &operations {
                // An unknown id and no body: whoever may call it is refused for another reason, if at all.
                let path = path.replace("{id}", &Uuid::now_v7().to_string());
                let answer = world.call_as(&token, method, &path, Value::Null).await;
                let forbidden = answer.status == StatusCode::FORBIDDEN;
                assert_eq!(forbidden, !roles.contains(&role.to_owned()), "{role} {method} {path}");
            }
        }
        for (method, path, _) in &operations {
            let path = path.replace("{id}", &Uuid::now_v7().to_string());
            let answer = world.call_as("", method, &path, Value::Null).await;
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{method} {path}");
        }
    })
    .await;
}

#[tokio::test]
async fn every_operation_has_an_id_of_its_own() {
    on_both(async |world| {
        let description = serde_json::to_string(&world.openapi).unwrap();
        let ids: Vec<&str> = description
            .split("\"operationId\":\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap())
            .collect();
        let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(ids.len(), distinct.len(), "{ids:?}");
    })
    .await;
}
