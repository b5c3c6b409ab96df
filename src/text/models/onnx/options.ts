/** Number formats of the hub and their suffixes in file names. */
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

/** Decides which graphs are loaded. */
export type ModelKind = 'decoder' | 'encoder'

/**
 * Formats whose graphs round activations to int8 with one scale for a whole batch, so that the texts of a batch change each other
 * (the states of MiniLM by 13% of their size).
 */
export const SCALED_BY_BATCH: ReadonlySet<Dtype> = new Set<Dtype>(['q8', 'int8', 'uint8'])

export interface LoadOptions {
  /** Number format: decides which of the folder's graphs is read. Default 'fp32'. */
  readonly dtype?: Dtype
  /**
   * An execution provider of onnxruntime such as 'cpu', 'cuda', 'dml', 'coreml', 'webgpu', or one of several: 'cuda:1'. With WebGPU the
   * key-value cache stays on the device. Default 'cpu'.
   */
  readonly device?: string
  /** Threads of one run. Default: onnxruntime's choice. */
  readonly threads?: number
  /**
   * Rewrite a causal model's graph so that steps append to the key-value cache instead of copying it: faster where the cache is
   * large compared with the weights. The graph needs `position_ids` and plain attention (no sliding window). Default false.
   */
  readonly appendOnly?: boolean
  /** A Jinja chat template in place of the model's own. */
  readonly chatTemplate?: string
  /** The name of the model in reports. Default: the id, or the name of the folder. */
  readonly name?: string
  /** For a server: the tokenizer of its model, as `loadTokenizer` takes it; needed where its answers have no token ids. */
  readonly tokenizer?: string
  /** Branch, tag or commit on the hub. Default 'main'. */
  readonly revision?: string
  /** Folder for downloads. Default: the cache of the library that downloads; for models with a name of our own the user's cache. */
  readonly cacheDir?: string
  /** Receives a line every few seconds while a model is being fetched. Default: standard error. */
  readonly onProgress?: (line: string) => void
  /** Language codes such as 'ro_RO' of multilingual sequence-to-sequence models. */
  readonly sourceLanguage?: string
  readonly targetLanguage?: string
  /** Cut sources that are longer than a sequence-to-sequence model can read, keeping their end token. Default false: an error. */
  readonly truncateSources?: boolean
}

export interface EncoderOptions extends LoadOptions {
  /**
   * Take the states after this many layers. Default: all of them; `minilm` has 5 of its 6, as the published BERTScore has for
   * encoders of six layers. The graph must name its layers, as exports of BERT, RoBERTa, DistilBERT and their kin do.
   */
  readonly layer?: number
}
