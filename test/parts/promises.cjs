// Loaded before the test runner, which follows every promise of the service to know which test an error belongs to: a tenth of the
// processor time of a part. Without it, the error of a promise that nobody awaits still fails the run, but may name no test.
const hooks = require('node:async_hooks');

const { createHook } = hooks;
hooks.createHook = callbacks => createHook({ ...callbacks, trackPromises: false });
