#!/usr/bin/env node
// The server.
require('./launch.cjs')('main.js');
