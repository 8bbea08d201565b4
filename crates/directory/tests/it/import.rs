//! Imported lists.

use crate::search::found;
use directory::import::{self, ImportError, List, Options};
use sea_orm::{EntityTrait, PaginatorTrait};
use serde_json::json;
use std::{
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
};
use store::entities::{directory_entry, directory_import};
use testkit::{Client, Db, Role, TestApp};

testkit::on_both_databases! {
    a_changed_file_updates_what_differs_and_a_complete_one_removes_the_rest,
    an_interrupted_import_continues_where_it_stopped,
    only_an_import_that_was_complete_from_its_start_removes_entries,
    names_of_any_length_and_script_are_imported_and_found,
}

const NPI: &str = "\"NPI\",\"Entity Type Code\",\"Replacement NPI\",\"Provider Organization Name (Legal Business Name)\",\
\"Provider Last Name (Legal Name)\",\"Provider First Name\",\"Provider Middle Name\",\
\"Provider First Line Business Practice Location Address\",\"Provider Second Line Business Practice Location Address\",\
\"Provider Business Practice Location Address City Name\",\"Provider Business Practice Location Address State Name\",\
\"Provider Business Practice Location Address Postal Code\",\
\"Provider Business Practice Location Address Telephone Number\",\
\"Provider Business Practice Location Address Fax Number\",\"NPI Deactivation Date\",\"NPI Reactivation Date\"
\"1234567893\",\"2\",\"\",\"LARKFIELD FAMILY MEDICINE\",\"\",\"\",\"\",\"418 ORCHARD LANE\",\"SUITE 2\",\"PORTLAND\",\"OR\",\"972010418\",\"5035550142\",\"\",\"\",\"\"
\"2001405010\",\"1\",\"\",\"\",\"OKAFOR\",\"SAMUEL\",\"J\",\"77 GRANITE WAY\",\"\",\"DENVER\",\"CO\",\"802020077\",\"3035550188\",\"3035550189\",\"\",\"\"
\"2002551028\",\"2\",\"\",\"BAYLINE IMAGING\",\"\",\"\",\"\",\"2200 HARBOR STREET\",\"\",\"SAN FRANCISCO\",\"CA\",\"94111\",\"\",\"\",\"01/02/2026\",\"\"
\"1234567890\",\"2\",\"\",\"NUMBER WITH A WRONG CHECK DIGIT\",\"\",\"\",\"\",\"\",\"\",\"\",\"CA\",\"\",\"\",\"\",\"\",\"\"
";

struct World {
    app: TestApp,
    client: Client,
    folder: tempfile::TempDir,
}

async fn world(db: Db) -> World {
    let app = TestApp::start(db).await;
    let larkfield = app.organization("larkfield").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    World { app, client, folder: tempfile::tempdir().expect("a folder") }
}

impl World {
    fn file(&self, text: &str) -> PathBuf {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let path = self.folder.path().join(format!("{}.csv", NUMBER.fetch_add(1, Ordering::Relaxed)));
        std::fs::write(&path, text).expect("a file");
        path
    }

    async fn import(
        &self,
        list: List,
        text: &str,
        options: Options,
    ) -> Result<directory_import::Model, ImportError> {
        import::run(&self.app, list, &self.file(text), options, |_| ()).await
    }

    async fn entries(&self) -> u64 {
        directory_entry::Entity::find().count(self.app.store.db()).await.expect("a count")
    }
}

const COMPLETE: Options = Options { complete: true, again: false };

#[tokio::test]
async fn the_registry_of_npis_is_imported_by_the_names_of_its_columns() {
    let world = world(Db::sqlite()).await;
    let done = world.import(List::Npi, NPI, Options::default()).await.expect("the import is done");
    assert_eq!((done.rows, done.written, done.refused), (4, 2, 1));
    let answer = world.client.post("/api/directory/search", &json!({ "lastName": "okafor" })).await.ok();
    assert_eq!(
        answer["providers"][0],
        json!({
            "directAddress": "", "organizationName": "", "firstName": "SAMUEL", "lastName": "OKAFOR",
            "middleName": "J", "clinicName": "", "phonePrimary": "3035550188", "fax": "3035550189",
            "standardizedAddressLine1": "77 GRANITE WAY", "standardizedCity": "DENVER",
            "standardizedState": "CO", "standardizedZip": "802020077",
        })
    );
    let practices = found(&world.client, json!({ "organizationName": "family", "state": "OR" })).await.1;
    assert_eq!(practices, ["LARKFIELD FAMILY MEDICINE"]);
    let gone = NPI.replace("\"\",\"\"\n\"2001405010\"", "\"11/01/2026\",\"\"\n\"2001405010\"");
    world.import(List::Npi, &gone, Options::default()).await.expect("the import is done");
    let practices = found(&world.client, json!({ "organizationName": "family" })).await.1;
    assert!(practices.is_empty(), "a deactivated number is removed");
    world.app.finish().await;
}

#[tokio::test]
async fn a_directory_of_providers_may_name_its_columns_in_several_ways() {
    let world = world(Db::sqlite()).await;
    let list = "Direct Address,First Name,Last_Name,Practice,City,State,Zip Code,Phone\n\
        r.aldane@trivalley.direct.example,Rowan,Aldane,Tri-Valley Cardiology,Larkfield,oh,43999-1234,+1 (555) 010-0185\n\
        not an address,Jun,Aldersey,Summit,Larkfield,OH,43999,\n\
        ,,,Nameless,Larkfield,OH,43999,\n";
    let done = world.import(List::Provider, list, Options::default()).await.expect("the import is done");
    assert_eq!((done.rows, done.written, done.refused), (3, 1, 2));
    let answer = world.client.post("/api/directory/search", &json!({ "zip": "43999" })).await.ok();
    let person = &answer["providers"][0];
    assert_eq!(person["directAddress"], "r.aldane@trivalley.direct.example");
    assert_eq!((&person["phonePrimary"], &person["standardizedState"]), (&json!("5550100185"), &json!("OH")));
    world.app.finish().await;
}

async fn a_changed_file_updates_what_differs_and_a_complete_one_removes_the_rest(db: Db) {
    let world = world(db).await;
    let first = "id,lastName,city\n1,Aldane,Larkfield\n2,Alder,Larkfield\n3,Aldous,Larkfield\n";
    world.import(List::Provider, first, Options::default()).await.expect("the import is done");
    world.import(List::Npi, NPI, Options::default()).await.expect("the import is done");
    let second = "id,lastName,city\n1,Aldane,Bellmont\n2,Alder,Larkfield\n";
    let done = world.import(List::Provider, second, Options::default()).await.expect("the import is done");
    assert_eq!(done.written, 1, "what is the same is left alone");
    assert_eq!(found(&world.client, json!({ "city": "larkfield" })).await.0, ["Alder", "Aldous"]);
    assert_eq!(found(&world.client, json!({ "city": "bellmont" })).await.0, ["Aldane"]);
    let again = Options { again: true, ..COMPLETE };
    world.import(List::Provider, second, again).await.expect("the import is done");
    assert_eq!(found(&world.client, json!({ "city": "larkfield" })).await.0, ["Alder"]);
    assert_eq!(world.entries().await, 4, "other lists keep theirs");
    world.app.finish().await;
}

async fn only_an_import_that_was_complete_from_its_start_removes_entries(db: Db) {
    let world = world(db).await;
    let rows: String = (0..2_500).map(|n| format!("{n},\"Moss{n:04}\",Larkfield\n")).collect();
    let path = world.file(&format!("id,lastName,city\n{rows}"));
    let import = |options| import::run(&world.app, List::Provider, &path, options, |_| ());
    import(Options::default()).await.expect("the import is done");
    // Interrupted after its first batch, and not complete.
    let app = (*world.app).clone();
    let file = path.clone();
    let again = Options { again: true, ..Options::default() };
    let interrupted = tokio::spawn(async move {
        import::run(&app, List::Provider, &file, again, |_| panic!("the process dies")).await
    });
    assert!(interrupted.await.is_err());
    import(COMPLETE).await.expect("the import is done");
    assert_eq!(world.entries().await, 2_500, "all of them stand in the file");
    let empty = world.import(List::Provider, "id,lastName,city\n", COMPLETE).await;
    assert!(matches!(empty, Err(ImportError::Empty)), "{empty:?}");
    assert_eq!(world.entries().await, 2_500);
    world.app.finish().await;
}

async fn names_of_any_length_and_script_are_imported_and_found(db: Db) {
    let world = world(db).await;
    // Letters of four bytes, in a non-repeating order, so that they cannot be compressed.
    let letter = |n: u64| char::from_u32(0x20000 + (n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 50) as u32);
    let text = |from: u64| (from..from + 255).filter_map(letter).collect::<String>();
    let [first, last, practice, city] = [0, 300, 600, 900].map(text);
    let words = (1..200).map(|n| format!("w{n:03}")).collect::<Vec<_>>().join(" ");
    let list = format!(
        "id,firstName,lastName,organizationName,city,state\n1,{first},{last},{practice},{city},OH\n\
         2,,,{practice},{city},OH\n3,,,{words},{city},OH\n"
    );
    let done = world.import(List::Provider, &list, Options::default()).await.expect("the import is done");
    assert_eq!((done.written, done.refused), (3, 0));
    for asked in [
        json!({ "firstName": first, "lastName": last }),
        json!({ "organizationName": practice, "city": city }),
        json!({ "organizationName": practice, "state": "OH" }),
    ] {
        let answer = world.client.post("/api/directory/search", &asked).await.ok();
        assert_eq!(answer["providers"][0]["lastName"], json!(last));
    }
    let by_words = json!({ "organizationName": "w001 w050", "state": "OH" });
    assert_eq!(found(&world.client, by_words).await.1.len(), 1);
    world.app.finish().await;
}

async fn an_interrupted_import_continues_where_it_stopped(db: Db) {
    let world = world(db).await;
    let rows: String = (0..3_500).map(|n| format!("{n},\"Moss{n:04}\",\"Lark\nfield\"\n")).collect();
    let path = world.file(&format!("id,lastName,city\n{rows}"));
    let app = (*world.app).clone();
    let (told, stopped) = tokio::sync::oneshot::channel();
    let mut told = Some(told);
    let file = path.clone();
    let import = tokio::spawn(async move {
        import::run(&app, List::Provider, &file, COMPLETE, |so_far| {
            if so_far.rows == 2_000 {
                told.take().expect("once").send(()).expect("somebody waits");
                panic!("the process dies");
            }
        })
        .await
    });
    stopped.await.expect("two pieces are done");
    assert!(import.await.is_err());
    assert_eq!(world.entries().await, 2_000);
    let mut pieces = Vec::new();
    let done =
        import::run(&world.app, List::Provider, &path, COMPLETE, |so_far| pieces.push(so_far.rows)).await;
    let done = done.expect("the import is done");
    assert_eq!(pieces, [3_000, 3_500], "what was done is not done again");
    assert_eq!((done.rows, done.written, done.refused), (3_500, 3_500, 0));
    assert_eq!(world.entries().await, 3_500);
    let answer = world
        .client
        .post("/api/directory/search", &json!({ "city": "lark field", "providerPageStart": 350 }))
        .await
        .ok();
    assert_eq!(answer["totalProvidersCount"], 3_500);
    world.app.finish().await;
}

#[tokio::test]
async fn a_file_is_imported_once_unless_asked_for_again() {
    let world = world(Db::sqlite()).await;
    world.import(List::Npi, NPI, Options::default()).await.expect("the import is done");
    let twice = world.import(List::Npi, NPI, Options::default()).await;
    assert!(matches!(twice, Err(ImportError::Done(_))));
    let again = Options { again: true, ..Options::default() };
    assert_eq!(world.import(List::Npi, NPI, again).await.expect("the import is done").written, 0);
    assert_eq!(import::history(&world.app).await.expect("imports").len(), 2);
    world.app.finish().await;
}

#[tokio::test]
async fn a_file_that_is_not_such_a_list_is_refused() {
    let world = world(Db::sqlite()).await;
    let wrong = world.import(List::Npi, "id,lastName\n1,Aldane\n", Options::default()).await;
    assert!(matches!(wrong, Err(ImportError::Column("NPI"))));
    let wrong = world.import(List::Provider, "what,ever\n1,2\n", Options::default()).await;
    assert!(matches!(wrong, Err(ImportError::Column("lastName"))));
    let missing = world.folder.path().join("missing.csv");
    let missing = import::run(&world.app, List::Npi, &missing, Options::default(), |_| ()).await;
    assert!(matches!(missing, Err(ImportError::Read(_))));
    assert_eq!(world.entries().await, 0);
    assert!(
        import::history(&world.app).await.expect("imports").is_empty(),
        "a refused file leaves nothing behind"
    );
    world.app.finish().await;
}
