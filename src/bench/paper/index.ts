/** The door of this room: other floors import it and nothing else of the room. */

export { impliedSpread } from './audit/implied-spread.ts'
export * from './entry.ts'
