//! Services whose specs select the same servers: an incident alerts the owners of all of them.

use std::collections::BTreeMap;

use slosmith_catalog::{Catalog, Embedded};
use slosmith_promql::ast::{Expr, Selector};
use slosmith_promql::{self as promql, build};
use slosmith_spec::spec::Variant;
use slosmith_text::diag::Diagnostic;
use slosmith_text::source::Span;

/// Selectors with more matchers are compared only with equal ones.
const MOST: usize = 8;

/// The services by the word for their servers and the matchers, sorted.
#[derive(Default)]
pub(super) struct Servers(BTreeMap<(String, Vec<String>), Vec<Service>>);

struct Service {
    name: String,
    spec: Variant,
}

/// A spec whose servers another spec selects, too.
pub(super) struct Shared {
    pub(super) spec: Variant,
    /// The first of the others.
    pub(super) other: Variant,
    message: String,
}

impl Servers {
    pub(super) fn add(&mut self, selector: &str, name: &str, spec: &Variant) {
        let Ok(parsed) = promql::parse(selector) else {
            return;
        };
        let [selector] = promql::selectors(&parsed)[..] else {
            return;
        };
        let mut matchers = words(selector);
        matchers.sort();
        let server = selector.metric.as_ref().map(|metric| metric.text.clone());
        let name = name.to_owned();
        self.0
            .entry((server.unwrap_or_default(), matchers))
            .or_default()
            .push(Service {
                name,
                spec: spec.clone(),
            });
    }

    /// One for each selector whose servers other services select, too.
    pub(super) fn shared(&self) -> Vec<Shared> {
        let shared = self.0.iter().filter_map(|((server, matchers), services)| {
            let (first, rest) = services.split_first()?;
            let wider = wider(matchers).filter_map(|fewer| self.0.get(&(server.clone(), fewer)));
            let wider = wider.flatten();
            let others: Vec<_> = wider.chain(rest).collect();
            let other = others.first()?.spec.clone();
            let name = format!("`{}`", others[0].name);
            let names = match others.len() - 1 {
                0 => format!(" and {name}"),
                1 => format!(", {name} and `{}`", others[1].name),
                more => format!(", {name} and {more} more services"),
            };
            let message = format!(
                "the specs of `{}`{names} select the same {} servers, {{{}}}: an incident alerts the owners of all of them",
                first.name,
                Embedded::find(server).map_or(Catalog::vllm().title(), |other| &other.identity.title),
                matchers.join(", ")
            );
            let spec = first.spec.clone();
            Some(Shared { spec, other, message })
        });
        shared.collect()
    }
}

impl Shared {
    pub(super) fn warning(self, at: Span, other: Span) -> Diagnostic {
        let help = "add a label that tells the servers apart, such as `namespace`, to `prometheus.selector`; if both services \
            are meant, set `prometheus: {shared_selector: true}` in one of the specs";
        Diagnostic::warning("shared-servers", at, self.message)
            .related(other, "the other selector")
            .help(help)
    }
}

fn words(selector: &Selector) -> Vec<String> {
    let matchers = selector.matchers.iter();
    let alone = matchers.map(|m| build::metric("x").matcher(&m.label.text, m.op, &m.value.value));
    let alone = alone.map(|selector| Expr::from(selector).to_string());
    let inside =
        alone.filter_map(|text| Some(text.strip_prefix("x{")?.strip_suffix('}')?.to_owned()));
    inside.collect()
}

/// All selections with fewer of the matchers, which contain the same servers.
fn wider(matchers: &[String]) -> impl Iterator<Item = Vec<String>> {
    let most = if matchers.len() > MOST {
        0
    } else {
        (1 << matchers.len()) - 1
    };
    (0..most).map(|chosen: usize| {
        let kept = matchers.iter().enumerate();
        let kept = kept.filter(|(place, _)| chosen >> place & 1 == 1);
        kept.map(|(_, matcher)| matcher.clone()).collect()
    })
}
