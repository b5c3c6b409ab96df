// Data flows one way: keys -> watermarks -> models | detect -> theory, attacks, metrics -> bench -> report.
// laws, vitest, bench and the command line use the rooms above them and are used by none.
const rooms = require('./scripts/rooms.cjs')

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
      name: 'core-runs-in-a-browser',
      severity: 'error',
      comment:
        'nothing reachable from the entry `uwbench`, from those that need no model, or from the playground may import Node',
      from: {
        path: '^src/(index|(theory|paper|metrics|stats|reference)/index|playground/browser/(page|worker|service-worker))\\.ts$',
      },
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
      // types may refer to each other; what runs may not
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'src/kernels/assembly' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
