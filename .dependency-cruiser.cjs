// Data flows one way: a floor of src/ imports the floors below it, a room the rooms of its floor that scripts/rooms.cjs names.
const { floors, throughIndex } = require('./scripts/rooms.cjs')

const names = Object.keys(floors)
/** The files of a room; those of '.' lie directly on their floor. */
const inRoom = (floor, room) => (room === '.' ? `^src/${floor}/[^/]+$` : `^src/${floor}/${room}/`)

module.exports = {
  forbidden: [
    ...names.slice(0, -1).map((floor, level) => ({
      name: `floor-${floor}`,
      severity: 'error',
      comment: `src/${floor} may import only the floors below it: ${names.slice(0, level).join(', ') || 'none'}`,
      from: { path: `^src/${floor}/` },
      to: { path: names.slice(level + 1).map((above) => `^src/${above}/`) },
    })),
    ...names.flatMap((floor) =>
      Object.entries(floors[floor]).map(([room, may]) => ({
        name: `room-${floor}-${room}`,
        severity: 'error',
        comment: `src/${floor}/${room} may import only these rooms of its floor: ${may.join(', ') || 'none'}`,
        from: { path: inRoom(floor, room) },
        to: { path: `^src/${floor}/`, pathNot: [room, ...may].map((other) => inRoom(floor, other)) },
      })),
    ),
    ...(throughIndex
      ? [
          {
            name: 'through-the-index-of-a-room',
            severity: 'error',
            comment: 'other floors import a room through its index.ts; the rest of the room is internal',
            // a page in a browser imports files: the doors of rooms with Node in them would bring it along
            from: { path: '^src/([^/]+)/', pathNot: '^src/cli/playground/browser/' },
            to: { path: '^src/[^/]+/', pathNot: ['^src/$1/', '/index\\.ts$'] },
          },
        ]
      : []),
    {
      name: 'declaration-knows-keys-only',
      severity: 'error',
      comment: 'the declaration is what everything meets at: it knows the types of keys, and no floor above',
      from: { path: '^src/(watermark|input)\\.ts$' },
      to: { path: '^src/', pathNot: '^src/((watermark|input)\\.ts$|core/keys/)' },
    },
    {
      name: 'core-runs-in-a-browser',
      severity: 'error',
      comment:
        'nothing reachable from the entry `uwbench`, from those that need no model, or from the playground may import Node',
      from: {
        path: '^src/(index|(theory|bench/paper|text/metrics|core/stats)/entry|watermarks/reference|cli/playground/browser/(page|worker|service-worker))\\.ts$',
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
    exclude: { path: 'src/core/kernels/assembly' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
