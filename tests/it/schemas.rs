//! Schemas of our own files, generated from their types.

use crate::update;

#[test]
fn the_committed_schema_of_reports_is_current() {
    let schema = slosmith::diag::render::json::schema();
    update::check("schemas/report.schema.json", &schema);
}

#[test]
fn the_committed_schema_of_the_configuration_is_current() {
    let schema = slosmith::lint::config::json_schema();
    update::check("schemas/config.schema.json", &schema);
}
