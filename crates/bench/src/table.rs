//! The table of results.

use std::fmt;

/// Rows of measurement, result, target and verdict.
#[derive(Default)]
pub struct Table(Vec<[String; 4]>);

impl Table {
    /// A result without a target.
    pub fn note(&mut self, what: impl Into<String>, figure: impl Into<String>) {
        self.row([what.into(), figure.into(), String::new(), String::new()]);
    }

    /// A result with a maximum, both in the given unit.
    pub fn at_most(&mut self, what: impl Into<String>, figure: f64, target: f64, unit: &str) {
        self.held_against(what, figure, target, unit, "");
    }

    /// A result with a minimum, both in the given unit.
    pub fn at_least(&mut self, what: impl Into<String>, figure: f64, target: f64, unit: &str) {
        let verdict = if figure >= target { "reached" } else { "MISSED" };
        self.row([
            what.into(),
            format!("{figure:.1} {unit}"),
            format!("at least {target} {unit}"),
            verdict.to_owned(),
        ]);
    }

    /// Like [`Table::at_most`], with a remark about the result.
    pub fn held_against(
        &mut self,
        what: impl Into<String>,
        figure: f64,
        target: f64,
        unit: &str,
        remark: &str,
    ) {
        let verdict = if figure <= target { "reached" } else { "MISSED" };
        let digits = if figure < 10.0 { 2 } else { 1 };
        self.row([
            what.into(),
            format!("{figure:.digits$} {unit}{remark}"),
            format!("at most {target} {unit}"),
            verdict.to_owned(),
        ]);
    }

    fn row(&mut self, row: [String; 4]) {
        println!("{}: {} {}", row[0], row[1], row[3]);
        self.0.push(row);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heading = ["Measured", "Figure", "Target", ""].map(str::to_owned);
        let width = |column: usize| {
            let cells = self.0.iter().chain([&heading]).map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let widths = [width(0), width(1), width(2), width(3)];
        let rule = widths.map(|w| "-".repeat(w));
        for row in [&heading, &rule].into_iter().chain(&self.0) {
            let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
            writeln!(f, "| {} |", cells.collect::<Vec<_>>().join(" | "))?;
        }
        Ok(())
    }
}
