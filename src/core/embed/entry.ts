export { type Embedder, type EmbedderOptions, embedder } from './embedder.ts'
export { type LogitsProcessorFunction, type ProcessorOptions, watermarkProcessor } from './processor.ts'
