#!/usr/bin/env node
// Runs the binary of this platform, which a package of its own brings.
'use strict';
const { spawnSync } = require('node:child_process');
const { constants } = require('node:os');

const name = `slosmith-${process.platform}-${process.arch}`;

function binary() {
  try {
    return require.resolve(`${name}/slosmith`);
  } catch {
    console.error(`slosmith: the package ${name} is not installed: there is no binary for this platform, or npm ran with --omit=optional`);
    process.exit(2);
  }
}

const { status, signal, error } = spawnSync(binary(), process.argv.slice(2), { stdio: 'inherit' });
if (error) {
  console.error(`slosmith: ${error.message}`);
  process.exit(2);
}
// As a shell says it: 128 and the signal's number.
process.exit(signal ? 128 + constants.signals[signal] : status);
