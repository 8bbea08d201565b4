//! A master key in a PKCS #11 hardware module (OASIS): it seals and opens there by AES-256-GCM, and never leaves it.

use super::{KeyError, NONCE, TAG, VERSION, beside};
use aws_lc_rs::rand;
use cryptoki::{
    context::{CInitializeArgs, CInitializeFlags, Pkcs11},
    error::{Error, RvError},
    mechanism::{Mechanism, aead::GcmParams},
    object::{Attribute, AttributeType, KeyType, ObjectClass, ObjectHandle},
    session::{Session, UserType},
    types::AuthPin,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// Length of the key, in bytes.
const LENGTH: u64 = 32;

/// Location of a key.
#[derive(Clone)]
pub struct Place {
    /// The manufacturer's library.
    pub module: PathBuf,
    pub token_label: String,
    pub key_label: String,
    /// None if the module asks for it itself.
    pub pin: Option<String>,
}

/// A key of a token, and a session that uses it.
pub struct HardwareKey {
    place: Place,
    open: Mutex<Option<Open>>,
}

impl HardwareKey {
    /// Opens the token and looks for the key.
    pub async fn find(place: Place) -> Result<Arc<Self>, KeyError> {
        beside(move || {
            let open = Mutex::new(Some(Open::at(&place)?));
            Ok(Arc::new(Self { place, open }))
        })
        .await
    }

    /// Creates the key, unless it exists. It cannot be read from the token.
    pub fn make(place: &Place) -> Result<bool, KeyError> {
        let session = place.session(true)?;
        if place.key(&session)?.is_some() {
            return Ok(false);
        }
        let template = [
            Attribute::Class(ObjectClass::SECRET_KEY),
            Attribute::KeyType(KeyType::AES),
            Attribute::ValueLen(LENGTH.into()),
            Attribute::Label(place.key_label.clone().into_bytes()),
            Attribute::Token(true),
            Attribute::Private(true),
            Attribute::Sensitive(true),
            Attribute::Extractable(false),
            Attribute::Encrypt(true),
            Attribute::Decrypt(true),
        ];
        session.generate_key(&Mechanism::AesKeyGen, &template).map_err(failed("makes no key"))?;
        Ok(true)
    }

    /// Like [`super::seal`].
    pub(super) fn seal(&self, context: &[u8], bytes: &[u8]) -> Result<Vec<u8>, KeyError> {
        let mut nonce = [0; NONCE];
        rand::fill(&mut nonce).expect("the machine gives random bytes");
        let sealed = self.work(|open| {
            let mut own = nonce;
            open.session.encrypt(&gcm(&mut own, context)?, open.key, bytes)
        })?;
        Ok([&[VERSION], nonce.as_slice(), &sealed].concat())
    }

    /// Like [`super::open`].
    pub(super) fn open(&self, context: &[u8], sealed: &[u8]) -> Result<Vec<u8>, KeyError> {
        if sealed.len() < 1 + NONCE + TAG || sealed[0] != VERSION {
            return Err(KeyError::Tampered);
        }
        let (nonce, rest) = sealed[1..].split_at(NONCE);
        self.work(|open| open.session.decrypt(&gcm(&mut nonce.to_vec(), context)?, open.key, rest))
    }

    /// Runs an operation in the module, in a new session if the previous one has become invalid.
    fn work(&self, act: impl Fn(&Open) -> Result<Vec<u8>, Error>) -> Result<Vec<u8>, KeyError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(done) = open.as_ref().and_then(|known| act(known).ok()) {
            return Ok(done);
        }
        // Ends the old session before the new one begins.
        *open = None;
        let again = Open::at(&self.place)?;
        let done = act(&again).map_err(failed("does not seal or open with this key"));
        *open = Some(again);
        done
    }
}

/// AES-GCM with a tag of full length.
fn gcm<'a>(nonce: &'a mut [u8], context: &'a [u8]) -> Result<Mechanism<'a>, Error> {
    Ok(Mechanism::AesGcm(GcmParams::new(nonce, context, (TAG as u64 * 8).into())?))
}

/// A session with a token with a signed-in user.
struct Open {
    session: Session,
    key: ObjectHandle,
}

impl Open {
    fn at(place: &Place) -> Result<Self, KeyError> {
        let session = place.session(false)?;
        let missing = || {
            KeyError::Module(format!(
                "has no key {:?} in the token {:?}; `carepost make-key` makes it",
                place.key_label, place.token_label
            ))
        };
        let key = place.key(&session)?.ok_or_else(missing)?;
        Ok(Self { session, key })
    }
}

impl Place {
    fn session(&self, writes: bool) -> Result<Session, KeyError> {
        let library = library(&self.module).map_err(failed("cannot be used"))?;
        let is_ours = |slot: &_| {
            library.get_token_info(*slot).is_ok_and(|token| token.label().trim_end() == self.token_label)
        };
        let slots = library.get_slots_with_initialized_token().map_err(failed("names no tokens"))?;
        let missing = || KeyError::Module(format!("has no token {:?}", self.token_label));
        let slot = slots.into_iter().find(is_ours).ok_or_else(missing)?;
        let opened = if writes { library.open_rw_session(slot) } else { library.open_ro_session(slot) };
        let session = opened.map_err(failed("opens no session"))?;
        let pin = self.pin.clone().map(AuthPin::from);
        match session.login(UserType::User, pin.as_ref()) {
            Ok(()) | Err(Error::Pkcs11(RvError::UserAlreadyLoggedIn, _)) => Ok(session),
            Err(error) => Err(failed("does not take the PIN")(error)),
        }
    }

    /// The only AES-256 key of that label.
    fn key(&self, session: &Session) -> Result<Option<ObjectHandle>, KeyError> {
        let wanted = [
            Attribute::Class(ObjectClass::SECRET_KEY),
            Attribute::KeyType(KeyType::AES),
            Attribute::Label(self.key_label.clone().into_bytes()),
        ];
        let found = session.find_objects(&wanted).map_err(failed("looks for no keys"))?;
        let [key] = found[..] else {
            let several = || KeyError::Module(format!("has several keys {:?}", self.key_label));
            return if found.is_empty() { Ok(None) } else { Err(several()) };
        };
        let known = session.get_attributes(key, &[AttributeType::ValueLen]);
        match known.map_err(failed("says nothing of its key"))?.first() {
            Some(Attribute::ValueLen(length)) if u64::from(*length) != LENGTH => {
                Err(KeyError::Module(format!("has a key {:?} that is not one of AES-256", self.key_label)))
            }
            _ => Ok(Some(key)),
        }
    }
}

/// The library of a module, which a process may initialize once.
fn library(path: &Path) -> Result<Pkcs11, Error> {
    static LOADED: Mutex<BTreeMap<PathBuf, Pkcs11>> = Mutex::new(BTreeMap::new());
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = loaded.get(path) {
        return Ok(known.clone());
    }
    let library = Pkcs11::new(path)?;
    match library.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK)) {
        Ok(()) | Err(Error::Pkcs11(RvError::CryptokiAlreadyInitialized, _)) => {}
        Err(error) => return Err(error),
    }
    loaded.insert(path.to_owned(), library.clone());
    Ok(library)
}

fn failed(what: &str) -> impl Fn(Error) -> KeyError {
    move |error| KeyError::Module(format!("{what}: {error}"))
}
