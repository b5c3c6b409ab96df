export { Expansion } from './random.ts'
export { type Context, keySchedule } from './schedule.ts'
export { labelSeed, type Stream, seededRandom } from './stream.ts'
