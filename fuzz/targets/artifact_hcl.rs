#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| slosmith_fuzz::properties::artifact_hcl(data));
