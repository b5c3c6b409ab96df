/** The door of this room: other floors import it and nothing else of the room. */
export * from './entry.ts'
export * from './exported.ts'
export * from './method-list.ts'
export * from './shipped.ts'
export * from './sta1.ts'
