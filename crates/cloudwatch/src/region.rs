//! Names of regions.

/// True for what is spelled like a region: `eu-central-1`, `us-iso-east-1`. Which there are changes too often to be listed.
pub fn is_region(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [country, middle @ .., number] = parts.as_slice() else {
        return false;
    };
    let letters = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase());
    letters(country)
        && !middle.is_empty()
        && middle.iter().all(letters)
        && !number.is_empty()
        && number.chars().all(|c| c.is_ascii_digit())
}

/// Beginnings of regions outside the partition `aws`, with their partitions and domains (botocore's `partitions.json`).
const OTHERS: [(&str, &str, &str); 7] = [
    ("cn-", "aws-cn", "amazonaws.com.cn"),
    ("us-gov-", "aws-us-gov", "amazonaws.com"),
    ("us-iso-", "aws-iso", "c2s.ic.gov"),
    ("us-isob-", "aws-iso-b", "sc2s.sgov.gov"),
    ("eu-isoe-", "aws-iso-e", "cloud.adc-e.uk"),
    ("us-isof-", "aws-iso-f", "csp.hci.ic.gov"),
    ("eusc-", "aws-eusc", "amazonaws.eu"),
];

fn other(region: &str) -> Option<&'static (&'static str, &'static str, &'static str)> {
    OTHERS.iter().find(|(start, ..)| region.starts_with(start))
}

/// The partition of a region, with which its ARNs begin (AWS General Reference, "Amazon Resource Names").
pub fn partition(region: &str) -> &'static str {
    other(region).map_or("aws", |(_, partition, _)| partition)
}

/// The domain of the services of a region.
pub fn domain(region: &str) -> &'static str {
    other(region).map_or("amazonaws.com", |(.., domain)| domain)
}

/// Why an alarm of a region cannot take an action: AWS answers "Only us-west-2 is supported" to an ARN of another one.
pub fn elsewhere(action: &str, region: &str) -> Option<String> {
    let mut parts = action.split(':').skip(1);
    let (partition, of) = (parts.next()?, parts.nth(1)?);
    if !of.is_empty() && of != region {
        return Some(format!(
            "the action is in {of}, and the alarm in {region}; AWS accepts actions of the same region only"
        ));
    }
    let own = self::partition(region);
    (partition != own)
        .then(|| format!("ARNs of {region} begin with `arn:{own}:`, not with `arn:{partition}:`"))
}
