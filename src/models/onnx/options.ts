/** Number formats of the hub and how they show in a file's name. */
export const DTYPES = {
  fp32: '',
  fp16: '_fp16',
  q8: '_quantized',
  int8: '_int8',
  uint8: '_uint8',
  q4: '_q4',
  q4f16: '_q4f16',
  bnb4: '_bnb4',
} as const
/** Number format of the weights, as the hub names its files. */
export type Dtype = keyof typeof DTYPES

export interface LoadOptions {
  /** Number format: decides which of the folder's graphs is read. Default 'fp32'. */
  readonly dtype?: Dtype
  /** An execution provider of onnxruntime such as 'cpu', 'cuda', 'dml', 'coreml', 'webgpu'. Default 'cpu'. */
  readonly device?: string
  /** Threads of one run. Default: onnxruntime's choice. */
  readonly threads?: number
  /** A Jinja chat template in place of the model's own. */
  readonly chatTemplate?: string
  /** What reports call the model. Default: the id, or the name of the folder. */
  readonly name?: string
  /** Branch, tag or commit on the hub. Default 'main'. */
  readonly revision?: string
  /** Where downloads are kept. Default: the library's own place. */
  readonly cacheDir?: string
  /** Language codes such as 'ro_RO' of multilingual sequence-to-sequence models. */
  readonly sourceLanguage?: string
  readonly targetLanguage?: string
  /** Cut sources that are longer than a sequence-to-sequence model can read, keeping their end token. Default false: an error. */
  readonly truncateSources?: boolean
}
