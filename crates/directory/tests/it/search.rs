//! Searching for people and organizations.

use directory::Entry;
use serde_json::{Value, json};
use testkit::{Client, Db, Role, TestApp};

testkit::on_both_databases! {
    each_criterion_narrows_the_search,
    names_are_found_whatever_their_case_accents_and_punctuation,
    pages_are_ordered_by_name_and_do_not_overlap,
    a_name_with_two_matching_words_is_found_once,
    words_are_found_within_the_given_place,
    a_prefix_of_many_cities_finds_words_in_all_of_them,
    words_that_no_entry_combines_find_nothing,
    frequent_words_that_few_entries_combine_find_those,
    pages_of_words_within_a_place_do_not_overlap,
    totals_are_exact_up_to_the_end_of_the_next_page,
}

fn person(last: &str, first: &str, clinic: &str, city: &str, state: &str, zip: &str) -> Entry {
    Entry {
        last_name: last.into(),
        first_name: first.into(),
        clinic_name: clinic.into(),
        ..place(city, state, zip)
    }
}

fn organization(name: &str, city: &str, state: &str, zip: &str) -> Entry {
    Entry { organization_name: name.into(), ..place(city, state, zip) }
}

fn place(city: &str, state: &str, zip: &str) -> Entry {
    Entry {
        direct_address: "desk@trivalley.direct.example".into(),
        phone: "5550100185".into(),
        fax: "5550100188".into(),
        address_line: "2200 Cedar Hollow Rd".into(),
        city: city.into(),
        state: state.into(),
        zip: zip.into(),
        ..Entry::default()
    }
}

pub async fn list(app: &TestApp, entries: Vec<Entry>) {
    let rows = entries.into_iter().enumerate().map(|(at, e)| e.row("test", &at.to_string(), None)).collect();
    let txn = app.store.begin().await.expect("a transaction");
    directory::write(&txn, rows).await.expect("the entries are written");
    txn.commit().await.expect("the entries are there");
}

async fn world(db: Db, entries: Vec<Entry>) -> (TestApp, Client) {
    let app = TestApp::start(db).await;
    list(&app, entries).await;
    let larkfield = app.organization("larkfield").await;
    let client = app.signed_in(Role::User, &larkfield).await;
    (app, client)
}

fn some() -> Vec<Entry> {
    vec![
        person("Aldane", "Rowan", "Tri-Valley Cardiology", "Larkfield", "OH", "43999"),
        person("Aldersey", "Jun", "Summit Orthopedics", "Larkfield", "OH", "439981234"),
        person("Alder", "Samir", "Brannoc Family Medicine", "Bellmont", "OH", "43998"),
        person("O’Brien-Lörk", "Ana María", "St. Mary's", "São Bento", "CA", "94111"),
        organization("Tri-Valley Cardiology", "Larkfield", "OH", "43999"),
        organization("Valley Family Medicine", "Larkfield", "CA", "94111"),
    ]
}

pub async fn found(client: &Client, asked: Value) -> (Vec<String>, Vec<String>) {
    let answer = client.post("/api/directory/search", &asked).await.ok();
    let names = |list: &str, name: &str| -> Vec<String> {
        let names = answer[list].as_array().expect("a list").iter();
        names.map(|entry| entry[name].as_str().expect("a name").to_owned()).collect()
    };
    let (providers, organizations) =
        (names("providers", "lastName"), names("organizations", "organizationName"));
    assert_eq!(answer["totalProvidersCount"], providers.len(), "{asked}");
    assert_eq!(answer["totalOrganizationsCount"], organizations.len(), "{asked}");
    (providers, organizations)
}

async fn each_criterion_narrows_the_search(db: Db) {
    let (app, client) = world(db, some()).await;
    let cases = [
        (json!({ "lastName": "ald" }), vec!["Aldane", "Alder", "Aldersey"], vec![]),
        (json!({ "lastName": "ald", "state": "OH", "city": "lark" }), vec!["Aldane", "Aldersey"], vec![]),
        (json!({ "lastName": "ald", "firstName": "s" }), vec!["Alder"], vec![]),
        (json!({ "lastName": "ald", "state": "CA" }), vec![], vec![]),
        (json!({ "firstName": "jun" }), vec!["Aldersey"], vec![]),
        (
            json!({ "city": "Larkfield" }),
            vec!["Aldane", "Aldersey"],
            vec!["Tri-Valley Cardiology", "Valley Family Medicine"],
        ),
        (json!({ "city": "Larkfield", "state": "ca" }), vec![], vec!["Valley Family Medicine"]),
        (json!({ "state": "CA" }), vec!["O’Brien-Lörk"], vec!["Valley Family Medicine"]),
        (json!({ "zip": "43998" }), vec!["Alder", "Aldersey"], vec![]),
        (json!({ "zip": "43998-1234" }), vec!["Aldersey"], vec![]),
        (
            json!({ "organizationName": "valley" }),
            vec!["Aldane"],
            vec!["Tri-Valley Cardiology", "Valley Family Medicine"],
        ),
        (
            json!({ "organizationName": "card tri", "zip": "439" }),
            vec!["Aldane"],
            vec!["Tri-Valley Cardiology"],
        ),
        (json!({ "organizationName": "medicine family", "city": "bell" }), vec!["Alder"], vec![]),
        (json!({ "organizationName": "medicine", "lastName": "al", "state": "OH" }), vec!["Alder"], vec![]),
        (json!({ "organizationName": "alley" }), vec![], vec![]),
    ];
    for (asked, mut providers, organizations) in cases {
        let (mut people, practices) = found(&client, asked.clone()).await;
        people.sort();
        providers.sort_unstable();
        assert_eq!(people, providers, "{asked}");
        assert_eq!(practices, organizations, "{asked}");
    }
    let answer = client.post("/api/directory/search", &json!({ "lastName": "Aldane" })).await.ok();
    assert_eq!(
        answer["providers"][0],
        json!({
            "directAddress": "desk@trivalley.direct.example", "organizationName": "", "firstName": "Rowan",
            "lastName": "Aldane", "middleName": "", "clinicName": "Tri-Valley Cardiology",
            "phonePrimary": "5550100185", "fax": "5550100188",
            "standardizedAddressLine1": "2200 Cedar Hollow Rd", "standardizedCity": "Larkfield",
            "standardizedState": "OH", "standardizedZip": "43999",
        })
    );
    app.finish().await;
}

async fn names_are_found_whatever_their_case_accents_and_punctuation(db: Db) {
    let (app, client) = world(db, some()).await;
    for asked in [
        json!({ "lastName": "obrien lork" }),
        json!({ "lastName": "O'BRIEN" }),
        json!({ "firstName": "ana maria" }),
        json!({ "city": "sao bento" }),
        json!({ "organizationName": "st marys" }),
    ] {
        assert_eq!(found(&client, asked.clone()).await.0, ["O’Brien-Lörk"], "{asked}");
    }
    for nobody in ["%", "_", "Ald%e", "Al_ane", "zzz", "\u{10FFFF}"] {
        let asked = json!({ "lastName": nobody, "state": "OH" });
        let people = found(&client, asked).await.0;
        let all = ["%", "_", "\u{10FFFF}"].contains(&nobody);
        assert_eq!(people.len(), if all { 3 } else { 0 }, "signs ask for nothing and find no more: {nobody}");
    }
    app.finish().await;
}

async fn pages_are_ordered_by_name_and_do_not_overlap(db: Db) {
    let people = (0..25).map(|n| person(&format!("Moss{n:02}"), "Kim", "Desk", "Larkfield", "OH", "43999"));
    let practices = (0..12).map(|n| organization(&format!("Moss {n:02}"), "Larkfield", "OH", "43999"));
    let (app, client) = world(db, people.rev().chain(practices).collect()).await;
    let mut names = Vec::new();
    for page in 1..=3 {
        let asked = json!({ "city": "larkfield", "providerPageStart": page });
        let answer = client.post("/api/directory/search", &asked).await.ok();
        assert_eq!(
            (&answer["totalProvidersCount"], &answer["totalOrganizationsCount"]),
            (&json!(25), &json!(12))
        );
        assert_eq!(answer["organizations"][0]["organizationName"], "Moss 00", "the other list stays");
        names.extend(answer["providers"].as_array().expect("a list").iter().map(|p| p["lastName"].clone()));
    }
    let expected: Vec<Value> = (0..25).map(|n| json!(format!("Moss{n:02}"))).collect();
    assert_eq!(names, expected);
    app.finish().await;
}

async fn a_name_with_two_matching_words_is_found_once(db: Db) {
    let entries = vec![
        organization("Medical Medicine Meadow", "Larkfield", "OH", "43999"),
        organization("Meadow Labs", "Larkfield", "OH", "43999"),
    ];
    let (app, client) = world(db, entries).await;
    let practices = found(&client, json!({ "organizationName": "me" })).await.1;
    assert_eq!(practices.len(), 2, "{practices:?}");
    assert_eq!(found(&client, json!({ "organizationName": "med" })).await.1, ["Medical Medicine Meadow"]);
    app.finish().await;
}

/// Practices of several places. Each has its own zip, which is in its name too.
fn practices() -> Vec<Entry> {
    let places = [
        ("Larkfield", "OH"),
        ("Larkfield", "CA"),
        ("Larkspur", "CA"),
        ("Larkspur Landing", "CA"),
        ("Lark", "OH"),
        ("Bellmont", "OH"),
    ];
    let names = ["Valley Family Medicine", "Family Imaging", "Medical Medicine", "Valley Medical Imaging"];
    let all = places.into_iter().flat_map(|place| names.map(|name| (place, name)));
    let numbered = all.enumerate().map(|(at, ((city, state), name))| {
        organization(&format!("{name} {at:02}"), city, state, &format!("439{at:02}"))
    });
    numbered.collect()
}

/// Numbers of the found practices.
async fn numbers(client: &Client, mut asked: Value) -> Vec<usize> {
    asked["pageSize"] = json!(100);
    let names = found(client, asked).await.1;
    let number = |name: &String| name.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a number");
    let mut numbers: Vec<usize> = names.iter().map(number).collect();
    numbers.sort_unstable();
    numbers
}

async fn words_are_found_within_the_given_place(db: Db) {
    let (app, client) = world(db, practices()).await;
    for (asked, expected) in [
        (json!({ "organizationName": "family medicine", "state": "OH" }), vec![0, 16, 20]),
        (json!({ "organizationName": "fam med", "state": "oh" }), vec![0, 16, 20]),
        (json!({ "organizationName": "med", "state": "OH" }), vec![0, 2, 3, 16, 18, 19, 20, 22, 23]),
        (json!({ "organizationName": "medi medical", "state": "CA" }), vec![6, 7, 10, 11, 14, 15]),
        (json!({ "organizationName": "family medicine", "city": "bellmont" }), vec![20]),
        (json!({ "organizationName": "me", "city": "Bellmont" }), vec![20, 22, 23]),
        (json!({ "organizationName": "valley imag", "city": "Larks" }), vec![11, 15]),
        (json!({ "organizationName": "valley imag", "city": "Lark" }), vec![3, 7, 11, 15, 19]),
        (json!({ "organizationName": "valley imag", "city": "Larkfield" }), vec![3, 7]),
        (json!({ "organizationName": "valley imag", "city": "Lark", "state": "OH" }), vec![3, 19]),
        (json!({ "organizationName": "valley imag", "city": "Lark", "state": "NY" }), vec![]),
        (json!({ "organizationName": "valley imag", "city": "Larkins" }), vec![]),
        (json!({ "organizationName": "imag", "city": "Lark", "zip": "43907" }), vec![7]),
        (json!({ "organizationName": "family imag", "state": "OH", "zip": "439" }), vec![1, 17, 21]),
        (json!({ "organizationName": "family imag", "zip": "4390" }), vec![1, 5, 9]),
    ] {
        assert_eq!(numbers(&client, asked.clone()).await, expected, "{asked}");
    }
    app.finish().await;
}

async fn a_prefix_of_many_cities_finds_words_in_all_of_them(db: Db) {
    let cities = (0..20).map(|n| {
        let name = if n == 5 { "Family Imaging" } else { "Family Medicine" };
        organization(&format!("{name} {n:02}"), &format!("Port {n:02}"), ["OH", "CA"][n % 2], "43999")
    });
    let (app, client) = world(db, cities.collect()).await;
    let all_but = |left_out: &[usize]| (0..20).filter(|n| !left_out.contains(n)).collect::<Vec<_>>();
    let odd = |numbers: Vec<usize>| numbers.into_iter().filter(|n| n % 2 == 1).collect::<Vec<_>>();
    for (asked, expected) in [
        (json!({ "organizationName": "family med", "city": "port" }), all_but(&[5])),
        (json!({ "organizationName": "family med", "city": "port", "state": "CA" }), odd(all_but(&[5]))),
        (json!({ "organizationName": "family", "city": "port 0" }), (0..10).collect()),
        (json!({ "organizationName": "family imag", "city": "port" }), vec![5]),
        (json!({ "organizationName": "medicine imag", "city": "port" }), vec![]),
    ] {
        assert_eq!(numbers(&client, asked.clone()).await, expected, "{asked}");
    }
    app.finish().await;
}

async fn words_that_no_entry_combines_find_nothing(db: Db) {
    let (app, client) = world(db, practices()).await;
    for place in [
        json!({}),
        json!({ "state": "OH" }),
        json!({ "city": "Larkfield" }),
        json!({ "city": "Lark" }),
        json!({ "city": "Lark", "state": "CA" }),
        json!({ "zip": "439" }),
    ] {
        let mut asked = place;
        asked["organizationName"] = json!("medicine imaging");
        assert_eq!(found(&client, asked.clone()).await, (vec![], vec![]), "{asked}");
    }
    app.finish().await;
}

async fn frequent_words_that_few_entries_combine_find_those(db: Db) {
    let name = |n: usize| match n {
        17 => "Family Imaging East".into(),
        18 => "Familial Family Imaging Imagery West".into(),
        _ if n.is_multiple_of(2) => format!("Family Practice {n:05}"),
        _ => format!("Imaging Center {n:05}"),
    };
    let practices =
        (0..10_100).map(|n| organization(&name(n), "Larkfield", "OH", &format!("{:05}", 43900 + n % 100)));
    let (app, client) = world(db, practices.collect()).await;
    let names = [17, 18].map(name);
    let [east, west] = names.each_ref().map(String::as_str);
    for (asked, expected) in [
        (json!({ "organizationName": "imaging family" }), vec![west, east]),
        (json!({ "organizationName": "imag fam" }), vec![west, east]),
        (json!({ "organizationName": "family imaging", "state": "OH" }), vec![west, east]),
        (json!({ "organizationName": "family imaging", "city": "lark" }), vec![west, east]),
        (json!({ "organizationName": "family imaging", "state": "OH", "zip": "43917" }), vec![east]),
        (json!({ "organizationName": "family imaging", "zip": "439" }), vec![west, east]),
        (json!({ "organizationName": "practice imaging" }), vec![]),
        (json!({ "organizationName": "practice family imaging" }), vec![]),
        (json!({ "organizationName": "center practice", "state": "OH" }), vec![]),
    ] {
        assert_eq!(found(&client, asked.clone()).await.1, expected, "{asked}");
    }
    let both = json!({ "organizationName": "fam family practice", "organizationPageStart": 3 });
    let answer = client.post("/api/directory/search", &both).await.ok();
    assert_eq!(answer["totalOrganizationsCount"], 100);
    assert_eq!(answer["organizations"][0]["organizationName"], "Family Practice 00042");
    app.finish().await;
}

async fn pages_of_words_within_a_place_do_not_overlap(db: Db) {
    let practices = (0..60).map(|n| {
        let city = ["Larkfield", "Larkspur", "Lark"][n % 3];
        organization(&format!("Family Medicine {n:02}"), city, "OH", "43999")
    });
    let (app, client) = world(db, practices.collect()).await;
    for place in
        [json!({ "state": "OH" }), json!({ "city": "Lark" }), json!({ "city": "Lark", "state": "OH" })]
    {
        let mut names = Vec::new();
        for page in 1..=6 {
            let mut asked = place.clone();
            asked["organizationName"] = json!("medi fami");
            asked["organizationPageStart"] = json!(page);
            let answer = client.post("/api/directory/search", &asked).await.ok();
            assert_eq!(answer["totalOrganizationsCount"], 60, "{asked}");
            let rows = answer["organizations"].as_array().expect("a list");
            names.extend(rows.iter().map(|row| row["organizationName"].to_string()));
        }
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 60, "{place}");
    }
    app.finish().await;
}

async fn totals_are_exact_up_to_the_end_of_the_next_page(db: Db) {
    let people =
        (0..10_050).map(|n| person(&format!("Moss{n:05}"), "Kim", "Desk", "Larkfield", "OH", "43999"));
    let (app, client) = world(db, people.collect()).await;
    for (page, total, last) in [
        (1, 100, "Moss00009"),
        (20, 210, "Moss00199"),
        (500, 5_010, "Moss04999"),
        (1_000, 10_000, "Moss09999"),
    ] {
        let asked = json!({ "lastName": "moss", "city": "larkfield", "providerPageStart": page });
        let answer = client.post("/api/directory/search", &asked).await.ok();
        assert_eq!(answer["totalProvidersCount"], total);
        assert_eq!(answer["providers"][9]["lastName"], last);
    }
    let beyond = json!({ "lastName": "moss", "providerPageStart": 1001 });
    client.post("/api/directory/search", &beyond).await.problem(400);
    app.finish().await;
}

#[tokio::test]
async fn a_search_without_criteria_or_with_invalid_input_is_refused() {
    let (app, client) = world(Db::sqlite(), some()).await;
    for nothing in [json!({}), json!({ "lastName": "  " }), json!({ "organizationName": "%'_" })] {
        let problem = client.post("/api/directory/search", &nothing).await.problem(400);
        assert_eq!(problem["message"], "Please fill in at least one field.");
    }
    for (field, value) in
        [("state", "Ohio"), ("zip", "439x9"), ("lastName", &"a".repeat(256)), ("zip", "4399912345")]
    {
        let problem = client.post("/api/directory/search", &json!({ field: value })).await.problem(422);
        assert!(problem["modelState"][field].is_array(), "{field}");
    }
    let too_many = json!({ "state": "OH", "pageSize": 101 });
    client.post("/api/directory/search", &too_many).await.problem(400);
    app.finish().await;
}

#[tokio::test]
async fn only_staff_and_service_accounts_search_the_directory() {
    let (app, _) = world(Db::sqlite(), some()).await;
    let asked = json!({ "state": "OH" });
    app.client().post("/api/directory/search", &asked).await.problem(401);
    let larkfield = app.organization("elsewhere").await;
    for role in [Role::SysAdmin, Role::Reporting, Role::NetAdmin] {
        app.signed_in(role, &larkfield).await.post("/api/directory/search", &asked).await.problem(403);
    }
    app.signed_in(Role::Admin, &larkfield).await.post("/api/directory/search", &asked).await.ok();
    app.finish().await;
}
