//! Signatures of requests to services that no SDK is for, such as the query API of Amazon Managed Service for Prometheus.

use std::time::{Duration, UNIX_EPOCH};

use aws_config::{BehaviorVersion, Region};
use aws_credential_types::Credentials;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4::SigningParams;
use tokio::runtime::{Builder, Runtime};

use super::error::in_words;
use super::session::{SessionError, http};

/// Whose requests are signed, for which region.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// The region of the environment or the profile without one.
    pub region: Option<String>,
    pub profile: Option<String>,
    /// An access key and its secret; the usual places are searched without them.
    pub key: Option<(String, String)>,
}

/// Signs requests with Signature Version 4.
#[derive(Debug)]
pub struct Signer {
    runtime: Runtime,
    credentials: SharedCredentialsProvider,
    region: String,
}

impl Signer {
    /// # Errors
    ///
    /// If there is no region, or nothing that has credentials.
    pub fn open(identity: &Identity) -> Result<Self, SessionError> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let mut loader = aws_config::defaults(BehaviorVersion::latest()).http_client(http());
        if let Some(region) = &identity.region {
            loader = loader.region(Region::new(region.clone()));
        }
        if let Some(profile) = &identity.profile {
            loader = loader.profile_name(profile);
        }
        if let Some((key, secret)) = &identity.key {
            loader = loader.credentials_provider(Credentials::new(key, secret, None, None, "file"));
        }
        let config = runtime.block_on(loader.load());
        let missing = |what: &str| SessionError::Credentials(format!("no {what} is configured"));
        let region = config.region().ok_or_else(|| missing("region"))?;
        let credentials = config.credentials_provider();
        Ok(Self {
            runtime,
            region: region.to_string(),
            credentials: credentials.ok_or_else(|| missing("credentials provider"))?,
        })
    }

    /// The headers that sign a request to `service`, at a time since 1970.
    ///
    /// # Errors
    ///
    /// If there are no credentials, or the request cannot be signed.
    pub fn headers(
        &self,
        service: &str,
        (method, url): (&str, &str),
        body: &[u8],
        now: Duration,
    ) -> Result<Vec<(String, String)>, SessionError> {
        let found = async { self.credentials.provide_credentials().await };
        let credentials = self.runtime.block_on(found);
        let credentials = credentials.map_err(|why| SessionError::Credentials(in_words(&why)))?;
        let identity = credentials.into();
        let params = SigningParams::builder()
            .identity(&identity)
            .region(&self.region)
            .name(service)
            .time(UNIX_EPOCH + now)
            .settings(SigningSettings::default())
            .build();
        let fault = |why: &dyn std::fmt::Display| SessionError::Credentials(why.to_string());
        let params = params.map_err(|why| fault(&why))?.into();
        let body = SignableBody::Bytes(body);
        let request = SignableRequest::new(method, url, std::iter::empty(), body);
        let request = request.map_err(|why| fault(&why))?;
        let signed = sign(request, &params).map_err(|why| fault(&why))?;
        let (instructions, _) = signed.into_parts();
        let headers = instructions.headers();
        Ok(headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// botocore signs this request so.
    #[test]
    fn a_query_is_signed() {
        let key = ("AKIDEXAMPLE".to_owned(), "secret/key".to_owned());
        let signer = Signer::open(&Identity {
            region: Some("eu-west-1".into()),
            profile: None,
            key: Some(key),
        });
        let url = "https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-1/api/v1/query";
        let body = b"query=sum%28up%29&time=1793534400";
        let now = Duration::from_secs(1_793_534_400);
        let headers = signer
            .expect("a signer")
            .headers("aps", ("POST", url), body, now);
        let headers = headers.expect("headers");
        let expected = [
            ("x-amz-date", "20261101T120000Z"),
            (
                "authorization",
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261101/eu-west-1/aps/aws4_request, SignedHeaders=host;x-amz-date, Signature=33a74870b739e78c97ebab102a358766fcbacd50e6c3c99a6f4c2e32b84ad5b8",
            ),
        ];
        assert_eq!(headers, expected.map(|(n, v)| (n.to_owned(), v.to_owned())));
    }
}
