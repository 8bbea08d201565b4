use crate::keys::{clock, ring};
use chrono::{DateTime, Duration, Utc};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, Condition, EntityTrait, IntoActiveModel, QueryFilter,
};
use serde_json::json;
use std::collections::{BTreeSet, HashMap, HashSet};
use store::entities::message::{Direction, SourceType, Status};
use store::entities::{brand::BrandSettings, string_list::StringList};
use store::{
    Store,
    entities::{brand, message, organization, search_posting, search_prefix, search_word},
    keys::{DataKey, MasterKey},
    search::{self, Count, Entry, Found, Search, words},
};
use testdb::Db;
use uuid::Uuid;

testdb::on_both_databases! {
    a_message_is_found_by_words_and_their_beginnings_newest_first,
    a_word_is_found_by_another_that_counts_as_much,
    whole_words_add_no_beginnings_and_are_told_apart_by_message,
    a_text_without_words_finds_everything_under_the_filter,
    only_visible_messages_of_the_asked_list_are_found,
    a_span_of_time_narrows_the_search,
    pages_join_without_gap_or_repeat_by_offset_and_by_cursor,
    a_removed_message_is_found_no_more_and_its_words_still_find_others,
    indexing_again_changes_nothing_and_known_words_add_no_beginnings,
    the_database_holds_no_readable_word,
    many_words_that_begin_alike_and_long_histories_stay_findable,
    counting_common_words_is_exact_however_many_have_to_be_checked,
}

const INTAKE: Direction = Direction::Intake;
const RELEASE: Direction = Direction::Release;

struct Archive {
    store: Store,
    key: DataKey,
    organization_id: Uuid,
    /// Name of each message, by id.
    names: HashMap<Uuid, String>,
}

impl Archive {
    async fn new(store: Store) -> Self {
        let organization_id = Uuid::now_v7();
        add_organization(&store, organization_id).await;
        let key = ring(&store, &MasterKey::generate()).data_key(organization_id).await.unwrap();
        Self { store, key, organization_id, names: HashMap::new() }
    }

    /// Adds an Intake message received this many minutes after the first, under its text as name.
    async fn add(&mut self, minute: i64, text: &str) -> Entry {
        self.add_to(INTAKE, minute, text).await
    }

    async fn add_to(&mut self, direction: Direction, minute: i64, text: &str) -> Entry {
        let entry = Entry {
            organization_id: self.organization_id,
            direction,
            message_id: Uuid::now_v7(),
            received_at: clock().now() + Duration::minutes(minute),
        };
        add_message(&self.store, &entry).await;
        index(&self.store, &self.key, &entry, &[text]).await;
        self.names.insert(entry.message_id, text.to_owned());
        entry
    }

    fn search(&self, text: &str) -> Search {
        Search {
            organization_id: self.organization_id,
            direction: INTAKE,
            text: text.to_owned(),
            alike: |_| Vec::new(),
            filter: Condition::all(),
            since: None,
            until: None,
            before: None,
            offset: 0,
            limit: 50,
        }
    }

    async fn find(&self, search: &Search) -> Vec<&str> {
        let Found { ids, complete, .. } = search::find(self.store.db(), &self.key, search).await.unwrap();
        assert!(complete);
        ids.iter().map(|id| self.names[id].as_str()).collect()
    }

    async fn found_by(&self, text: &str) -> Vec<&str> {
        self.find(&self.search(text)).await
    }

    async fn count(&self, text: &str, cap: u64) -> Count {
        search::count(self.store.db(), &self.key, &self.search(text), cap).await.unwrap()
    }
}

#[test]
fn words_are_plain_lower_case_letters_and_digits() {
    assert_eq!(
        words(&["Müller-Lüdenscheidt, José; ÀÉÎ", "№ 12/34 x"]),
        ["muller", "ludenscheidt", "jose", "aei", "no", "12", "34"]
    );
    assert_eq!(words(&["ﬁle FILE file.pdf", "PDF"]), ["file", "pdf"]);
    assert_eq!(words(&["O\u{2019}Brien", &"w".repeat(40)]), ["brien".to_owned(), "w".repeat(32)]);
    assert_eq!(words(&["İstanbul Ελένη Иванов"]), ["istanbul", "ελενη", "иванов"]);
    assert!(words(&["", "a b c", "- ; ."]).is_empty());
}

async fn index(store: &Store, key: &DataKey, entry: &Entry, pieces: &[&str]) {
    let txn = store.begin().await.unwrap();
    search::index(&txn, key, entry, pieces).await.unwrap();
    txn.commit().await.unwrap();
}

async fn a_message_is_found_by_words_and_their_beginnings_newest_first(db: Db) {
    let store = db.migrated().await;
    let mut a = Archive::new(store).await;
    a.add(1, "Laboratory results José Núñez").await;
    a.add(3, "Labor and delivery note Nunez").await;
    a.add(2, "Collaboration agreement").await;
    let (old, new) = ("Laboratory results José Núñez", "Labor and delivery note Nunez");
    assert_eq!(a.found_by("laboratory").await, [old]);
    assert_eq!(a.found_by("lab").await, [new, old]);
    assert_eq!(a.found_by("LABOR").await, [new, old]);
    assert_eq!(a.found_by("nuñez").await, [new, old]);
    assert_eq!(a.found_by("jos").await, [old]);
    assert_eq!(a.found_by("nun lab").await, [new, old]);
    assert_eq!(a.found_by("lab, nunez; labor!").await, [new, old]);
    assert_eq!(a.found_by("lab jose deliv").await, [""; 0]);
    assert_eq!(a.found_by("laboratoryx").await, [""; 0]);
    assert_eq!(a.found_by("boratory").await, [""; 0]);
}

async fn a_word_is_found_by_another_that_counts_as_much(db: Db) {
    let store = db.migrated().await;
    let mut a = Archive::new(store).await;
    a.add(1, "note Halloran ƨhlrn").await;
    a.add(2, "note Harland").await;
    let alike = |word: &str| if word == "haleran" { vec!["ƨhlrn".to_owned()] } else { Vec::new() };
    let search = Search { alike, ..a.search("note haleran") };
    assert_eq!(a.find(&search).await, ["note Halloran ƨhlrn"]);
    assert_eq!(a.found_by("note haleran").await, [""; 0]);
}

async fn whole_words_add_no_beginnings_and_are_told_apart_by_message(db: Db) {
    let store = db.migrated().await;
    let mut a = Archive::new(store.clone()).await;
    let (one, two) = (a.add(1, "one").await, a.add(2, "two").await);
    let beginnings = async || search_prefix::Entity::find().all(store.db()).await.unwrap().len();
    let before = beginnings().await;
    let words = || ["ƽecho".to_owned(), "ƽflow".to_owned()];
    let mut held = BTreeSet::new();
    for _ in 0..2 {
        let txn = store.begin().await.unwrap();
        held = search::number_words(&txn, &a.key, &one, words()).await.unwrap();
        search::post(&txn, &one, &held).await.unwrap();
        txn.commit().await.unwrap();
    }
    assert_eq!((held.len(), beginnings().await), (2, before));
    let alike = |word: &str| vec![format!("ƽ{word}")];
    assert_eq!(a.find(&Search { alike, ..a.search("on echo") }).await, ["one"]);
    assert_eq!(a.find(&Search { alike, ..a.search("ech") }).await, [""; 0]);
    let holders =
        async |word: &str| search::holders(store.db(), &a.key, &[one, two], [word.to_owned()]).await.unwrap();
    assert_eq!(holders("ƽflow").await, HashSet::from([one.message_id]));
    search::unpost(store.db(), &one, &held).await.unwrap();
    assert!(holders("ƽflow").await.is_empty());
}

async fn a_text_without_words_finds_everything_under_the_filter(db: Db) {
    let store = db.migrated().await;
    let mut a = Archive::new(store).await;
    a.add(1, "one").await;
    a.add(2, "two").await;
    assert_eq!(a.found_by(" ; x").await, ["two", "one"]);
    assert_eq!(a.count("", 10).await, Count { value: 2, exact: true });
    assert_eq!(a.count("", 1).await, Count { value: 1, exact: false });
}

async fn only_visible_messages_of_the_asked_list_are_found(db: Db) {
    let store = db.migrated().await;
    let mut a = Archive::new(store.clone()).await;
    a.add(1, "note first").await;
    let hidden = a.add(2, "note deleted").await;
    let urgent = a.add(3, "note urgent").await;
    a.add_to(RELEASE, 4, "note sent").await;
    change(&store, hidden.message_id, |m| m.deleted_at = Set(Some(clock().now()))).await;
    let filter = Condition::all().add(message::Column::IsUrgent.eq(false));
    assert_eq!(a.find(&Search { filter, ..a.search("note") }).await, ["note urgent", "note first"]);
    search::unindex(store.db(), &a.key, &hidden, &["note deleted"]).await.unwrap();
    change(&store, urgent.message_id, |m| m.is_urgent = Set(true)).await;

    assert_eq!(a.found_by("note").await, ["note urgent", "note first"]);
    let filter = Condition::all().add(message::Column::IsUrgent.eq(true));
    assert_eq!(a.find(&Search { filter: filter.clone(), ..a.search("note") }).await, ["note urgent"]);
    assert_eq!(a.find(&Search { filter, ..a.search("") }).await, ["note urgent"]);
    assert_eq!(a.find(&Search { direction: RELEASE, ..a.search("note") }).await, ["note sent"]);

    let mut other = Archive::new(store).await;
    other.add(1, "note of another organization").await;
    assert_eq!(other.found_by("note").await, ["note of another organization"]);
    assert_eq!(a.count("note", 10).await, Count { value: 2, exact: true });
}

async fn a_span_of_time_narrows_the_search(db: Db) {
    let store = db.migrated().await;
    let mut a = Archive::new(store).await;
    for minute in 0..5 {
        a.add(minute, &format!("report {minute}0")).await;
    }
    let at = |minute| Some(clock().now() + Duration::minutes(minute));
    for text in ["report", ""] {
        let span = Search { since: at(1), until: at(3), ..a.search(text) };
        assert_eq!(a.find(&span).await, ["report 20", "report 10"]);
    }
}

async fn pages_join_without_gap_or_repeat_by_offset_and_by_cursor(db: Db) {
    let store = db.migrated().await;
    let mut a = Archive::new(store).await;
    // Several at the same time, some with two words with the same beginning.
    for n in 0..25 {
        a.add(n / 5, &format!("scan scanned number{n:02}")).await;
    }
    let all: Vec<String> = a.found_by("scan").await.into_iter().map(str::to_owned).collect();
    assert_eq!(all.len(), 25);
    for text in ["scan", "number", ""] {
        let mut paged = Vec::new();
        for page in 0..4 {
            let search = Search { offset: page * 7, limit: 7, ..a.search(text) };
            let names = a.find(&search).await;
            for cap in [5, 25, 100] {
                let both = search::find_counted(a.store.db(), &a.key, &search, cap).await.unwrap();
                let found: Vec<_> = both.0.ids.iter().map(|id| a.names[id].as_str()).collect();
                assert_eq!((found, both.0.complete), (names.clone(), true), "{text}, {page}");
                assert_eq!(both.1, a.count(text, cap).await, "{text}, {page}");
            }
            paged.extend(names);
        }
        assert_eq!(paged, all, "{text}");

        let (mut paged, mut before) = (Vec::new(), None);
        loop {
            let page = Search { before, limit: 7, ..a.search(text) };
            let ids = search::find(a.store.db(), &a.key, &page).await.unwrap().ids;
            let Some(last) = ids.last() else { break };
            let last = message::Entity::find_by_id(*last).one(a.store.db()).await.unwrap().unwrap();
            before = Some((last.received_at, last.id));
            paged.extend(ids.iter().map(|id| a.names[id].clone()));
        }
        assert_eq!(paged, all, "{text}");
    }
    assert!(a.find(&Search { offset: 30, ..a.search("scan") }).await.is_empty());
    assert_eq!(a.count("scan", 100).await, Count { value: 25, exact: true });
    assert_eq!(a.count("scan", 25).await, Count { value: 25, exact: true });
    assert_eq!(a.count("scan", 24).await, Count { value: 24, exact: false });
}

async fn a_removed_message_is_found_no_more_and_its_words_still_find_others(db: Db) {
    let store = db.migrated().await;
    let mut a = Archive::new(store.clone()).await;
    let gone = a.add(1, "referral letter").await;
    a.add(2, "referral reply").await;
    search::unindex(store.db(), &a.key, &gone, &["referral letter"]).await.unwrap();
    assert_eq!(a.found_by("referral").await, ["referral reply"]);
    assert_eq!(a.found_by("letter").await, [""; 0]);
    index(&store, &a.key, &gone, &["letter", "referral"]).await;
    assert_eq!(a.found_by("letter").await, ["referral letter"]);
    // More words than a statement takes values.
    let long: Vec<String> = (0..70_000).map(|n| format!("n{n}")).collect();
    let long = format!("letter {}", long.join(" "));
    search::unindex(store.db(), &a.key, &gone, &[long.as_str()]).await.unwrap();
    assert_eq!(a.found_by("letter").await, [""; 0]);
}

async fn indexing_again_changes_nothing_and_known_words_add_no_beginnings(db: Db) {
    let store = db.migrated().await;
    let mut a = Archive::new(store.clone()).await;
    let entry = a.add(1, "echo echoes").await;
    let rows = async || {
        let beginnings = search_prefix::Entity::find().all(store.db()).await.unwrap().len();
        let postings = search_posting::Entity::find().all(store.db()).await.unwrap().len();
        (beginnings, postings)
    };
    assert_eq!(rows().await, (3 + 5, 2));
    index(&store, &a.key, &entry, &["echo echoes"]).await;
    assert_eq!(rows().await, (3 + 5, 2));
    a.add(2, "echo").await;
    assert_eq!(rows().await, (3 + 5, 3));
}

async fn the_database_holds_no_readable_word(db: Db) {
    let store = db.migrated().await;
    let mut a = Archive::new(store.clone()).await;
    a.add(1, "lovelace").await;
    for row in search_prefix::Entity::find().all(store.db()).await.unwrap() {
        assert_eq!((row.prefix.len(), row.word.len()), (16, 16));
        assert!(!row.prefix.starts_with(b"lo") && !row.word.starts_with(b"lo"));
    }
    for row in search_word::Entity::find().all(store.db()).await.unwrap() {
        assert!(row.word.len() == 16 && !row.word.starts_with(b"lo"));
    }
}

async fn many_words_that_begin_alike_and_long_histories_stay_findable(db: Db) {
    let store = db.migrated().await;
    let mut a = Archive::new(store.clone()).await;
    let entries: Vec<Entry> = (0..1_500)
        .map(|n| Entry {
            organization_id: a.organization_id,
            direction: INTAKE,
            message_id: Uuid::now_v7(),
            received_at: clock().now() + Duration::seconds(n),
        })
        .collect();
    let txn = store.begin().await.unwrap();
    for (n, entry) in entries.iter().enumerate() {
        insert_message(&txn, entry).await;
        let text = format!("common {} pa{:03} {}", if n % 2 == 0 { "even" } else { "odd" }, n % 150, rare(n));
        search::index(&txn, &a.key, entry, &[&text]).await.unwrap();
        a.names.insert(entry.message_id, n.to_string());
    }
    txn.commit().await.unwrap();

    let top = |texts: Vec<&str>| texts.into_iter().take(3).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(top(a.found_by("common").await), ["1499", "1498", "1497"]);
    assert_eq!(top(a.found_by("common even").await), ["1498", "1496", "1494"]);
    assert_eq!(a.found_by("odd common rare").await, ["1001", "501", "1"]);
    assert_eq!(a.found_by("even odd").await, [""; 0]);
    assert_eq!(a.found_by("pa149").await.len(), 10);
    // Beginnings of more than a hundred words: some of them, still newest first.
    let some = a.found_by("pa").await;
    assert_eq!(some.len(), 50);
    assert!(some.windows(2).all(|w| w[0].parse::<i32>().unwrap() > w[1].parse::<i32>().unwrap()));
    let deep = Search { offset: 1_490, ..a.search("common") };
    assert_eq!(a.find(&deep).await.len(), 10);
    assert_eq!(a.count("common", 10_000).await, Count { value: 1_500, exact: true });
    assert_eq!(a.count("common", 999).await, Count { value: 999, exact: false });
    assert_eq!(a.count("common even", 10_000).await, Count { value: 750, exact: true });
    // A hundred words of ten messages each, and the beginning itself, which is not a word.
    assert_eq!(a.count("pa", 10_000).await, Count { value: 1_000, exact: true });
    assert!(a.count("pa odd", 10_000).await.exact);
    let cursor = entries[750];
    let rest = Search { before: Some((cursor.received_at, cursor.message_id)), ..a.search("common") };
    let (found, count) = search::find_counted(store.db(), &a.key, &rest, 10_000).await.unwrap();
    assert_eq!(a.names[&found.ids[0]], "749");
    assert_eq!(count, Count { value: 1_500, exact: true }, "a count is that of the whole list");
    for (text, total) in [("rarest", Some(3)), ("odd common rare", Some(3)), ("common", None), ("", None)] {
        let found = search::find(store.db(), &a.key, &a.search(text)).await.unwrap();
        assert_eq!(found.total, total, "a search that came to the end knows how many there are: {text}");
    }
}

async fn counting_common_words_is_exact_however_many_have_to_be_checked(db: Db) {
    let store = db.migrated().await;
    let a = Archive::new(store.clone()).await;
    let messages = 4_100;
    let txn = store.begin().await.unwrap();
    let known = Entry {
        organization_id: a.organization_id,
        direction: INTAKE,
        message_id: Uuid::now_v7(),
        received_at: clock().now(),
    };
    search::index(&txn, &a.key, &known, &["common even"]).await.unwrap();
    for (word, every) in [("common", 1), ("even", 2)] {
        let word = search_word::Entity::find()
            .filter(search_word::Column::Word.eq(a.key.word_hash(word.as_bytes()).to_vec()))
            .one(&txn)
            .await
            .unwrap()
            .unwrap();
        let rows: Vec<_> = (0..messages)
            .filter(|n| n % every == 0)
            .map(|n| search_posting::ActiveModel {
                word: Set(word.number),
                at: Set((clock().now() + Duration::seconds(n)).timestamp_micros()),
                message_id: Set(Uuid::from_u128(n as u128)),
            })
            .collect();
        for part in rows.chunks(1_000) {
            search_posting::Entity::insert_many(part.iter().cloned())
                .exec_without_returning(&txn)
                .await
                .unwrap();
        }
    }
    txn.commit().await.unwrap();

    let all = Count { value: messages as u64 + 1, exact: true };
    assert_eq!(a.count("common", 10_000).await, all, "messages of one word need no look");
    let half = Count { value: messages as u64 / 2 + 1, exact: true };
    assert_eq!(a.count("even common", 10_000).await, half);
    let filter = Condition::all().add(message::Column::IsUrgent.eq(true));
    let search = Search { filter, limit: 1, ..a.search("common") };
    let count = search::count(store.db(), &a.key, &search, 10_000).await.unwrap();
    assert_eq!(count, Count { value: 0, exact: true });
}

fn rare(n: usize) -> &'static str {
    if n % 500 == 1 { "rarest" } else { "plain" }
}

async fn add_message(store: &Store, entry: &Entry) {
    insert_message(store.db(), entry).await;
}

async fn insert_message(db: &impl sea_orm::ConnectionTrait, entry: &Entry) {
    let row = message::Model {
        id: entry.message_id,
        organization_id: entry.organization_id,
        direction: entry.direction,
        status: Status::Received,
        is_draft: false,
        source_type: SourceType::DirectMessage,
        from_address: String::new(),
        from_name: String::new(),
        to_address: String::new(),
        cc_address: String::new(),
        bcc_address: String::new(),
        sealed_summary: Vec::new(),
        sealed_content: Vec::new(),
        received_at: entry.received_at,
        message_date: entry.received_at,
        read_at: None,
        is_urgent: false,
        snoozed_until: None,
        assigned_to: None,
        assignment_ends_at: None,
        processed_at: None,
        processed_type: None,
        release_type_id: None,
        classification: None,
        patient_doubt: None,
        conversion: None,
        original_message_id: None,
        rfc_message_id: None,
        in_reply_to: None,
        attachment_count: 0,
        fax_page_count: None,
        created_by: None,
        workflow_id: None,
        deleted_at: None,
        version: 1,
    };
    message::Entity::insert(row.into_active_model().reset_all()).exec_without_returning(db).await.unwrap();
}

async fn change(store: &Store, id: Uuid, set: impl Fn(&mut message::ActiveModel)) {
    let mut row = message::ActiveModel { id: Set(id), ..Default::default() };
    set(&mut row);
    row.update(store.db()).await.unwrap();
}

async fn add_organization(store: &Store, id: Uuid) {
    let now: DateTime<Utc> = clock().now();
    let brand = brand::Model {
        id,
        name: id.to_string(),
        display_name: String::new(),
        color: String::new(),
        colors: StringList::default(),
        hosts: StringList::default(),
        logo_digest: String::new(),
        settings: BrandSettings::default(),
        has_own_terms: false,
        version: 1,
    };
    brand::Entity::insert(brand.into_active_model().reset_all())
        .exec_without_returning(store.db())
        .await
        .unwrap();
    let row = organization::Model {
        id,
        name: String::new(),
        name_key: String::new(),
        sub_domain: id.to_string(),
        brand_id: id,
        organization_type_id: None,
        organization_specialty_id: None,
        npi: String::new(),
        emr: String::new(),
        preferred_group_name: String::new(),
        reseller_id: None,
        plan_id: None,
        network_id: None,
        hisp_provider_id: None,
        street: String::new(),
        unit: String::new(),
        city: String::new(),
        state: String::new(),
        zip: String::new(),
        primary_phone: String::new(),
        primary_fax: String::new(),
        phone: String::new(),
        contact_first_name: String::new(),
        contact_last_name: String::new(),
        contact_email: String::new(),
        contact_title: String::new(),
        contact_npi: String::new(),
        purposes_of_use: StringList::default(),
        settings: json!({}),
        is_activated: true,
        is_enabled: true,
        login_type: String::new(),
        api_capture: false,
        is_cancelled: false,
        is_pending_cancellation: false,
        grace_until: None,
        subscription_reference: None,
        eula_accepted_at: None,
        id_proofed_at: None,
        id_proof_attempt_at: None,
        created_by: String::new(),
        created_at: now,
        modified_by: String::new(),
        modified_at: now,
        deleted_at: None,
        version: 1,
    };
    let row = row.into_active_model().reset_all();
    organization::Entity::insert(row).exec_without_returning(store.db()).await.unwrap();
}
