/** The door of this room: other floors import it and nothing else of the room. */
export * from './inventory.ts'
export * from './methods.ts'
export { needsOf } from './needs.ts'
export * from './scales.ts'
export * from './settings.ts'
export * from './study.ts'
