#!/usr/bin/env node
// The command line.
require('./launch.cjs')('cli/main.js');
