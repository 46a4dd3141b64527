//! CloudWatch: alarms and dashboards as requests of its API, as Terraform JSON and as a CloudFormation
//! template, and the configuration of what delivers their metrics.

mod api;
mod board;
mod check;
mod delivery;
mod formation;
mod parity;
mod terraform;

use serde_json::{Value, json};

use super::{OutFile, Rendered, TargetError};
use crate::plan::Plan;
use crate::plan::cloudwatch::CloudWatch;
use crate::spec::Via;
use crate::template::Templates;

/// Stand for what is only known where a template is applied. No text has them: they are for private use.
pub(super) const REGION: &str = "\u{E000}region\u{E001}";
pub(super) const ACCOUNT: &str = "\u{E000}account\u{E001}";

/// Renders everything for CloudWatch.
///
/// # Errors
/// When a template fails, or its output is something that CloudWatch would refuse.
pub(super) fn render(plan: &Plan, templates: &Templates) -> Result<Rendered, TargetError> {
    let mut rendered = Rendered::default();
    let Some(cw) = &plan.cloudwatch else {
        return Ok(rendered);
    };
    let out = Out {
        templates,
        plan,
        cw,
    };
    rendered.files.push(out.alarms()?);
    rendered.files.extend(out.boards()?);
    rendered.files.push(out.terraform()?);
    rendered.files.push(out.formation()?);
    rendered.files.extend(out.delivery()?);
    rendered.beside.extend(out.parity()?);
    Ok(rendered)
}

struct Out<'a> {
    templates: &'a Templates,
    plan: &'a Plan,
    cw: &'a CloudWatch,
}

impl Out<'_> {
    fn file(&self, path: &str, view: &Value) -> Result<OutFile, TargetError> {
        let template = path.split_once('/').map_or(path, |_| "dashboard.json");
        let text = self
            .templates
            .render(&format!("cloudwatch/{template}"), view)?;
        Ok(OutFile {
            path: path.to_owned(),
            text,
        })
    }

    fn alarms(&self) -> Result<OutFile, TargetError> {
        let requests: Vec<_> = self
            .cw
            .alarms
            .iter()
            .map(|a| api::request(self.cw, a))
            .collect();
        let file = self.file("alarms.json", &json!({"alarms": requests}))?;
        check::alarms(file)
    }

    fn boards(&self) -> Result<Vec<OutFile>, TargetError> {
        let boards = self.cw.boards.iter();
        boards
            .map(|board| {
                let account = self.cw.account.as_deref().unwrap_or_default();
                let view = board::view(board, &self.cw.region, account);
                check::dashboard(self.file(&format!("dashboards/{}.json", board.file), &view)?)
            })
            .collect()
    }

    /// Bodies of the dashboards, as they come from the templates, with region and account left open.
    fn open_boards(&self) -> Result<Vec<(&str, &str, Value)>, TargetError> {
        let boards = self.cw.boards.iter();
        boards
            .map(|b| {
                let view = board::view(b, REGION, ACCOUNT);
                let file = self.file(&format!("dashboards/{}.json", b.file), &view)?;
                Ok((b.file.as_str(), b.name.as_str(), check::json(&file)?))
            })
            .collect()
    }

    fn terraform(&self) -> Result<OutFile, TargetError> {
        let boards = self.open_boards()?;
        let view = terraform::view(self.plan, self.cw, &boards);
        check::canonical(self.file("main.tf.json", &view)?)
    }

    fn formation(&self) -> Result<OutFile, TargetError> {
        let boards = self.open_boards()?;
        let view = formation::view(self.plan, self.cw, &boards);
        check::formation(self.file("template.json", &view)?)
    }

    fn delivery(&self) -> Result<Vec<OutFile>, TargetError> {
        let mut files = Vec::new();
        if self.cw.via == Via::Agent && !self.cw.scraped.is_empty() {
            let view = delivery::agent(self.plan, self.cw);
            files.push(check::canonical(self.file("agent.json", &view)?)?);
            let view = delivery::scrape(self.plan, self.cw);
            files.push(check::yaml(self.file("agent-prometheus.yaml", &view)?)?);
        }
        let view = delivery::scrape(self.plan, self.cw);
        files.push(check::yaml(self.file("otel-collector.yaml", &view)?)?);
        Ok(files)
    }

    fn parity(&self) -> Result<[OutFile; 2], TargetError> {
        let view = parity::view(self.plan, self.cw);
        Ok([
            check::text(self.file("parity.md", &view)?),
            check::canonical(self.file("parity.json", &view)?)?,
        ])
    }
}
