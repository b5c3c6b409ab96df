/** The door of this room: other floors import it and nothing else of the room. */
export * from './decode.ts'
export { freshSeed, openText } from './generate.ts'
export * from './language-model.ts'
export * from './prompt.ts'
export * from './warp.ts'
