// Data flows one way: keys -> watermarks -> models | detect -> theory, attacks, metrics -> bench -> report.
// laws, vitest, bench and the command line use the rooms above them and are used by none.
/** What each room of src/ may import, besides itself. */
const rooms = {
  stats: [],
  keys: ['kernels', 'watermark'],
  kernels: ['keys/mix', 'keys/siphash'],
  watermark: ['keys', 'detect/detector'],
  method: ['watermark', 'keys'],
  watermarks: ['watermark', 'method', 'keys', 'stats', 'detect', 'kernels', 'reference'],
  detect: ['watermark', 'keys', 'stats', 'kernels'],
  embed: ['watermark', 'keys', 'kernels'],
  reference: ['watermark', 'method', 'keys', 'stats', 'detect', 'watermarks'],
  models: ['watermark', 'keys', 'embed', 'detect', 'kernels', 'stats'],
  theory: ['watermark', 'keys', 'embed', 'stats', 'detect', 'watermarks', 'models'],
  attacks: ['watermark', 'keys', 'stats', 'models'],
  metrics: ['stats', 'models'],
  datasets: [],
  paper: ['stats', 'theory'],
  bench: [
    'watermark',
    'watermarks',
    'keys',
    'stats',
    'detect',
    'models',
    'theory',
    'attacks',
    'metrics',
    'datasets',
    'paper',
    'report',
  ],
  report: ['stats', 'paper'],
  laws: [
    'watermark',
    'watermarks',
    'keys',
    'embed',
    'stats',
    'detect',
    'theory',
    'models/toy',
    'models/warp',
  ],
  commands: ['watermark', 'method', 'watermarks', 'detect', 'models', 'laws', 'paper', 'report'],
  vitest: ['watermark', 'method', 'laws', 'bench', 'stats', 'report'],
}
const inRoom = (room) => (room.includes('/') ? `^src/${room}` : `^src/${room}([./]|$)`)

module.exports = {
  forbidden: [
    ...Object.entries(rooms).map(([room, may]) => ({
      name: `room-${room}`,
      severity: 'error',
      comment: `src/${room} may import only: ${[room, ...may].join(', ')}, and input.ts`,
      from: { path: inRoom(room) },
      to: { path: '^src/', pathNot: [room, 'input', ...may].map(inRoom) },
    })),
    {
      name: 'methods-know-no-published-codes',
      severity: 'error',
      comment:
        'methods.ts joins methods with published codes, so that a bundle without them has none of their code',
      from: { path: '^src/watermarks/', pathNot: '^src/watermarks/(methods|parse-rule)\\.ts$' },
      to: { path: '^src/reference/' },
    },
    {
      name: 'core-runs-in-a-browser',
      severity: 'error',
      comment: 'nothing reachable from the entry `uwbench` may import Node',
      from: { path: '^src/index\\.ts$' },
      to: {
        reachable: true,
        path: ['^node:', '^(fs|path|crypto|os|worker_threads|child_process|util|url|buffer)$'],
      },
    },
    {
      name: 'core-has-few-dependencies',
      severity: 'error',
      comment: 'the entry `uwbench` needs a hash library and nothing else',
      from: { path: '^src/index\\.ts$' },
      to: { reachable: true, path: 'node_modules/', pathNot: 'node_modules/@noble/hashes/' },
    },
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, dependencyTypesNot: ['type-only'] },
    },
    { name: 'resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'src/kernels/assembly' },
    tsPreCompilationDeps: false,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
