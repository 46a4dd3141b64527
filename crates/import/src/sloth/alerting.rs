//! What alerts are called and carry.

use crate::context::Cx;
use crate::fields::Fields;
use crate::model::{Objective, Pairs, Urgency, plain};
use crate::names::{self, Annotation, Known};
use slosmith_spec::naming;
use slosmith_spec::spec::Text;

/// Reads `alerting`; `labels` are those of the objective, `fixed` those and all others that its series have in sloth.
pub(super) fn read(
    cx: &mut Cx<'_>,
    fields: &mut Fields<'_>,
    (labels, fixed): (Vec<(Text, Text)>, &Pairs),
    objective: &mut Objective,
) {
    let mut comments = Vec::new();
    let by = objective.by.clone();
    let known = Known { by: &by, fixed };
    let labels = names::labels(cx, labels, &mut comments);
    let mut labels = known.labels(cx, labels, &mut comments);
    let (mut page, mut ticket) = (Some(Urgency::default()), Some(Urgency::default()));
    if let Some(mut alerting) = fields.map(cx, "alerting") {
        let name = alerting.filled_text(cx, "name");
        let name = name.map(|name| names::alert(cx, &name, &mut comments));
        objective.alert_name = name;
        let own = alerting.pairs(cx, "labels");
        let own = names::labels(cx, own, &mut comments);
        let own = known.labels(cx, own, &mut comments);
        override_with(cx, &mut labels, own, &mut comments);
        let annotations = alerting.pairs(cx, "annotations");
        names::put_annotations(cx, &annotations, fixed, objective, &mut comments);
        page = urgency(
            cx,
            &mut alerting,
            ["page_alert", "pageAlert"],
            fixed,
            objective,
            &mut comments,
        );
        ticket = urgency(
            cx,
            &mut alerting,
            ["ticket_alert", "ticketAlert"],
            fixed,
            objective,
            &mut comments,
        );
        comments.extend(alerting.finish(cx));
    }
    let severity = severity_of(cx, &mut labels, &mut comments);
    let mut labels = plain(&labels);
    objective.owner = names::take_owner(&mut labels);
    if let Some(severity) = severity {
        for urgency in [&mut page, &mut ticket].into_iter().flatten() {
            urgency.severity.get_or_insert_with(|| severity.clone());
        }
    }
    objective.labels = labels;
    (objective.page, objective.ticket) = (page, ticket);
    objective.comments.extend(comments);
}

pub(super) fn severity_of(
    cx: &mut Cx<'_>,
    labels: &mut Vec<(Text, Text)>,
    comments: &mut Vec<String>,
) -> Option<String> {
    let text = names::take(labels, naming::SEVERITY)?;
    Some(names::severity(cx, &text, comments))
}

/// Labels of the alerts go before those of the objective's series, which are the same here.
fn override_with(
    cx: &mut Cx<'_>,
    labels: &mut Vec<(Text, Text)>,
    own: Vec<(Text, Text)>,
    comments: &mut Vec<String>,
) {
    for (name, value) in own {
        let known = labels.iter().position(|(known, _)| *known == name);
        if let Some(at) = known {
            let (_, old) = labels.remove(at);
            if old != value {
                let what = format!("label `{name}: {old}` of the series: the alerts set `{value}`");
                comments.push(cx.lost(old.span, what, ""));
            }
        }
        labels.push((name, value));
    }
}

fn urgency(
    cx: &mut Cx<'_>,
    alerting: &mut Fields<'_>,
    keys: [&str; 2],
    fixed: &Pairs,
    objective: &mut Objective,
    comments: &mut Vec<String>,
) -> Option<Urgency> {
    let mut urgency = Urgency::default();
    for key in keys {
        let Some(mut fields) = alerting.map(cx, key) else {
            continue;
        };
        let is_disabled = fields.is_true(cx, "disable");
        let labels = fields.pairs(cx, "labels");
        let annotations = fields.pairs(cx, "annotations");
        comments.extend(fields.finish(cx));
        if is_disabled {
            return None;
        }
        let mut labels = names::labels(cx, labels, comments);
        urgency.severity = severity_of(cx, &mut labels, comments);
        let by = objective.by.clone();
        let labels = Known { by: &by, fixed }.labels(cx, labels, comments);
        urgency.labels = plain(&labels);
        if let Some(owner) = names::take_owner(&mut urgency.labels) {
            let at = labels.iter().find(|(name, _)| name.value == naming::OWNER);
            let at = at.map_or(objective.at, |(name, _)| name.span);
            let what = "label `owner` of the paging or ticket alerts renamed to `service_owner`: slosmith sets one owner per alert";
            comments.push(cx.changed(at, what));
            urgency.labels.insert("service_owner".to_owned(), owner);
        }
        urgency.annotations = own_annotations(cx, &annotations, fixed, objective, comments);
    }
    Some(urgency)
}

fn own_annotations(
    cx: &mut Cx<'_>,
    pairs: &[(Text, Text)],
    fixed: &Pairs,
    objective: &mut Objective,
    comments: &mut Vec<String>,
) -> Pairs {
    let by = objective.by.clone();
    let mut out = Pairs::new();
    for pair in pairs {
        let (field, text) = match (Known { by: &by, fixed }).annotation(cx, pair, comments) {
            Annotation::Summary(text) => (&mut objective.summary, text),
            Annotation::Runbook(url) => (&mut objective.runbook, url),
            Annotation::Own(name, text) => {
                out.insert(name, text);
                continue;
            }
            Annotation::Description(_) | Annotation::Lost => continue,
        };
        match field {
            None => *field = Some(text),
            Some(known) if *known == text => {}
            Some(known) => {
                let what = format!(
                    "annotation `{}: {}`: all alerts of an SLO share one; kept `{known}`",
                    pair.0, pair.1
                );
                comments.push(cx.lost(pair.0.span, what, ""));
            }
        }
    }
    out
}
