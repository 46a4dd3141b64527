//! A scrape job as Prometheus's configuration has it; the CloudWatch agent and the OpenTelemetry collector take the same.

use serde::{Deserialize, Serialize};

use slosmith_plan::plan::{Plan, Rename, ScrapeJob};
use slosmith_spec::naming;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScrapeConfig {
    pub(super) job_name: String,
    pub(super) scrape_interval: String,
    pub(super) metrics_path: String,
    #[serde(default)]
    pub(super) honor_labels: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) params: Option<Params>,
    pub(super) file_sd_configs: Vec<FileDiscovery>,
    pub(super) relabel_configs: Vec<Relabel>,
    #[serde(default)]
    pub(super) metric_relabel_configs: Vec<Relabel>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Params {
    pub(super) module: Vec<String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileDiscovery {
    pub(super) files: Vec<String>,
}

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Relabel {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) source_labels: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) regex: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) target_label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) replacement: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) action: Option<String>,
}

/// A job of `scrape.yaml`. Names of jobs must differ between all files that are loaded together, so this one contains
/// the service's name, and its targets get the job's own.
pub(super) fn config(plan: &Plan, job: &ScrapeJob) -> ScrapeConfig {
    let mut config = alone(plan, job);
    config
        .metric_relabel_configs
        .extend(job.renames.iter().flat_map(rename));
    config.job_name = naming::scrape_job(&plan.service.name, &job.name);
    config.relabel_configs.insert(0, set("job", &job.name));
    if !job.created.is_empty() {
        config.metric_relabel_configs.push(Relabel {
            action: Some("drop".into()),
            ..named(job.created.join("|"))
        });
    }
    config
}

pub(super) fn config_of(plan: &Plan, job: &ScrapeJob, series: String) -> ScrapeConfig {
    let mut config = alone(plan, job);
    config
        .metric_relabel_configs
        .extend(job.renames.iter().flat_map(rename));
    config.metric_relabel_configs.push(Relabel {
        action: Some("keep".into()),
        ..named(series)
    });
    config
}

impl ScrapeConfig {
    /// Keeps the classic series of histograms where Prometheus 3.13 or newer scrapes native histograms or converts to them.
    /// Other releases drop this label like all that begin with two underscores.
    pub(super) fn with_classic_histograms(mut self) -> Self {
        let kept = set("__always_scrape_classic_histograms__", "true");
        self.relabel_configs.push(kept);
        self
    }

    /// The same for the CloudWatch agent: one sample a minute is what a rule sees of a gauge when it is evaluated, and the
    /// sum of a minute is the total of all replicas.
    pub(super) fn each_minute(mut self) -> Self {
        "1m".clone_into(&mut self.scrape_interval);
        self
    }

    /// The same for an OpenTelemetry collector, which reads `$` as the start of a variable.
    pub(super) fn for_collector(mut self) -> Self {
        let all = self.relabel_configs.iter_mut();
        for relabel in all.chain(&mut self.metric_relabel_configs) {
            for text in [&mut relabel.replacement, &mut relabel.regex] {
                *text = text.take().map(|text| text.replace('$', "$$"));
            }
        }
        self
    }
}

fn alone(plan: &Plan, job: &ScrapeJob) -> ScrapeConfig {
    let (path, params) = match &job.probe {
        None => (job.path.as_str(), None),
        Some(probe) => ("/probe", Some(vec![probe.module.clone()])),
    };
    let mut relabel = Vec::new();
    if let Some(probe) = &job.probe {
        relabel.push(copy("__address__", "__param_target"));
        relabel.push(copy("__param_target", "instance"));
        relabel.push(set("__address__", &probe.exporter));
    }
    ScrapeConfig {
        job_name: job.name.clone(),
        scrape_interval: plan.scrape.interval.to_string(),
        metrics_path: path.to_owned(),
        honor_labels: job.honors_labels,
        params: params.map(|module| Params { module }),
        file_sd_configs: vec![FileDiscovery {
            files: vec![naming::targets_file(&plan.service.name, &job.name)],
        }],
        relabel_configs: relabel,
        metric_relabel_configs: Vec::new(),
    }
}

/// Stores each name with the prefix that the rules use, whatever the client and Prometheus made of its colon.
fn rename(rename: &Rename) -> Vec<Relabel> {
    let to = |from: &str, rest: &str, to: &str| Relabel {
        target_label: Some("__name__".into()),
        replacement: Some(format!("{to}$1")),
        ..named(format!("{from}({rest})"))
    };
    let mut all = vec![to(&rename.from, ".+", &rename.to)];
    if !rename.except.is_empty() {
        all.push(to(&rename.to, &rename.except.join("|"), &rename.from));
    }
    all
}

fn named(regex: String) -> Relabel {
    Relabel {
        source_labels: vec!["__name__".into()],
        regex: Some(regex),
        ..Relabel::default()
    }
}

pub(super) fn set(label: &str, value: &str) -> Relabel {
    Relabel {
        target_label: Some(label.to_owned()),
        replacement: Some(value.replace('$', "$$")),
        ..Relabel::default()
    }
}

pub(super) fn copy(from: &str, to: &str) -> Relabel {
    Relabel {
        source_labels: vec![from.to_owned()],
        target_label: Some(to.to_owned()),
        ..Relabel::default()
    }
}
