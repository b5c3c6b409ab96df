/** The entry `uwbench/metrics`: metrics of generated text. None imports a model; those under a model take one as an argument. */
export {
  type BertScore,
  type BertScoreOptions,
  bertScore,
  bertScoreMetric,
  type Idf,
  inverseDocumentFrequency,
} from './bertscore.ts'
export { type BleuOptions, type BleuScore, bleu, corpusBleu, sentenceBleu } from './bleu.ts'
export {
  type LikelihoodOptions,
  logLikelihood,
  meanLogLikelihood,
  perplexity,
  perplexityOf,
} from './likelihood.ts'
export type { Metric, Sample } from './metric.ts'
export { porterStem } from './porter.ts'
export { distinct, distinctN, repeatedNgrams, repeatedWithin, repetition } from './repetition.ts'
export { type RougeOptions, type RougeScore, rouge, rougeL, rougeLsum, rougeN, rougeWords } from './rouge.ts'
export { tokenize13a } from './tokenize13a.ts'
