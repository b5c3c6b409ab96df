// The floors of src/, lowest first, and the rooms on each: which rooms of its own floor a room may import. A floor may import every
// floor below it, through the index.ts of a room. Type imports count. The lint rule and docs/architecture.md read this table; a test
// refuses an entry that nothing uses. input.ts and watermark.ts lie below all floors.
const floors = {
  core: {
    stats: [],
    kernels: [],
    keys: ['kernels'],
    method: ['keys'],
    detect: ['keys', 'stats', 'kernels'],
    embed: ['keys', 'kernels'],
  },
  watermarks: {
    mechanisms: [],
    published: ['mechanisms'],
    sharper: ['mechanisms'],
    '.': ['mechanisms', 'published', 'sharper'],
  },
  text: {
    decode: [],
    models: ['decode'],
    corpus: [],
    datasets: ['corpus', 'models'],
    metrics: ['decode'],
    attacks: ['decode', 'metrics'],
  },
  theory: { '.': [] },
  bench: {
    report: [],
    paper: [],
    config: [],
    cells: ['report'],
    steps: ['cells', 'report'],
    study: ['cells', 'config', 'paper', 'report', 'steps'],
    plan: ['cells', 'steps', 'study'],
    protocols: ['cells', 'paper', 'plan', 'report', 'steps', 'study'],
    run: ['cells', 'plan', 'protocols', 'report', 'steps', 'study'],
    '.': ['cells', 'report', 'run', 'study', 'steps'],
  },
  gate: {
    laws: [],
    testee: ['laws'],
    server: ['laws'],
    vitest: ['laws', 'testee'],
  },
  cli: {
    playground: [],
    serve: [],
    commands: ['playground', 'serve'],
    '.': ['commands'],
  },
}

module.exports = {
  floors,
  /** Whether the lint rule insists that imports from other floors go through the index.ts of a room. */
  throughIndex: true,
}
