use chrono::{DateTime, Duration, Utc};
use futures::future::join_all;
use openssl::{
    md::Md,
    pkey::Id,
    pkey_ctx::PkeyCtx,
    symm::{Cipher, decrypt_aead, encrypt_aead},
};
use sea_orm::{ActiveModelTrait, EntityTrait};
use store::{
    Clock, Store,
    entities::organization_key,
    keys::{KeyError, KeyRing, MasterKey},
};
use testdb::Db;
use uuid::Uuid;

testdb::on_both_databases! {
    an_organization_gets_one_data_key_even_when_nodes_ask_at_once,
    organizations_cannot_open_each_others_values,
    a_wrapped_key_does_not_open_for_another_organization,
    a_key_made_in_a_transaction_goes_with_it,
    the_master_key_is_replaced_while_data_stays_readable,
    what_was_sealed_with_a_destroyed_key_is_gone_on_every_node,
}

pub fn clock() -> Clock {
    Clock::manual("2026-03-01T08:00:00Z".parse::<DateTime<Utc>>().unwrap())
}

pub fn ring(store: &Store, master: &MasterKey) -> KeyRing {
    KeyRing::new(store.clone(), clock(), master.clone())
}

#[test]
fn a_master_key_is_read_from_hexadecimal_digits_or_base64() {
    let hex = "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F";
    let key = MasterKey::parse(hex).unwrap();
    assert_eq!(key.to_base64().as_str(), "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    let unpadded = key.to_base64().trim_end_matches('=').to_owned();
    assert_eq!(MasterKey::parse(&format!(" {unpadded}\n")).unwrap().id(), key.id());
    for wrong in ["", "00", "AAEC", &hex[2..], &hex.replace('0', "é"), &"zz".repeat(32)] {
        assert!(matches!(MasterKey::parse(wrong), Err(KeyError::Malformed)), "{wrong}");
    }
}

#[test]
fn seals_and_derived_keys_are_those_of_the_standards() {
    let secret = [7; 32];
    let key = MasterKey::parse(&"07".repeat(32)).unwrap();
    let (nonce, context) = ([9; 12], "place:1");
    let mut tag = [0; 16];
    let text =
        encrypt_aead(Cipher::aes_256_gcm(), &secret, Some(&nonce), context.as_bytes(), b"A note", &mut tag);
    let sealed = [&[1], &nonce[..], &text.unwrap(), &tag].concat();
    assert_eq!(key.open(context, &sealed).unwrap(), b"A note");
    let sealed = key.seal(context, b"Another");
    let (nonce, text) = sealed[1..].split_at(12);
    let (text, tag) = text.split_at(text.len() - 16);
    let opened = decrypt_aead(Cipher::aes_256_gcm(), &secret, Some(nonce), context.as_bytes(), text, tag);
    assert_eq!(opened.unwrap(), b"Another");
    let mut derived = [0; 8];
    let mut hkdf = PkeyCtx::new_id(Id::HKDF).unwrap();
    hkdf.derive_init().unwrap();
    hkdf.set_hkdf_md(Md::sha256()).unwrap();
    hkdf.set_hkdf_key(&secret).unwrap();
    hkdf.add_hkdf_info(b"carepost master key id v1").unwrap();
    hkdf.derive(Some(&mut derived)).unwrap();
    assert_eq!(key.id(), derived.map(|b| format!("{b:02x}")).concat());
}

#[test]
fn keys_do_not_show_themselves() {
    let key = MasterKey::parse(&"ab".repeat(32)).unwrap();
    assert_eq!(format!("{key:?}"), format!("MasterKey({})", key.id()));
    assert!(!"ab".repeat(32).contains(key.id()));
}

#[test]
fn a_secret_of_the_installation_opens_only_unchanged_in_its_place_and_under_its_key() {
    let key = MasterKey::generate();
    let sealed = key.seal("ca:1", b"private key");
    assert_eq!(key.open("ca:1", &sealed).unwrap(), b"private key");
    assert_ne!(sealed, key.seal("ca:1", b"private key"), "the same value never looks the same");
    assert!(matches!(key.open("ca:2", &sealed), Err(KeyError::Tampered)));
    assert!(matches!(MasterKey::generate().open("ca:1", &sealed), Err(KeyError::Tampered)));
    for at in 0..sealed.len() {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        assert!(key.open("ca:1", &changed).is_err(), "byte {at}");
        assert!(key.open("ca:1", &sealed[..at]).is_err(), "cut at {at}");
    }
}

async fn an_organization_gets_one_data_key_even_when_nodes_ask_at_once(db: Db) {
    let store = db.migrated().await;
    let (master, organization) = (MasterKey::generate(), Uuid::now_v7());
    let nodes: Vec<KeyRing> = (0..8).map(|_| ring(&store, &master)).collect();
    let keys = join_all(nodes.iter().map(|node| node.data_key(organization))).await;
    let sealed = keys[0].as_ref().unwrap().seal("x", b"value");
    for key in keys {
        assert_eq!(key.unwrap().open("x", &sealed).unwrap(), b"value");
    }
    assert_eq!(organization_key::Entity::find().all(store.db()).await.unwrap().len(), 1);
}

async fn organizations_cannot_open_each_others_values(db: Db) {
    let store = db.migrated().await;
    let ring = ring(&store, &MasterKey::generate());
    let mine = ring.data_key(Uuid::now_v7()).await.unwrap();
    let yours = ring.data_key(Uuid::now_v7()).await.unwrap();
    let sealed = mine.seal_json("message.summary:1", &("subject", 7)).unwrap();
    assert_eq!(mine.open_json::<(String, i32)>("message.summary:1", &sealed).unwrap(), ("subject".into(), 7));
    assert!(matches!(mine.open("message.summary:2", &sealed), Err(KeyError::Tampered)));
    assert!(matches!(yours.open("message.summary:1", &sealed), Err(KeyError::Tampered)));
    assert_eq!(mine.word_hash(b"smith"), mine.word_hash(b"smith"));
    assert_ne!(mine.word_hash(b"smith"), yours.word_hash(b"smith"));
}

async fn a_wrapped_key_does_not_open_for_another_organization(db: Db) {
    let store = db.migrated().await;
    let (master, mine, yours) = (MasterKey::generate(), Uuid::now_v7(), Uuid::now_v7());
    ring(&store, &master).data_key(mine).await.unwrap();
    let row = organization_key::Entity::find_by_id(mine).one(store.db()).await.unwrap().unwrap();
    let moved = organization_key::Model { organization_id: yours, ..row };
    let moved: organization_key::ActiveModel = moved.into();
    organization_key::Entity::insert(moved.reset_all()).exec_without_returning(store.db()).await.unwrap();
    assert!(matches!(ring(&store, &master).data_key(yours).await, Err(KeyError::Tampered)));
}

async fn a_key_made_in_a_transaction_goes_with_it(db: Db) {
    let store = db.migrated().await;
    let (ring, organization) = (ring(&store, &MasterKey::generate()), Uuid::now_v7());
    let txn = store.begin().await.unwrap();
    let lost = ring.create_in(&txn, organization).await.unwrap().seal("x", b"value");
    txn.rollback().await.unwrap();
    assert!(ring.data_key(organization).await.unwrap().open("x", &lost).is_err());

    let other = Uuid::now_v7();
    let txn = store.begin().await.unwrap();
    let kept = ring.create_in(&txn, other).await.unwrap().seal("x", b"value");
    txn.commit().await.unwrap();
    assert_eq!(ring.data_key(other).await.unwrap().open("x", &kept).unwrap(), b"value");
}

async fn the_master_key_is_replaced_while_data_stays_readable(db: Db) {
    let store = db.migrated().await;
    let (old, new, organization) = (MasterKey::generate(), MasterKey::generate(), Uuid::now_v7());
    let sealed = ring(&store, &old).data_key(organization).await.unwrap().seal("x", b"value");
    let secret = old.seal("ca", b"key");

    let wrong = ring(&store, &new).data_key(organization).await;
    assert!(matches!(wrong, Err(KeyError::UnknownMasterKey(id)) if id == old.id()));

    let both = ring(&store, &new).with_previous([old.clone()]);
    assert_eq!(both.data_key(organization).await.unwrap().open("x", &sealed).unwrap(), b"value");
    assert_eq!(both.open_secret("ca", &secret).unwrap(), b"key");
    assert_eq!(both.rewrap_all().await.unwrap(), 1);
    assert_eq!(both.rewrap_all().await.unwrap(), 0);
    let resealed = both.resealed("ca", &secret).unwrap().expect("the old key sealed it");
    assert_eq!(both.resealed("ca", &resealed).unwrap(), None);
    assert_eq!(ring(&store, &new).open_secret("ca", &resealed).unwrap(), b"key");

    let fresh = ring(&store, &new);
    assert_eq!(fresh.data_key(organization).await.unwrap().open("x", &sealed).unwrap(), b"value");
    assert!(ring(&store, &old).data_key(organization).await.is_err());
}

async fn what_was_sealed_with_a_destroyed_key_is_gone_on_every_node(db: Db) {
    let store = db.migrated().await;
    let (master, organization, time) = (MasterKey::generate(), Uuid::now_v7(), clock());
    let here = ring(&store, &master);
    let there = KeyRing::new(store.clone(), time.clone(), master.clone());
    let sealed = here.data_key(organization).await.unwrap().seal("x", b"value");
    there.data_key(organization).await.unwrap();
    here.shred(store.db(), organization).await.unwrap();
    assert!(here.data_key(organization).await.unwrap().open("x", &sealed).is_err());
    time.advance(Duration::minutes(10));
    assert!(there.data_key(organization).await.unwrap().open("x", &sealed).is_err());
}
