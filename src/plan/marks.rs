//! Marks: owner, labels and annotations of an alert.

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// Who answers for it, if that is said.
    pub owner: Option<String>,
    /// True when that is not simply the owner of the service.
    pub owner_is_own: bool,
    /// Labels; the values may hold template code.
    pub labels: Vec<(String, String)>,
    /// Annotations; the texts may hold template code.
    pub annotations: Vec<(String, String)>,
}

impl Marks {
    /// Labels whose values are the same whenever the alert fires.
    pub fn fixed(&self) -> impl Iterator<Item = &(String, String)> {
        self.labels
            .iter()
            .filter(|(_, value)| !value.contains("{{"))
    }
}
