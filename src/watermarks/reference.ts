/** The entry `uwbench/reference`: codes exactly as published implementations draw them, bit for bit. */
export { asPublished } from './as-published.ts'
export * from './published/index.ts'
