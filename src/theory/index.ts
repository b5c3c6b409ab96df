/** The door of this room: other floors import it and nothing else of the room. */

export * from './edits.ts'
export * from './entry.ts'
export * from './spmg.ts'
export * from './spmg-queries.ts'
export * from './spmg-test.ts'
