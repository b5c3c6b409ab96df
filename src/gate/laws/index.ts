/** The door of this room: other floors import it and nothing else of the room. */

export * from './check.ts'
export * from './entry.ts'
export * from './law.ts'
export * from './render.ts'
