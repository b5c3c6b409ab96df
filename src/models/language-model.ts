/**
 * What the benchmark asks of a language model. Everything that generates, scores or embeds text meets a model here: the
 * embedded one, any causal or sequence-to-sequence model in the hub's layout, and the toy models in plain TypeScript.
 *
 * A model turns a prompt into a {@link Session}: a batch of rows, each with its next-token logits, that advances one token per
 * row at a time. Warping, watermarking and drawing are not the model's business (see `generate`).
 */

/** Token ids: an array or a typed array. */
export type Tokens = ArrayLike<number>

/** One turn of a conversation. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** Text, tokens taken exactly as they are, or a conversation for the model's chat template. */
export type Prompt = string | Tokens | readonly ChatMessage[]

/** Text to tokens and back, as one model does it. */
export interface Tokenizer {
  /** The tokens of a piece of text, nothing added: what a continuation or a reference is made of. */
  encode(text: string): number[]
  /** The tokens of a prompt as the model was trained to see it: with its begin token, or a source's end token. */
  encodePrompt(text: string): number[]
  /** The text of tokens; special tokens are left out. */
  decode(tokens: Tokens): string
  /** A conversation as the model's chat template writes it, ready for the answer; absent without a template. */
  readonly encodeChat?: (messages: readonly ChatMessage[]) => number[]
}

/** Tokens and what they follow. An empty prompt stands for the model's begin token (for a sequence-to-sequence model: an empty source). */
export interface Continuation {
  readonly prompt: Tokens
  readonly tokens: Tokens
}

/** Turns texts into vectors, one per token; BERTScore asks for no more. */
export interface Encoder {
  /** Short and printable: what reports show. */
  readonly id: string
  readonly tokenizer: Tokenizer
  /** Length of one token's vector. */
  readonly width: number
  /**
   * The last hidden state of every token, each text on its own, row-major `tokens.length x width`. Begin and end tokens that the
   * model expects are added before and left out after.
   */
  hiddenStates(texts: readonly Tokens[]): Promise<Float32Array[]>
}

/** A model that gives next-token logits for batches of texts. */
export interface LanguageModel {
  /** Short and printable: what reports show. */
  readonly id: string
  /** `causal`: the text continues the prompt. `seq2seq`: the prompt is a source, the text starts from nothing. */
  readonly kind: 'causal' | 'seq2seq'
  readonly tokenizer: Tokenizer
  /** Width of the logits; at least the size of the tokenizer. What watermarks call the vocabulary size. */
  readonly vocabSize: number
  /** Tokens that end a text; empty where texts never end by themselves. */
  readonly endTokens: readonly number[]
  /** Longest text: prompt and continuation together, or the continuation alone for a sequence-to-sequence model. */
  readonly maxLength: number
  /** Reads a batch of prompts, one row each; the session then has the logits of each row's first new token. */
  begin(prompts: readonly Tokens[]): Promise<Session>
  /** Natural log-probability of every token given its prompt and the tokens before it, at temperature 1. */
  logLikelihood(texts: readonly Continuation[]): Promise<Float64Array[]>
  /** Absent where the model gives no hidden states. */
  readonly hidden?: Encoder
  /** SHA-256 in hexadecimal of everything that determines the logits; for provenance. */
  digest(): Promise<string>
  /** Frees the native memory behind the model. A second call does nothing. */
  dispose(): Promise<void>
}

/** A batch of texts under way, with the cache that makes the next step cheap. */
export interface Session {
  readonly rows: number
  /**
   * Next-token logits of all rows, row-major `rows x vocabSize`. The memory belongs to the session: valid until the next
   * `step` or `select`, not to be written to.
   */
  readonly logits: Float32Array
  /** Appends `tokens[r]` to row r and computes the logits that follow. */
  step(tokens: Tokens): Promise<void>
  /**
   * Row i becomes what row `rows[i]` was. Leaving rows out drops finished texts; repeating one lets many texts share its prompt:
   * `select([0, 0, 0])` makes three texts of one prompt that was read once.
   */
  select(rows: readonly number[]): void
  /** Frees the cache. A second call does nothing. */
  dispose(): void
}
