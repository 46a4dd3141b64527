#!/usr/bin/env python3
"""Measures how long `slosmith lsp` takes from a keystroke in a rule file of 10,000 lines to its findings.

    benches/lsp.py [BINARY]                  # default target/dist/slosmith

Prints the time to open the file, and the least, median and longest of 30 keystrokes, in milliseconds. Every second keystroke
breaks one alert of 2,000, and the next one mends it: the findings that come back are counted.
"""
import json
import statistics
import subprocess
import sys
import tempfile
import time

LINES, KEYSTROKES = 10_000, 30
RULE = """  - alert: A{i}
    expr: histogram_quantile(0.95, sum by (le, model_name) (rate(vllm:time_to_first_token_seconds_bucket[5m]))) > 2
    for: 5m
    labels: {{severity: warning}}
    annotations: {{summary: High time to first token}}"""


class Server:
    def __init__(self, binary, folder):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([binary, "lsp"], stdin=pipe, stdout=pipe, cwd=folder)

    def send(self, method, params, **more):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def until(self, wanted):
        """The first message that is wanted."""
        while True:
            length = 0
            while line := self.process.stdout.readline().strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            message = json.loads(self.process.stdout.read(length))
            if wanted(message):
                return message

    def findings(self, method, document, version, **params):
        """Milliseconds until the findings of a version are there, and their number."""
        begun = time.perf_counter()
        self.send(method, {"textDocument": document, **params})
        found = self.until(lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"].get("version") == version)
        return 1000 * (time.perf_counter() - begun), len(found["params"]["diagnostics"])


def main():
    binary = sys.argv[1] if len(sys.argv) > 1 else "target/dist/slosmith"
    rules = "\n".join(RULE.format(i=i) for i in range(LINES // 5))
    right = "groups:\n- name: g\n  rules:\n" + rules + "\n"
    wrong = right.replace("time_to_first_token_seconds_bucket", "time_to_first_tokens_seconds_bucket", 1)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(binary, folder)
        server.send("initialize", {"processId": None, "rootUri": f"file://{folder}", "capabilities": {}}, id=1)
        server.until(lambda message: message.get("id") == 1)
        server.send("initialized", {})
        document = {"uri": f"file://{folder}/rules.yaml", "version": 1}
        opened, _ = server.findings("textDocument/didOpen", {**document, "languageId": "yaml", "text": right}, 1)
        times, counts = [], []
        for i in range(KEYSTROKES):
            document["version"] = 2 + i
            changes = [{"text": right if i % 2 else wrong}]
            taken, count = server.findings("textDocument/didChange", document, 2 + i, contentChanges=changes)
            times.append(taken)
            counts.append(count)
        server.process.kill()
    assert set(counts[::2]) == {1} and set(counts[1::2]) == {0}, counts
    least, median, most = min(times), statistics.median(times), max(times)
    print(f"open {opened:.0f}; keystroke {least:.0f}, {median:.0f}, {most:.0f}")


if __name__ == "__main__":
    main()
