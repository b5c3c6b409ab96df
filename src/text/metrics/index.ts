/** The door of this room: other floors import it and nothing else of the room. */

export * from './bleu.ts'
export * from './entry.ts'
export * from './metric.ts'
export * from './repetition.ts'
export * from './rouge.ts'
export * from './tokenize13a.ts'
