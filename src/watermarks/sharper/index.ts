/** The door of this room: other floors import it and nothing else of the room. */
export * from './bit-training.ts'
export * from './embedded-trainings.ts'
export * from './posterior.ts'
export * from './train-bits.ts'
export * from './trained-score.ts'
