/** The loops that cost the time. `kernels` says which run, and allocates arrays. */
export * from './active.ts'
export * from './edges.ts'
export * from './kernels.ts'
export * from './mix.ts'
export * from './scratch.ts'
export * from './siphash.ts'
export * from './support.ts'
