/** Prompts and references: streaming readers, the paper's datasets by name, and the ones that ship with the package. */
export { type DatasetDeclaration, type Reading, readDataset } from './dataset.ts'
export { embeddedDataset, isEmbeddedDataset } from './embedded.ts'
export type { Example } from './example.ts'
export { mmw } from './mmw.ts'
export { c4, cnnDailyMail, dolly, waterBench, wmt16 } from './named.ts'
export { isPromptFile, promptFile } from './prompt-file.ts'
