/** Prompts and references: streaming readers, the paper's datasets by name, and the ones that ship with the package. */
export {
  type DatasetDeclaration,
  type Reading,
  readDataset,
  streamDataset,
} from './dataset.ts'
export { embeddedDataset } from './embedded.ts'
export { digestExamples, type Example } from './example.ts'
export { hubCache } from './locate.ts'
export { mmw } from './mmw.ts'
export { c4, cnnDailyMail, dolly, waterBench, wmt16 } from './named.ts'
