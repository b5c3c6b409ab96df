/** The door of this room: other floors import it and nothing else of the room. */
export * from './code.ts'
export * from './detect-pool.ts'
export * from './pool.ts'
export * from './progress.ts'
export * from './queue/work.ts'
export * from './store.ts'
export * from './text-batch.ts'
export * from './time-limit.ts'
