/** Prompts and references: streaming readers, the paper's datasets by name, and the ones that ship with the package. */
export { readBrown } from './brown.ts'
export {
  type DatasetDeclaration,
  type Example,
  isPromptFile,
  promptFile,
  type Reading,
  readDataset,
} from './dataset.ts'
export { embeddedDataset, isEmbeddedDataset } from './embedded.ts'
export { c4, cnnDailyMail, dolly, mmw, waterBench, wmt16 } from './named.ts'
