//! What alarms do when their state changes: ARNs of topics, functions, scaling policies.
//!
//! `arn:aws:automate:us-east-1:ec2:stop` stops an instance; a composite alarm cannot do that.

use super::fields::Fields;
use super::limits;
use super::unknown::known;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A single metric, PromQL, or one that is not known.
    Metric,
    Math,
    /// Metric math with an anomaly detection band.
    Band,
    Composite,
}

/// When actions are taken.
pub const STATES: [&str; 3] = ["OKActions", "AlarmActions", "InsufficientDataActions"];

const EC2: [&str; 4] = ["stop", "terminate", "reboot", "recover"];

pub(super) fn check(f: &mut Fields<'_, '_>, sort: Sort) {
    f.boolean("ActionsEnabled");
    for state in STATES {
        for (i, action) in known(f.at_most(state, limits::ACTIONS)) {
            let wrong = match action.as_str() {
                Some(text) => refused(text, state, sort),
                None => Some("an action must be a string".to_owned()),
            };
            if let Some(why) = wrong {
                f.wrong(&format!("{state}/{i}"), why);
            }
        }
    }
}

/// Why an alarm of a sort cannot take an action, an ARN, in a state such as `OKActions`.
pub fn refused(action: &str, state: &str, sort: Sort) -> Option<String> {
    let parts: Vec<&str> = action.splitn(6, ':').collect();
    let ["arn", partition, service, _, account, rest @ ..] = parts.as_slice() else {
        return Some("an action must be an ARN of 1 to 1024 characters".to_owned());
    };
    if !partition.starts_with("aws") || action.chars().count() > limits::ACTION {
        return Some("an action must be an ARN of 1 to 1024 characters".to_owned());
    }
    let composite = sort == Sort::Composite;
    match *service {
        "sns" | "lambda" => None,
        "automate" if *account == "ec2" && !rest.first().is_some_and(|verb| EC2.contains(verb)) => {
            Some(format!("an EC2 action must be one of {}", EC2.join(", ")))
        }
        "automate" | "swf" if composite => {
            Some("a composite alarm cannot have an EC2 action".to_owned())
        }
        "automate" | "swf" if matches!(sort, Sort::Math | Sort::Band) => {
            Some("an alarm on metric math cannot have an EC2 action".to_owned())
        }
        "automate" | "swf" => None,
        "autoscaling" if composite => {
            Some("a composite alarm cannot run a scaling action".to_owned())
        }
        "autoscaling" if sort == Sort::Band => {
            Some("an anomaly detection alarm cannot run a scaling action".to_owned())
        }
        "autoscaling" => None,
        "ssm" | "ssm-incidents" if composite && state != "AlarmActions" => Some(
            "a composite alarm can create OpsItems and incidents only in `AlarmActions`".to_owned(),
        ),
        "ssm" | "ssm-incidents" => None,
        "aiops" if state != "AlarmActions" => {
            Some("an investigation can be started only in `AlarmActions`".to_owned())
        }
        "aiops" => None,
        other => Some(format!(
            "an alarm cannot call `{other}`; use sns, lambda, automate, swf, autoscaling, ssm, ssm-incidents or aiops"
        )),
    }
}
