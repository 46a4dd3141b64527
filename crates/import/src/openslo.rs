//! OpenSLO, `v1` and `v1alpha`: `SLO`, and what it refers to: `SLI`, `Service`, `AlertPolicy`, `AlertCondition`.

mod alerts;
mod metric;

use std::cell::Cell;

use indexmap::IndexMap;
use indexmap::map::Entry;

use super::context::{Cx, comments_above};
use super::document::{self, Documents, Part};
use super::fields::{Fields, start};
use super::model::{Objective, Services, Urgency};
use super::{names, tiers, values};
use slosmith_spec::spec::Text;
use slosmith_text::source::Span;
use slosmith_text::units::{Duration, Number};
use slosmith_text::yaml::{Body, Node};

const NAMED: [&str; 4] = ["Service", "SLI", "AlertPolicy", "AlertCondition"];

#[derive(Default)]
pub(super) struct Library<'a>(IndexMap<(String, String), Resource<'a>>);

struct Resource<'a> {
    body: Body<'a>,
    root: &'a Node<'a>,
    is_used: Cell<bool>,
}

impl Resource<'_> {
    fn at(&self) -> Span {
        start(self.body.place(self.root))
    }
}

impl<'a> Library<'a> {
    /// Everything that has a name in some files; of two resources of one name, the first counts.
    pub(super) fn of(cx: &mut Cx<'_>, documents: &'a [Documents<'a>]) -> Self {
        let mut found = Self::default();
        for (body, root) in documents.iter().flat_map(Documents::roots) {
            let kind = document::says(root, "kind").filter(|kind| NAMED.contains(kind));
            let (true, Some(kind)) = (is_ours(root), kind) else {
                continue;
            };
            let name = Fields::of(cx, &body, root, "")
                .and_then(|mut fields| fields.required_map(cx, "metadata"))
                .and_then(|mut metadata| metadata.required(cx, "name"));
            let Some(name) = name else {
                continue;
            };
            let resource = Resource {
                body,
                root,
                is_used: Cell::new(false),
            };
            match found.0.entry((kind.to_owned(), name.value)) {
                Entry::Vacant(place) => drop(place.insert(resource)),
                Entry::Occupied(_) => {
                    let what = format!("{kind}: another one has the same name");
                    cx.lost(resource.at(), what, "");
                }
            }
        }
        found
    }

    fn find(&self, kind: &str, name: &Text) -> Option<(&Body<'a>, &'a Node<'a>)> {
        let found = self.0.get(&(kind.to_owned(), name.value.clone()))?;
        found.is_used.set(true);
        Some((&found.body, found.root))
    }

    fn get(
        &self,
        cx: &mut Cx<'_>,
        kind: &str,
        name: &Text,
        comments: &mut Vec<String>,
    ) -> Option<(&Body<'a>, &'a Node<'a>)> {
        let found = self.find(kind, name);
        if found.is_none() {
            let what = format!("{kind} `{name}`: not found in these files");
            let help = "add its file to the command line";
            comments.push(cx.lost(name.span, what, help));
        }
        found
    }

    pub(super) fn tell_unused(&self, cx: &mut Cx<'_>) {
        for ((kind, name), resource) in &self.0 {
            if !resource.is_used.get() {
                let what = format!("{kind} `{name}`: not used by any SLO");
                cx.lost(resource.at(), what, "");
            }
        }
    }
}

fn is_ours(root: &Node<'_>) -> bool {
    document::says(root, "apiVersion").is_some_and(|version| version.starts_with("openslo"))
}

pub(super) fn read(
    cx: &mut Cx<'_>,
    services: &mut Services,
    library: &Library<'_>,
    body: &Body<'_>,
    root: &Node<'_>,
) -> Part {
    if !is_ours(root) {
        return Part::Other;
    }
    let version = document::says(root, "apiVersion").unwrap_or_default();
    let at = start(body.place(root));
    if !version.starts_with("openslo/") {
        let message = format!("unsupported version `{version}`: use `openslo/v1`");
        cx.error("unknown-format", at, message);
        return Part::Read;
    }
    match document::says(root, "kind").unwrap_or_default() {
        "SLO" => slo(cx, services, library, body, root),
        // They are read where an objective refers to them.
        kind if NAMED.contains(&kind) => {}
        kind => {
            let name = root.at(&["metadata", "name"]).and_then(Node::text);
            let name = name.map_or_else(String::new, |name| format!(" `{name}`"));
            cx.lost(at, format!("{kind}{name}: specs have no equivalent"), "");
        }
    }
    Part::Read
}

fn service(cx: &mut Cx<'_>, services: &mut Services, body: &Body<'_>, root: &Node<'_>) {
    let Some(mut fields) = Fields::of(cx, body, root, "") else {
        return;
    };
    fields.skip(&["apiVersion", "kind"]);
    let mut comments = Vec::new();
    let Some(mut metadata) = fields.required_map(cx, "metadata") else {
        return;
    };
    let Some(name) = metadata.required(cx, "name") else {
        return;
    };
    let title = metadata.filled_text(cx, "displayName");
    let name = names::lower(cx, &name, &mut comments);
    comments.extend(metadata.finish(cx));
    if let Some(mut spec) = fields.map(cx, "spec") {
        let text = spec.text(cx, "description");
        comments.extend(
            text.iter()
                .flat_map(|text| text.value.lines().map(str::to_owned)),
        );
        comments.extend(spec.finish(cx));
    }
    comments.extend(fields.finish(cx));
    let service = services.entry(&name);
    service.title = title.map(|title| title.value);
    service.service_comments.extend(comments);
}

struct Common {
    name: Text,
    title: Option<Text>,
    description: Option<String>,
    window: Duration,
    comments: Vec<String>,
    /// How errors are counted, if not one by one, as in a spec.
    method: Option<Text>,
}

fn slo(
    cx: &mut Cx<'_>,
    services: &mut Services,
    library: &Library<'_>,
    body: &Body<'_>,
    root: &Node<'_>,
) {
    let comments = comments_above(body.text(), root.range().start);
    let Some(mut fields) = Fields::of(cx, body, root, "") else {
        return;
    };
    fields.skip(&["apiVersion", "kind"]);
    let Some(mut metadata) = fields.required_map(cx, "metadata") else {
        return;
    };
    let (name, title) = (
        metadata.required(cx, "name"),
        metadata.filled_text(cx, "displayName"),
    );
    let mut comments = comments;
    comments.extend(metadata.finish(cx));
    let Some(mut spec) = fields.required_map(cx, "spec") else {
        return;
    };
    let (Some(name), Some(service)) = (name, spec.required(cx, "service")) else {
        return;
    };
    let mut service_comments = Vec::new();
    let named = service;
    let service = names::lower(cx, &named, &mut service_comments);
    if let Some((body, root)) = library
        .find("Service", &named)
        .filter(|_| !services.has(&service))
    {
        self::service(cx, services, body, root);
    }
    let Some(window) = window(cx, &mut spec, &mut comments) else {
        return;
    };
    let method = spec.text(cx, "budgetingMethod");
    let method = method.filter(|method| !method.value.eq_ignore_ascii_case("occurrences"));
    let mut common = Common {
        name,
        title,
        description: spec
            .filled_text(cx, "description")
            .map(|text| text.value.trim().to_owned()),
        window,
        comments,
        method,
    };
    let indicator = metric::of(cx, library, &mut spec, &mut common.comments);
    let alerts = alerts::read(cx, library, &mut spec, &mut common.comments);
    let objectives = spec.maps(cx, "objectives");
    let count = objectives.len();
    if count == 0 {
        spec.missing::<()>(cx, "objectives");
        return;
    }
    common.comments.extend(spec.finish(cx));
    common.comments.extend(fields.finish(cx));
    let entry = services.entry(&service);
    entry.service_comments.extend(service_comments);
    for (number, fields) in objectives.into_iter().enumerate() {
        let suffix = (count > 1).then_some(number);
        if let Some(found) = objective(cx, fields, &common, library, indicator.as_ref(), suffix) {
            let found = alerts.put(cx, found);
            services.entry(&service).add(cx, found);
        }
    }
}

/// The period: a rolling window, in days or as a duration.
fn window(cx: &mut Cx<'_>, spec: &mut Fields<'_>, comments: &mut Vec<String>) -> Option<Duration> {
    const DAY: u64 = 86_400;
    let mut windows = spec.maps(cx, "timeWindow");
    windows.extend(spec.maps(cx, "timeWindows"));
    if windows.is_empty() {
        return spec.missing(cx, "timeWindow");
    }
    let mut window = windows.swap_remove(0);
    if let Some(second) = windows.first() {
        let what = "second time window: an SLO has only one";
        comments.push(cx.lost(start(second.span()), what, ""));
    }
    let (duration, count) = (window.text(cx, "duration"), window.text(cx, "count"));
    let unit = window.text(cx, "unit");
    let text = match (&duration, &count, &unit) {
        (Some(duration), ..) => duration.clone(),
        (None, Some(count), Some(unit)) => {
            let unit = match unit.value.to_lowercase().trim_end_matches('s') {
                "month" => "M",
                "quarter" => "Q",
                "year" => "Y",
                "week" => "w",
                "day" => "d",
                "hour" => "h",
                "minute" => "m",
                _ => unit.value.as_str(),
            };
            Text::new(format!("{count}{unit}"), count.span)
        }
        _ => return window.missing(cx, "duration"),
    };
    let rolling = window.bool(cx, "isRolling").map(|said| said.value);
    let has_calendar = window.take("calendar").is_some();
    if rolling == Some(false) || rolling.is_none() && has_calendar {
        let what = "calendar-aligned window changed to a rolling window";
        comments.push(cx.changed(text.span, what));
    }
    comments.extend(window.finish(cx));
    let days = |part: &str, days: u64| {
        let count: u64 = text.value.strip_suffix(part)?.parse().ok()?;
        Some(Duration::from_secs(count * days * DAY))
    };
    let calendar = days("M", 30)
        .or_else(|| days("Q", 90))
        .or_else(|| days("Y", 365));
    if let Some(period) = calendar {
        let what = format!("window of `{}` changed to {period}", text.value);
        comments.push(cx.changed(text.span, what));
        return Some(period);
    }
    values::duration(cx, &text)
}

fn objective(
    cx: &mut Cx<'_>,
    mut fields: Fields<'_>,
    common: &Common,
    library: &Library<'_>,
    indicator: Option<&metric::Indicator>,
    number: Option<usize>,
) -> Option<Objective> {
    let mut comments = common.comments.clone();
    let share = target(cx, &mut fields)?;
    let display = fields.filled_text(cx, "displayName");
    let is_named = fields.has("indicatorRef");
    let own = metric::of(cx, library, &mut fields, &mut comments);
    let own = own.or_else(|| metric::alpha(cx, &mut fields, &mut comments));
    // An indicator that is not there is none: that of the SLO would be another one.
    let indicator = indicator.filter(|_| !is_named);
    let threshold = metric::Threshold::read(cx, &mut fields);
    comments.extend(fields.finish(cx));
    let suffix = match (&display, number) {
        (_, None) => String::new(),
        (Some(text), _) => format!("-{}", text.value),
        (None, Some(number)) => format!("-{number}"),
    };
    let name = Text::new(format!("{}{suffix}", common.name), common.name.span);
    let name = match suffix.is_empty() {
        true => names::lower(cx, &name, &mut comments),
        false => names::clean(&name.value, true),
    };
    let (sli, by) = match (own.as_ref().or(indicator), &common.method) {
        (Some(indicator), Some(method)) => {
            let what =
                format!("`budgetingMethod: {method}`: a spec counts events, or measures time");
            comments.push(cx.lost(method.span, what, "write a `time` SLI"));
            indicator.keep(threshold.as_ref(), &mut comments);
            (None, Vec::new())
        }
        (Some(indicator), None) => indicator.sli(cx, threshold.as_ref(), &mut comments),
        (None, _) => {
            comments.push(cx.lost(
                start(common.name.span),
                "this objective has no indicator",
                "",
            ));
            (None, Vec::new())
        }
    };
    let title = match (&common.title, &display) {
        (Some(title), Some(display)) if title != display => Some(format!("{title}: {display}")),
        (Some(title), _) => Some(title.value.clone()),
        (None, display) => display.as_ref().map(|text| text.value.clone()),
    };
    Some(Objective {
        title,
        description: common.description.clone(),
        page: Some(Urgency::default()),
        ticket: Some(Urgency::default()),
        tiers: tiers::usual(share, common.window),
        sli,
        by,
        ..Objective::new(name, common.name.span, share, common.window, comments)
    })
}

/// The share of good events: `target` from 0 to 1, or `targetPercent`.
fn target(cx: &mut Cx<'_>, fields: &mut Fields<'_>) -> Option<Number> {
    let (share, percent) = (fields.text(cx, "target"), fields.text(cx, "targetPercent"));
    match (share, percent) {
        (Some(share), _) => values::share(cx, &share, 1),
        (None, Some(percent)) => values::share(cx, &percent, 100),
        (None, None) => fields.missing(cx, "target"),
    }
}
