/** The door of this room: other floors import it and nothing else of the room. */
export * from './chunks.ts'
export * from './entry.ts'
export * from './glob.ts'
export * from './row.ts'
export * from './source.ts'
