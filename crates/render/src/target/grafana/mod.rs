//! Grafana: classic dashboards, and the files that bring them into a server.
//!
//! A panel `{signal: queue_depth}` of the dashboard `ops` is in `dashboards/ops.json` as
//!
//! ```json
//! {"type": "timeseries", "gridPos": {"x": 0, "y": 1, "w": 12, "h": 9},
//!  "targets": [{"expr": "sum by (model_name) (vllm:num_requests_waiting{model_name=~\"$model_name\"})"}]}
//! ```
//!
//! and once more, as the same text, in the ConfigMap `configmaps/ops.yaml`. `provision` writes further formats.

mod check;
mod colors;
mod field;
mod legend;
mod lines;
mod panels;
mod provision;
mod table;
mod v2;
mod view;

pub(super) use field::{Ends, color_name, color_of, ends, symbol};
pub(super) use lines::state_of;

use super::kubernetes::metadata;
use super::{Options, OutFile, Rendered, TargetError};
use slosmith_plan::plan::dashboard::Draw;
use slosmith_plan::plan::marker::{self, Spelling};
use slosmith_plan::plan::{Dashboard, Plan};
use slosmith_promql::ast::{Expr, MatchOp, Selector};
use slosmith_promql::build;
use slosmith_spec::naming;

/// A window that Grafana fits to the zoom of a graph, and that always holds four scrapes; a variable for each label.
pub(super) const SPELLING: Spelling = Spelling {
    zoom: "$__rate_interval",
    filter: |label| format!("${label}"),
};

/// Renders all dashboards of a service.
pub(super) fn render(plan: &Plan, options: Options<'_>) -> Result<Rendered, TargetError> {
    let templates = options.templates;
    let mut rendered = Rendered::default();
    if plan.dashboards.is_empty() {
        return Ok(rendered);
    }
    let service = &plan.service.name;
    let mut boards = Vec::new();
    for dashboard in &plan.dashboards {
        let path = format!("dashboards/{}.json", dashboard.name);
        let view = view(plan, dashboard);
        let text = templates.render("grafana/dashboard.json", &view)?;
        let file = check::canonical(OutFile { path, text }, &view)?;
        let map = view::ConfigMap {
            service: service.clone(),
            metadata: metadata(
                plan,
                &format!("{service}-{}", dashboard.name),
                ("grafana_dashboard", "1"),
                &[("grafana_folder", &plan.service.title)],
            ),
            file: format!("{}.json", dashboard.uid),
            folder: plan.service.title.clone(),
            json: file.text.clone(),
        };
        let text = templates.render("grafana/configmap.yaml", &map)?;
        let path = format!("configmaps/{}.yaml", dashboard.name);
        let config_map = OutFile { path, text };
        let config_map = options.checked(config_map, |file| check::config_map(file, &map))?;
        rendered.files.extend([file, config_map]);
        boards.push(provision::Board { dashboard, map });
    }
    rendered
        .files
        .append(&mut provision::files(plan, &boards, options)?);
    let provisioning = view::Provisioning {
        service: service.clone(),
        title: plan.service.title.clone(),
        interval: plan.scrape.interval.to_string(),
    };
    let exceptions = exceptions(plan);
    rendered.files.extend([
        options.yaml("dashboards/.lint", "grafana/lint.yaml", &exceptions)?,
        options.yaml(
            "provisioning/dashboards.yaml",
            "grafana/provisioning/dashboards.yaml",
            &provisioning,
        )?,
        options.yaml(
            "provisioning/datasources.yaml",
            "grafana/provisioning/datasources.yaml",
            &provisioning,
        )?,
    ]);
    Ok(rendered)
}

/// Exceptions from the rules of dashboard-linter.
fn exceptions(plan: &Plan) -> view::Exceptions {
    let panels = plan
        .dashboards
        .iter()
        .flat_map(|d| d.panels().map(move |panel| (d, panel)));
    let own = panels.filter(|(_, panel)| field::is_own_unit(panel));
    view::Exceptions {
        service: plan.service.name.clone(),
        units: own
            .map(|(dashboard, panel)| view::PanelName {
                dashboard: dashboard.title.clone(),
                panel: panel.title.clone(),
            })
            .collect(),
    }
}

fn view(plan: &Plan, dashboard: &Dashboard) -> view::Dashboard {
    let variables = dashboard.variables.iter().map(|variable| view::Variable {
        name: variable.label.clone(),
        label: variable.label.replace('_', " "),
        query: {
            let series = SPELLING.of(&variable.series.clone().into());
            format!("label_values({series}, {})", variable.label)
        },
    });
    let panels = panels::panels(plan, dashboard);
    view::Dashboard {
        uid: dashboard.uid.clone(),
        title: dashboard.title.clone(),
        description: dashboard.description.clone(),
        tags: vec!["slosmith".to_owned(), plan.service.name.clone()],
        refresh: dashboard.refresh.to_string(),
        range: dashboard.range.to_string(),
        variables: variables.collect(),
        legend_variable: legend::variable(dashboard, &panels),
        annotations: annotations(plan, dashboard),
        changes: changes(plan),
        deployments: vec!["deploy".to_owned(), plan.service.name.clone()],
        panels,
    }
}

/// The panel of the overview that shows what changed.
fn changes(plan: &Plan) -> Option<view::Link> {
    let mut panels = plan
        .dashboards
        .iter()
        .flat_map(|d| d.panels().map(move |panel| (d, panel)));
    let (overview, panel) = panels.find(|(_, panel)| matches!(panel.draw, Draw::Changes(_)))?;
    Some(view::Link {
        title: "What changed?".to_owned(),
        url: naming::panel_url("", &overview.uid, panel.id),
    })
}

/// Marks of firing alerts in the selected label sets, and of started replicas: deployments, restarts, crashes.
fn annotations(plan: &Plan, dashboard: &Dashboard) -> Vec<view::Annotation> {
    let shown = |series, labels: &dyn Fn(&str) -> bool| {
        let variables = dashboard.variables.iter().map(|v| v.label.as_str());
        let variables = variables.filter(|label| labels(label));
        let series = variables.fold(series, |series: Selector, label| {
            series.matcher(label, MatchOp::Match, &marker::filter_or_none(label))
        });
        SPELLING.of(&Expr::from(series))
    };
    let alerts = build::metric("ALERTS")
        .matcher(naming::SERVICE, MatchOp::Equal, &plan.service.name)
        .matcher("alertstate", MatchOp::Equal, "firing");
    let of_target = |label: &str| plan.scrape.labels.iter().any(|target| target == label);
    let of_server = |name| {
        let all = build::metric(name).matcher("job", MatchOp::Equal, &plan.scrape.job);
        shown(all, &of_target)
    };
    let (told, up) = (of_server("process_start_time_seconds"), of_server("up"));
    vec![
        view::Annotation {
            name: "Firing alerts".to_owned(),
            color: "red".to_owned(),
            expr: shown(alerts, &|_| true).to_string(),
            title: "{{alertname}}".to_owned(),
            text: "{{severity}}".to_owned(),
            value_is_time: false,
        },
        view::Annotation {
            name: "Replica started".to_owned(),
            color: "blue".to_owned(),
            // Loading a model takes minutes: the mark is at the start, not where the first scrape was answered.
            // A server that does not tell it started when its page was read again.
            expr: format!(
                "({told} or on (instance) timestamp({up} == 1 unless {up} offset 1m == 1)) * 1000"
            ),
            title: "Replica started".to_owned(),
            text: "{{instance}}".to_owned(),
            value_is_time: true,
        },
    ]
}
