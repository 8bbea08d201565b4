//! Rules for the security settings, without a database.

use super::types::SecurityForm;
use platform::{
    fields::FieldErrors,
    security::{SecuritySettings, read_addresses},
};

pub const IDLE_MIN: u32 = 5;
pub const IDLE_MAX: u32 = 30;

pub const IDLE_REFUSED: &str = "Please enter 5 to 30 minutes.";
pub const NO_ADDRESS: &str = "Please enter at least one address, or allow all.";
pub const LOCKS_OUT: &str = "Your own address is not in this list. If you save it, you lose access at once. Please confirm that you want this.";

/// The settings of a form, or all its errors. Callers who would lock out their own address have to confirm it.
pub fn settings(form: &SecurityForm, own_address: Option<&str>) -> Result<SecuritySettings, FieldErrors> {
    let mut errors = FieldErrors::default();
    let idle = form.idle_minutes;
    errors.require((IDLE_MIN..=IDLE_MAX).contains(&idle), "idleMinutes", IDLE_REFUSED);
    let allowed_addresses = read_addresses(&form.allowed_addresses, "allowedAddresses", &mut errors);
    let none = form.require_whitelisted_ip && form.allowed_addresses.is_empty();
    errors.require(!none, "allowedAddresses", NO_ADDRESS);
    let settings = SecuritySettings {
        idle_minutes: Some(idle),
        require_second_factor: form.require_second_factor,
        require_whitelisted_ip: form.require_whitelisted_ip,
        allowed_addresses,
        ..SecuritySettings::default()
    };
    let is_locked_out = own_address.is_some_and(|address| !settings.allows(address));
    if errors.is_empty() && is_locked_out && !form.confirm_lock_out {
        errors.add("confirmLockOut", LOCKS_OUT);
    }
    if errors.is_empty() { Ok(settings) } else { Err(errors) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> SecurityForm {
        SecurityForm {
            idle_minutes: 15,
            require_second_factor: false,
            require_whitelisted_ip: true,
            allowed_addresses: vec!["192.0.2.0/24".into(), " 2001:db8::1 ".into()],
            confirm_lock_out: false,
            version: None,
        }
    }

    #[test]
    fn a_session_may_be_idle_for_5_to_30_minutes() {
        for (minutes, fits) in [(4, false), (5, true), (30, true), (31, false)] {
            let form = SecurityForm { idle_minutes: minutes, ..form() };
            assert_eq!(settings(&form, Some("192.0.2.7")).is_ok(), fits, "{minutes}");
        }
    }

    #[test]
    fn a_list_without_the_own_address_must_be_confirmed() {
        let refused = settings(&form(), Some("198.51.100.1")).expect_err("a refusal");
        assert_eq!(refused.0["confirmLockOut"], [LOCKS_OUT]);
        let confirmed = SecurityForm { confirm_lock_out: true, ..form() };
        assert_eq!(settings(&confirmed, Some("198.51.100.1")).expect("settings").allowed_addresses.len(), 2);
        let off = SecurityForm { require_whitelisted_ip: false, ..form() };
        assert!(settings(&off, Some("198.51.100.1")).is_ok());
    }

    #[test]
    fn what_is_no_address_is_named_by_its_place() {
        for wrong in ["somewhere", "10.0.0.0/33", "300.1.1.1", "", "<script>"] {
            let form = SecurityForm { allowed_addresses: vec!["192.0.2.1".into(), wrong.into()], ..form() };
            let refused = settings(&form, Some("192.0.2.1")).expect_err("a refusal");
            assert_eq!(refused.0["allowedAddresses"], ["Entry 2 is neither an address nor a network."]);
        }
        let none = SecurityForm { allowed_addresses: Vec::new(), ..form() };
        assert_eq!(
            settings(&none, Some("192.0.2.1")).expect_err("a refusal").0["allowedAddresses"],
            [NO_ADDRESS]
        );
    }
}
