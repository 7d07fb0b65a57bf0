// How Node.js runs the server: `npm start`, the image, the package, the benchmarks and their tests.
module.exports = [
  // Young objects of many requests at once get 16 MiB, twice, before they are taken for old ones.
  '--max-semi-space-size=16',
  // After ten minutes without much work memory is returned to the system, not after eight seconds: the engine then forgets what it knows
  // of the code, and a request after a short silence would take half as much CPU again.
  '--gc-memory-reducer-start-delay-ms=600000',
  // Functions are optimized by the thread that runs them. V8 13.6 (Node.js 24) ends a process now and then in a thread beside it, where
  // processes wait for a core. From a cold start, the 99th percentile of requests is 1.02 to 1.19 times as long.
  '--no-concurrent-recompilation',
  // So is their code that is not optimized yet. V8 13.6 waits for ever, in `process.exit`, for a thread that compiles such functions and
  // itself waits for the main thread to collect garbage.
  '--no-concurrent-sparkplug',
  // A function of the embedded database's program is optimized after it has run eleven times as much as by default: a start spends 13 % less
  // CPU, and after half a minute of load nothing differs.
  '--wasm-tiering-budget=20000000',
];
