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
