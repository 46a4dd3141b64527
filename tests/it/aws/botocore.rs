//! The server, judged by a client that nobody here wrote.

use std::path::Path;
use std::process::Command;

use super::server::Server;

#[test]
#[ignore = "[ci] needs botocore in target/ci-python, where .ci/run puts it"]
fn botocore_takes_our_server_for_cloudwatch() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let server = Server::start();
    let done = Command::new(root.join("target/ci-python/bin/python"))
        .arg(root.join("tools/cloudwatch-client"))
        .arg(server.url())
        .output()
        .expect("python runs");
    let err = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{err}");
    let called = server.called();
    assert!(called.len() > 20, "{called:?}");
}
