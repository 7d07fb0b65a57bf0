// Loaded before the test runner, which follows all that is asynchronous of the service to know which test an error belongs to: a seventh of
// the processor time of a part. It is told of its own tests only. An error that nobody awaits, or that a callback throws, still fails the
// run, but names no test.
const hooks = require('node:async_hooks');

const { createHook } = hooks;
hooks.createHook = ({ init }) =>
  createHook({
    trackPromises: false,
    init: (id, type, ...rest) => {
      if (type === 'Test') init(id, type, ...rest);
    },
  });
