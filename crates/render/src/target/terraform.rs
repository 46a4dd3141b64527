//! Terraform JSON.

/// Text that Terraform takes as it is: every string is a template.
pub(super) fn literal(text: &str) -> String {
    text.replace("${", "$${").replace("%{", "%%{")
}
