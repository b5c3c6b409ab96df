/** The door of this room: other floors import it and nothing else of the room. */

export * from './driver.ts'
export * from './experiment.ts'
export * from './forecast.ts'
export { recomputed, refreshed } from './refresh.ts'
