/** Messages between the page and its worker. The page knows no method: the worker describes them from their declarations. */

/** The level of every detection. */
export const ALPHA = 0.01

/** 0: without the mark, 1: with it. */
export const SIDES = [0, 1] as const
export type Side = (typeof SIDES)[number]

/** A model that a playground offers. Its files lie in `folder`; the graph is a gzip file on every host. */
export interface ModelInfo {
  readonly name: string
  readonly about: string
  readonly folder: string
  /** Bytes of the compressed graph. */
  readonly bytes: number
  /** Prompts to begin with. */
  readonly prompts: readonly string[]
}

/** `playground.json`: the contents of this playground. */
export interface Manifest {
  readonly models: readonly ModelInfo[]
  /** A module with the user's own watermarks. */
  readonly own?: string
  /** The watermark that the form shows first. */
  readonly first?: Pick<Chosen, 'method' | 'values'>
  /** The reason why a model is not offered. */
  readonly missing?: string
  /** Digests of the files kept in the browser. They are part of the addresses, so that no kept file is ever stale. */
  readonly digests: Readonly<Record<string, string>>
}

/** Returns the address of a kept file. */
export type Address = (file: string) => string

export const addressIn =
  (base: string, { digests }: Pick<Manifest, 'digests'>): Address =>
  (file) =>
    new URL(`${file}?v=${digests[file]}`, base).href

/** A parameter as a form shows it; values travel as text. */
export interface ParameterInfo {
  readonly name: string
  /** The accepted values, in words. */
  readonly expected: string
  readonly initial: string
  /** The values of a choice. */
  readonly options?: readonly string[]
}

export interface MethodInfo {
  readonly name: string
  readonly own: boolean
  readonly claim: string
  readonly parameters: readonly ParameterInfo[]
}

/** The watermark and key of a filled form. */
export interface Chosen {
  readonly method: string
  readonly values: Readonly<Record<string, string>>
  readonly key: string
  /** The message that the text carries, or is searched for; empty: none. */
  readonly message: string
}

/** Bits of a message: two characters. */
export const MESSAGE_BITS = 16

/** A token of a text with its score. */
export interface Piece {
  readonly text: string
  /** P(score >= this one) on unmarked text; undefined if the token is not scored. */
  readonly tail?: number
  readonly score?: number
}

/** One more token of a text that is being written. */
export interface Written {
  readonly side: Side
  readonly piece: Piece
  /** ln of the anytime-valid p-value so far; undefined if the detector needs the whole text. */
  readonly logPValue?: number
  /** The message so far. */
  readonly message?: ReadMessage
}

/** A message as it was read. */
export interface ReadMessage {
  /** As text, or in hexadecimal. */
  readonly shown: string
  /** The p-value of each block: how sure its four bits are. */
  readonly pValues: readonly number[]
}

export interface Verdict {
  readonly watermark: string
  readonly tokens: readonly number[]
  readonly pieces: readonly Piece[]
  readonly logPValue: number
  readonly detected: boolean
  readonly scored: number
  /** Number of edits that cannot undo the detection, or the reason why nothing is certified. */
  readonly radius: number | string
  /** Number of edits between this text and its original. */
  readonly edits?: number
  /** The message that fits the text best, where one is searched for. */
  readonly message?: ReadMessage
}

export interface Bar {
  readonly token: string
  /** Probability under the model, and under the key if that does not depend on the text. */
  readonly p: number
  readonly q?: number
}

export interface Drift {
  readonly watermark: string
  /** Answers to the prompt: without the mark, and with it under one key. */
  readonly answers: readonly [readonly string[], readonly string[]]
  /** The likeliest first tokens. */
  readonly bars: readonly Bar[]
  /** Total variation between p and q at the first token. */
  readonly distance?: number
  /** Number of queries after which the two distributions are 0.9 apart in total variation, from the first token alone. */
  readonly queries?: { readonly low: number; readonly high: number }
}

/** Questions with their answers and the events before the answer. */
export interface Requests {
  open: { input: null; output: { methods: readonly MethodInfo[]; manifest: Manifest }; event: never }
  load: { input: { model: string }; output: null; event: { loaded: number; total: number } }
  write: {
    input: Chosen & { prompt: string; tokens: number; temperature: number; seed?: string }
    output: readonly [Verdict, Verdict]
    event: Written
  }
  detect: { input: Chosen & { text: string; original?: readonly number[] }; output: Verdict; event: never }
  drift: { input: Chosen & { prompt: string; temperature: number }; output: Drift; event: never }
}

export type Kind = keyof Requests

export type ToWorker =
  | { readonly id: number; readonly kind: Kind; readonly input: unknown }
  | { readonly id: number; readonly kind: 'stop' }

export type FromWorker =
  | { readonly id: number; readonly event: unknown }
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly error: string; readonly stopped: boolean }
