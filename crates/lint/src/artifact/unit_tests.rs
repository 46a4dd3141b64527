//! promtool's unit tests.

use super::field::{items, text};
use super::reader::Reader;
use super::{Kind, Role};
use slosmith_promql::Dialect;
use slosmith_text::yaml::{Body, Node};

/// True for a file of tests; others test with other keys.
pub(super) fn is_any(node: &Node<'_>) -> bool {
    let keys = ["alert_rule_test", "input_series", "promql_expr_test"];
    let mut tests = items(node, &["tests"]).iter();
    tests.any(|test| keys.iter().any(|key| test.get(key).is_some()))
}

pub(super) fn read(reader: &mut Reader, body: &Body<'_>, node: &Node<'_>) {
    for test in items(node, &["tests"]) {
        let series = items(test, &["input_series"]).iter();
        let series = series.filter_map(|s| text(body, s, &["series"]));
        for text in series {
            reader.is(Kind::UnitTests);
            reader.query(text, Dialect::Prometheus, Role::TestSeries);
        }
        let exprs = items(test, &["promql_expr_test"]).iter();
        for text in exprs.filter_map(|t| text(body, t, &["expr"])) {
            reader.is(Kind::UnitTests);
            reader.query(text, Dialect::Prometheus, Role::UnitTest);
        }
    }
}
