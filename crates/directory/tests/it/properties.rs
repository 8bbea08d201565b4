//! Properties of lists with any content.

use crate::targets;
use proptest::collection::vec;
use proptest::prelude::*;

const PROVIDERS: &str =
    "1id,directAddress,firstName,lastName,organizationName,street,unit,city,state,zip,phone\n";

proptest! {
    #[test]
    fn bytes_of_any_kind_are_read(data in vec(any::<u8>(), 0..300)) {
        targets::csv(&data);
        targets::csv(&[PROVIDERS.as_bytes(), &data].concat());
    }

    #[test]
    fn fields_of_any_text_fit_the_directory(fields in vec("\\PC{0,20}|[\u{0}-\u{fffd}]{250,300}", 0..40)) {
        let quoted: Vec<_> = fields.iter().map(|field| format!("\"{}\"", field.replace('"', "\"\""))).collect();
        let rows: Vec<_> = quoted.chunks(11).map(|row| row.join(",")).collect();
        targets::csv(format!("{PROVIDERS}{}", rows.join("\n")).as_bytes());
    }
}
