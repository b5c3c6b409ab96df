/** The door of this room: other floors import it and nothing else of the room. */
export * from './entry.ts'
