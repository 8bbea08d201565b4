//! OpenSSL's path validation functions that the `openssl` crate does not provide: policies, revocation lists, and the
//! extensions of lists.
#![allow(unsafe_code)] // FFI: pointers are owned by the wrappers below and never leave this file

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;

use foreign_types::{ForeignType, ForeignTypeRef};
use openssl::asn1::Asn1Object;
use openssl::error::ErrorStack;
use openssl::nid::Nid;
use openssl::stack::{Stack, Stackable};
use openssl::x509::store::X509StoreRef;
use openssl::x509::verify::X509VerifyParam;
use openssl::x509::{AccessDescription, DistPoint, X509, X509Crl, X509StoreContext, X509VerifyResult};
use openssl_sys as ffi;

use super::Crl;
use crate::cert::{Certificate, is_http};

unsafe extern "C" {
    fn X509_STORE_CTX_set0_crls(context: *mut ffi::X509_STORE_CTX, crls: *mut ffi::OPENSSL_STACK);
    fn X509_VERIFY_PARAM_add0_policy(
        parameters: *mut ffi::X509_VERIFY_PARAM,
        policy: *mut ffi::ASN1_OBJECT,
    ) -> c_int;
}

/// Adds an object identifier to the accepted policies of a path.
pub(super) fn accept_policy(parameters: &mut X509VerifyParam, oid: &str) -> Result<(), ErrorStack> {
    let policy = Asn1Object::from_str(oid)?;
    // SAFETY: both are live; on success the parameters have taken the object over
    unsafe {
        if X509_VERIFY_PARAM_add0_policy(parameters.as_ptr(), policy.as_ptr()) <= 0 {
            return Err(ErrorStack::get());
        }
    }
    std::mem::forget(policy);
    Ok(())
}

/// Revocation lists for one verification, borrowed.
struct Lists<'l>(*mut ffi::OPENSSL_STACK, &'l [Arc<Crl>]);

impl<'l> Lists<'l> {
    fn new(lists: &'l [Arc<Crl>]) -> Result<Self, ErrorStack> {
        // SAFETY: the stack is freed by `Drop`; its members stay those of the slice, which outlives it
        unsafe {
            let stack = Self(ffi::OPENSSL_sk_new_null(), lists);
            for list in stack.1 {
                if stack.0.is_null()
                    || ffi::OPENSSL_sk_push(stack.0, list.x509().as_ptr().cast::<c_void>()) <= 0
                {
                    return Err(ErrorStack::get());
                }
            }
            Ok(stack)
        }
    }
}

impl Drop for Lists<'_> {
    fn drop(&mut self) {
        // SAFETY: the stack is ours, its members are not and stay
        unsafe { ffi::OPENSSL_sk_free(self.0) }
    }
}

/// Validates a path from the certificate to the store, with these helpers and lists. Returns the path, or the error.
pub(super) fn verify(
    store: &X509StoreRef,
    certificate: &Certificate,
    helpers: &[Certificate],
    lists: &[Arc<Crl>],
) -> Result<Result<Vec<Certificate>, X509VerifyResult>, ErrorStack> {
    let mut untrusted = Stack::new()?;
    for helper in helpers {
        untrusted.push(helper.x509().clone())?;
    }
    let lists = Lists::new(lists)?;
    X509StoreContext::new()?.init(store, certificate.as_x509(), &untrusted, |context| {
        // SAFETY: the context is live, and does not outlive the lists, which it only borrows
        unsafe { X509_STORE_CTX_set0_crls(context.as_ptr(), lists.0) };
        if !context.verify_cert()? {
            return Ok(Err(context.error()));
        }
        let chain = context.chain().map(|c| c.iter().map(|x| Certificate::from(x.to_owned())).collect());
        Ok(Ok(chain.unwrap_or_default()))
    })
}

/// Reads an extension; none if it is missing or unreadable.
///
/// # Safety
/// `read` returns null or an owned stack of `T`, as the extension with that identifier is one.
unsafe fn stack_of<T: Stackable>(read: impl FnOnce(c_int) -> *mut c_void, nid: Nid) -> Option<Stack<T>> {
    let stack = read(nid.as_raw());
    // SAFETY: by the contract of this function
    (!stack.is_null()).then(|| unsafe { Stack::from_ptr(stack.cast()) })
}

/// HTTP addresses of delta lists (freshestCRL, RFC 5280 4.2.1.15 and 5.2.6).
pub(super) fn delta_urls(certificate: &X509, list: &X509Crl) -> Vec<String> {
    // SAFETY: freshestCRL is a sequence of distribution points, in certificates and in lists
    let (of_certificate, of_list) = unsafe {
        let read = |nid| ffi::X509_get_ext_d2i(certificate.as_ptr(), nid, ptr::null_mut(), ptr::null_mut());
        let of_certificate = stack_of::<DistPoint>(read, Nid::FRESHEST_CRL);
        let read = |nid| ffi::X509_CRL_get_ext_d2i(list.as_ptr(), nid, ptr::null_mut(), ptr::null_mut());
        (of_certificate, stack_of::<DistPoint>(read, Nid::FRESHEST_CRL))
    };
    let points = of_certificate.iter().flatten().chain(of_list.iter().flatten());
    let names = points.filter_map(|point| point.distpoint()?.fullname()).flatten();
    names.filter_map(|name| name.uri().map(str::to_owned)).filter(|url| is_http(url)).collect()
}

/// HTTP addresses of the list signer's certificate (RFC 5280 5.2.7).
pub(super) fn signer_urls(list: &X509Crl) -> Vec<String> {
    let read = |nid| {
        // SAFETY: the list is live
        unsafe { ffi::X509_CRL_get_ext_d2i(list.as_ptr(), nid, ptr::null_mut(), ptr::null_mut()) }
    };
    // SAFETY: authorityInfoAccess is a sequence of access descriptions
    let access = unsafe { stack_of::<AccessDescription>(read, Nid::INFO_ACCESS) };
    let issuers = access.iter().flatten().filter(|a| a.method().nid() == Nid::AD_CA_ISSUERS);
    issuers.filter_map(|a| a.location().uri().map(str::to_owned)).filter(|url| is_http(url)).collect()
}
