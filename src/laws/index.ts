/** The entry `uwbench/laws`: what a watermark must obey, as functions. Needs fast-check. */
export * from './engine/index.ts'
