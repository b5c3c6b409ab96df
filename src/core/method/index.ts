/** The door of this room: other floors import it and nothing else of the room. */
export * from './call.ts'
export * from './declared-parameters.ts'
export * from './define-method.ts'
export * from './define-watermark.ts'
export * from './parameters.ts'
export * from './with-message.ts'
