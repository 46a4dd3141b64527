//! CloudWatch: alarms and dashboards as requests of its API, as Terraform JSON and as a CloudFormation
//! template, and the configuration of what delivers their metrics.
//!
//! An alert on `queue_depth` above 80 is in `alarms.json` as the request of `PutMetricAlarm`
//!
//! ```json
//! {"AlarmName": "svc-queue-overflow", "MetricName": "vllm:num_requests_waiting", "Threshold": 80,
//!  "ComparisonOperator": "GreaterThanThreshold"}
//! ```
//!
//! and the other forms are made from that request. `parity.md` lists the differences from Prometheus.

mod api;
mod check;
mod dashboard;
mod delivery;
mod expression;
mod formation;
mod layout;
mod parity;
mod rule;
mod terraform;
mod unique;

pub(super) use expression::console;

use serde::Serialize;
use serde_json::Value;

use super::{Options, OutFile, Rendered, TargetError};
use crate::template::Tree;
use slosmith_cloudwatch::partition;
use slosmith_plan::plan::Plan;
use slosmith_plan::plan::cloudwatch::CloudWatch;
use slosmith_spec::spec::Via;

/// Stand for what is only known where a template is applied. No text has them: they are for private use.
pub(super) const REGION: &str = "\u{E000}region\u{E001}";
pub(super) const ACCOUNT: &str = "\u{E000}account\u{E001}";

pub(super) fn render(plan: &Plan, options: Options<'_>) -> Result<Rendered, TargetError> {
    let mut rendered = Rendered::default();
    let Some(cw) = &plan.cloudwatch else {
        return Ok(rendered);
    };
    let out = Out::new(options, plan, cw);
    let dashboards = out.dashboards()?;
    rendered.files.push(out.alarms()?);
    rendered.files.extend(out.mutes()?);
    for dashboard in &dashboards {
        rendered.files.push(out.dashboard(dashboard)?);
    }
    rendered.files.push(out.terraform(&dashboards)?);
    let (file, note) = out.formation(&dashboards)?;
    rendered.files.push(file);
    rendered.notes.extend(note);
    rendered.files.extend(out.delivery()?);
    rendered.beside.extend(out.parity()?);
    Ok(rendered)
}

#[derive(Clone, Debug, Default)]
pub struct Requests {
    pub alarms: Vec<Value>,
    pub mutes: Vec<Value>,
    pub dashboards: Vec<(String, Value)>,
}

/// The requests of a plan; none where it wants nothing in CloudWatch.
pub fn requests(plan: &Plan, options: Options<'_>) -> Result<Requests, TargetError> {
    let Some(cw) = &plan.cloudwatch else {
        return Ok(Requests::default());
    };
    let out = Out::new(options, plan, cw);
    let mutes = out.mutes()?;
    Ok(Requests {
        alarms: check::parsed(&out.alarms()?)?,
        mutes: mutes.map_or(Ok(Vec::new()), |file| check::parsed(&file))?,
        dashboards: out
            .dashboards()?
            .iter()
            .map(|open| Ok((open.name.to_owned(), check::parsed(&out.dashboard(open)?)?)))
            .collect::<Result<_, TargetError>>()?,
    })
}

struct Out<'a> {
    options: Options<'a>,
    plan: &'a Plan,
    cw: &'a CloudWatch,
    alarms: Vec<Value>,
}

struct OpenDashboard<'a> {
    file: &'a str,
    name: &'a str,
    body: String,
}

#[derive(Serialize)]
struct Alarms {
    alarms: Vec<Tree>,
}

impl<'a> Out<'a> {
    fn new(options: Options<'a>, plan: &'a Plan, cw: &'a CloudWatch) -> Self {
        let alarms = cw.alarms.iter().map(|alarm| api::request(cw, alarm));
        let alarms = alarms.collect();
        Self {
            options,
            plan,
            cw,
            alarms,
        }
    }

    fn file(&self, path: &str, view: &impl Serialize) -> Result<OutFile, TargetError> {
        let template = path.split_once('/').map_or(path, |_| "dashboard.json");
        let text = self
            .options
            .templates
            .render(&format!("cloudwatch/{template}"), view)?;
        Ok(OutFile {
            path: path.to_owned(),
            text,
        })
    }

    fn alarms(&self) -> Result<OutFile, TargetError> {
        let alarms = self.alarms.iter().map(Tree::of).collect();
        let file = self.file("alarms.json", &Alarms { alarms })?;
        check::alarms(file)
    }

    fn mutes(&self) -> Result<Option<OutFile>, TargetError> {
        if self.cw.mutes.is_empty() {
            return Ok(None);
        }
        let mutes = self.cw.mutes.iter();
        let alarms = mutes
            .map(|mute| Tree::of(&api::mute(self.cw, mute)))
            .collect();
        let templates = self.options.templates;
        let text = templates.render("cloudwatch/alarms.json", &Alarms { alarms })?;
        let path = "mute-rules.json".to_owned();
        check::canonical(OutFile { path, text }).map(Some)
    }

    fn dashboards(&self) -> Result<Vec<OpenDashboard<'_>>, TargetError> {
        let dashboards = self.cw.dashboards.iter();
        let partition = partition(&self.cw.region);
        let arns = format!("arn:{partition}:cloudwatch:{REGION}:{ACCOUNT}:alarm:");
        dashboards
            .map(|b| {
                let view = dashboard::view(b, REGION, &arns);
                let file = self.file(&format!("dashboards/{}.json", b.file), &view)?;
                Ok(OpenDashboard {
                    file: &b.file,
                    name: &b.name,
                    body: check::compact(&file)?,
                })
            })
            .collect()
    }

    fn dashboard(&self, dashboard: &OpenDashboard<'_>) -> Result<OutFile, TargetError> {
        let account = self.cw.account.as_deref().unwrap_or_default();
        check::dashboard(OutFile {
            path: format!("dashboards/{}.json", dashboard.file),
            text: dashboard
                .body
                .replace(REGION, &inside_json(&self.cw.region))
                .replace(ACCOUNT, &inside_json(account)),
        })
    }

    fn terraform(&self, dashboards: &[OpenDashboard<'_>]) -> Result<OutFile, TargetError> {
        let view = terraform::view(self.plan, self.cw, &self.alarms, dashboards);
        check::canonical(self.file("main.tf.json", &view)?)
    }

    /// The template, on one line where CloudFormation would not take it otherwise; and a note where it does not even then.
    fn formation(
        &self,
        dashboards: &[OpenDashboard<'_>],
    ) -> Result<(OutFile, Option<String>), TargetError> {
        let view = formation::view(self.plan, self.cw, &self.alarms, dashboards);
        let mut file = check::formation(self.file("template.json", &view)?)?;
        if file.text.len() > formation::BODY {
            file.text = check::compact(&file)? + "\n";
        }
        let (bytes, most) = (file.text.len(), formation::BODY);
        let note = (bytes > most).then(|| {
            format!(
                "`cloudwatch/template.json` has {bytes} bytes; CloudFormation accepts more than {most} only from S3 (`aws cloudformation deploy --s3-bucket`)"
            )
        });
        Ok((file, note))
    }

    fn delivery(&self) -> Result<Vec<OutFile>, TargetError> {
        if self.cw.scraped.is_empty() {
            return Ok(Vec::new());
        }
        let scrape = delivery::scrape(self.plan, self.cw);
        Ok(match self.cw.via {
            Via::Agent => {
                let view = delivery::agent(self.plan, self.cw);
                vec![
                    check::canonical(self.file("agent.json", &view)?)?,
                    self.yaml("agent-prometheus.yaml", &scrape)?,
                ]
            }
            Via::Otlp => vec![self.yaml("otel-collector.yaml", &scrape)?],
        })
    }

    fn yaml(&self, path: &str, view: &impl Serialize) -> Result<OutFile, TargetError> {
        self.options.yaml(path, &format!("cloudwatch/{path}"), view)
    }

    fn parity(&self) -> Result<[OutFile; 2], TargetError> {
        let view = parity::view(self.plan, self.cw);
        Ok([
            check::text(self.file("parity.md", &view)?),
            check::canonical(self.file("parity.json", &view)?)?,
        ])
    }
}

/// Text as it is written between the quotes of a JSON string.
fn inside_json(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
