/** The door of this room: other floors import it and nothing else of the room. */
export { isCharacterEdit } from './characters.ts'
export * from './entry.ts'
export * from './paraphrase.ts'
export * from './rewrite.ts'
export * from './synonyms.ts'
export * from './wordnet.ts'
