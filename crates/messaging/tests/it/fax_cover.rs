//! The fax cover of a brand for its organizations.

use crate::{
    fax::{SUMMIT, fax, pass_with_arrivals, two},
    support::audit_of,
};
use chrono::Duration;
use documents::{Kind, worker::Input};
use image::{DynamicImage, GrayImage, ImageFormat};
use messaging::fax::covers::{self, Change, MAX_NOTICE};
use platform::{Error, audit::Actor, picture::MAX_LOGO, upload::Upload};
use sea_orm::EntityTrait;
use std::io::Cursor;
use store::entities::{brand, fax_job};
use testkit::{Db, Practice, TestApp};

fn picture(format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::from(GrayImage::new(300, 100)).write_to(&mut bytes, format).expect("a picture");
    bytes.into_inner()
}

fn logo(bytes: Vec<u8>) -> Change {
    Change { logo: Some(Some(Upload::unnamed(bytes))), notice: None }
}

fn notice(text: &str) -> Change {
    Change { logo: None, notice: Some(text.into()) }
}

async fn set(app: &TestApp, change: Change) -> Result<(), String> {
    match covers::set(app, &Actor::default(), brand_id(app).await, None, change).await {
        Err(Error::Invalid(errors)) => Err(errors.sentences()),
        done => {
            done.expect("the database answers");
            Ok(())
        }
    }
}

/// Sends a fax and returns the number of dark points in the upper and the lower half of its first page.
async fn cover(app: &TestApp, practice: &Practice) -> (usize, usize) {
    let sent = fax(practice, SUMMIT, "Visit note").await;
    app.drain().await;
    let jobs = fax_job::Entity::find().all(app.store.db()).await.expect("faxes");
    let job = jobs.into_iter().find(|j| j.message_id.to_string() == sent).expect("the fax");
    let id = practice.organization.id;
    let key = app.keys.data_key(id).await.expect("a key");
    let tiff = app.blobs.read_to_vec(&key, id, job.blob_id.expect("pages"), 1 << 24).await.expect("pages");
    let page = app.converter.render_page(Input::bytes(Kind::Tiff, tiff), 1, 60).await.expect("a page");
    let page = image::load_from_memory(&page.png).expect("a picture").into_luma8();
    let half = page.height() / 2;
    let dark = |lower: bool| {
        page.enumerate_pixels().filter(|(_, y, p)| (*y >= half) == lower && p.0[0] < 128).count()
    };
    pass_with_arrivals(app, Duration::minutes(1)).await;
    practice.client.enter(&practice.user).await;
    (dark(false), dark(true))
}

/// Two covers differ only by the digits of their time.
#[track_caller]
fn assert_same(one: (usize, usize), other: (usize, usize)) {
    assert!(one.0.abs_diff(other.0) < 100 && one.1.abs_diff(other.1) < 100, "{one:?} {other:?}");
}

#[tokio::test]
async fn a_brand_prints_its_logo_and_its_notice_on_fax_covers() {
    let app = TestApp::start(Db::sqlite()).await;
    let (larkfield, _, _) = two(&app).await;
    let plain = cover(&app, &larkfield).await;
    for format in [ImageFormat::Png, ImageFormat::Jpeg] {
        set(&app, logo(picture(format))).await.expect("a logo");
        let printed = cover(&app, &larkfield).await;
        assert!(printed.0 > plain.0 + 1_000, "the {format:?} is on top: {plain:?} {printed:?}");
    }
    set(&app, Change { logo: Some(None), notice: None }).await.expect("no logo");
    assert_same(cover(&app, &larkfield).await, plain);

    set(&app, notice("  Private.  ")).await.expect("a notice");
    let short = cover(&app, &larkfield).await;
    let all = |(upper, lower): (usize, usize)| upper + lower;
    assert!(
        all(short) + 300 < all(plain),
        "a short notice takes the place of the long one: {plain:?} {short:?}"
    );
    set(&app, notice("")).await.expect("no notice");
    assert_same(cover(&app, &larkfield).await, plain);
    let brands = brand::Entity::find().all(app.store.db()).await.expect("brands");
    let acts = audit_of(&app, brands[0].id).await;
    assert_eq!(acts.len(), 5, "each change is in the trail");
    app.finish().await;
}

#[tokio::test]
async fn a_logo_that_cannot_be_printed_is_refused_with_a_reason() {
    let app = TestApp::start(Db::sqlite()).await;
    app.organization("larkfield").await;
    let mut broken = picture(ImageFormat::Png);
    broken.truncate(60);
    let mut large = picture(ImageFormat::Png);
    large.resize(MAX_LOGO + 1, 0);
    for (change, reason) in [
        (logo(b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec()), "Please choose a PNG or JPEG picture."),
        (logo(Vec::new()), "Please choose a PNG or JPEG picture."),
        (logo(broken), "The logo could not be read as a picture."),
        (logo(large), "A logo may have at most 512 KiB."),
        (notice(&"x".repeat(MAX_NOTICE + 1)), "A notice can have at most 1500 characters."),
    ] {
        assert_eq!(set(&app, change).await, Err(reason.to_owned()));
    }
    assert_eq!(covers::of(&app, brand_id(&app).await).await.expect("a cover"), None, "nothing is kept");
    app.finish().await;
}

async fn brand_id(app: &TestApp) -> uuid::Uuid {
    brand::Entity::find().one(app.store.db()).await.expect("brands").expect("a brand").id
}
