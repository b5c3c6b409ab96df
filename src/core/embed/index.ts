/** The door of this room: other floors import it and nothing else of the room. */

export * from './distribution.ts'
export * from './embedder.ts'
export * from './entry.ts'
export * from './target.ts'
