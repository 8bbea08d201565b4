//! Part `adt`: events of an EHR about its patients and visits, received by HL7 v2 over MLLP. Each is acknowledged once it is
//! durable, and applied afterwards.

use crate::{
    load::databases,
    mllp::{CONNECTIONS, MESSAGES, TARGET, by_this_program, listening},
    table::Table,
};
use anyhow::Result;
use std::time::Instant;

pub async fn measure(table: &mut Table) -> Result<()> {
    for (name, db) in databases() {
        let (app, _, address) = listening(db).await?;
        let label = format!("{name}, events of an EHR made durable, {CONNECTIONS} connections");
        table.at_least(label, by_this_program(address, event).await?, TARGET, "a second");
        let begun = Instant::now();
        app.drain().await;
        let rate = (CONNECTIONS * MESSAGES) as f64 / begun.elapsed().as_secs_f64();
        table.note(format!("{name}, events of an EHR applied"), format!("{rate:.0} a second"));
        app.finish().await;
    }
    Ok(())
}

/// The begin of a visit of one of a thousand patients.
fn event(control_id: &str) -> String {
    let number = control_id.bytes().fold(17_usize, |sum, byte| (sum * 31 + usize::from(byte)) % 1_000);
    let [first, last] = crate::load::patient(number);
    let (day, to_number) = (1 + number % 28, "|".repeat(17));
    format!(
        "MSH|^~\\&|EHR|NORTH|CAREPOST|LARK|20261120083000||ADT^A04^ADT_A01|{control_id}|P|2.5.1\r\
         EVN||20261120083000\rPID|1||{number:06}^^^NORTH^MR||{last}^{first}||195607{day:02}|F\r\
         PV1|1|O{to_number}{control_id}\r",
    )
}
