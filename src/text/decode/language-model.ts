/**
 * The interface of language models, implemented by the embedded model, any causal or sequence-to-sequence model in the hub's
 * layout, and the toy models in plain TypeScript.
 *
 * A model turns a batch of prompts into a {@link Session}: rows with next-token logits that advance one token at a time. Warping,
 * watermarking and drawing are up to `generate`.
 */

import type { Tokens } from '../../core/keys/index.ts'
import type { BatchOptions, Generation, TextRequest } from './generate.ts'

export type { Tokens }

/** One turn of a conversation. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** Text, tokens used exactly as given, or a conversation for the model's chat template. */
export type Prompt = string | Tokens | readonly ChatMessage[]

/** Text to tokens and back, as one model does it. */
export interface Tokenizer {
  /** Returns the tokens of a piece of text without special tokens, as in a continuation or a reference. */
  encode(text: string): number[]
  /** Returns the tokens of a prompt as the model was trained to see it: with a begin token, or the end token of a source. */
  encodePrompt(text: string): number[]
  /** Returns the text of the tokens, without special tokens. */
  decode(tokens: Tokens): string
  /** A conversation formatted by the chat template, ready for the answer; absent without a template. */
  readonly encodeChat?: (messages: readonly ChatMessage[]) => number[]
}

/** Tokens and what they follow. An empty prompt stands for the model's begin token (for a sequence-to-sequence model: an empty source). */
export interface Continuation {
  readonly prompt: Tokens
  readonly tokens: Tokens
}

/** Turns texts into vectors, one per token, for BERTScore. */
export interface Encoder {
  /** Short and printable: what reports show. */
  readonly id: string
  readonly tokenizer: Tokenizer
  /** Length of one token's vector. */
  readonly width: number
  /**
   * Returns the last hidden state of every token, one array per text, row-major `tokens.length x width`. Begin and end tokens that the
   * model expects are added before and removed after.
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
  /** Tokens that end a text; empty if texts never end by themselves. */
  readonly endTokens: readonly number[]
  /** Maximum length in tokens: prompt and continuation, or the continuation alone for a sequence-to-sequence model. */
  readonly maxLength: number
  /** Reads a batch of prompts, one row each; the session then has the logits of each row's first new token. */
  begin(prompts: readonly Tokens[]): Promise<Session>
  /** Returns the natural log-probability of every token given its prompt and the tokens before it, at temperature 1. */
  logLikelihood(texts: readonly Continuation[]): Promise<Float64Array[]>
  /** Writes texts itself: a model behind a server, which gives no logits. Others leave that to `generate`. */
  readonly write?: (requests: readonly TextRequest[], options: BatchOptions) => Promise<Generation[]>
  /** Absent if the model has no output for hidden states. */
  readonly hidden?: Encoder
  /** Returns the SHA-256 in hexadecimal of everything that determines the logits; for provenance. */
  digest(): Promise<string>
  /** Frees the native memory behind the model. A second call does nothing. */
  dispose(): Promise<void>
}

/** A batch of texts being generated, with the cache that makes the next step cheap. */
export interface Session {
  readonly rows: number
  /**
   * Next-token logits of all rows, row-major `rows x vocabSize`. The memory belongs to the session: read-only, and valid until the
   * next `step` or `select`.
   */
  readonly logits: Float32Array
  /** Appends `tokens[r]` to row r and computes the logits that follow. */
  step(tokens: Tokens): Promise<void>
  /**
   * Makes row i what row `rows[i]` was. Omitting rows drops finished texts; repeating a row lets texts share a prompt:
   * `select([0, 0, 0])` makes three texts from one prompt that was read once.
   */
  select(rows: readonly number[]): void
  /**
   * Takes over the rows of another session of the same model, behind its own; the other one is empty afterwards. Absent where rows of
   * two sessions cannot be computed together.
   */
  join?(other: Session): void
  /** Frees the cache. A second call does nothing. */
  dispose(): void
}
