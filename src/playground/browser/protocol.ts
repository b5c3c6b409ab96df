/** What the page and its worker say to each other. The page knows no method: the worker describes them from their declarations. */

/** A model that a playground offers. Files lie in `folder`; the graph is compressed with gzip whatever the host does. */
export interface ModelInfo {
  readonly name: string
  readonly about: string
  readonly folder: string
  /** Bytes of the compressed graph. */
  readonly bytes: number
  /** Prompts to begin with. */
  readonly prompts: readonly string[]
}

/** `playground.json`: what was built into this playground. */
export interface Manifest {
  readonly models: readonly ModelInfo[]
  /** A module with watermarks of the user's own. */
  readonly own?: string
  /** The watermark that the form shows first. */
  readonly first?: Pick<Chosen, 'method' | 'values'>
  /** Why a model is not offered. */
  readonly missing?: string
  /** Digests of the files that are kept in the browser: part of their address, so that no kept one is ever stale. */
  readonly digests: Readonly<Record<string, string>>
}

/** The address of a kept file. */
export type Address = (file: string) => string

export const addressIn =
  (base: string, { digests }: Pick<Manifest, 'digests'>): Address =>
  (file) =>
    new URL(`${file}?v=${digests[file]}`, base).href

/** A parameter as a form shows it; values travel as text. */
export interface ParameterInfo {
  readonly name: string
  /** What is accepted, in words. */
  readonly expected: string
  readonly usual: string
  /** The values of a choice. */
  readonly options?: readonly string[]
}

export interface MethodInfo {
  readonly name: string
  readonly own: boolean
  readonly claim: string
  readonly parameters: readonly ParameterInfo[]
}

/** A watermark as the form states it. */
export interface Chosen {
  readonly method: string
  readonly values: Readonly<Record<string, string>>
  readonly key: string
}

/** A token of a text with what its score says. */
export interface Piece {
  readonly text: string
  /** P(score >= this one) on unmarked text; undefined where the token is not scored. */
  readonly tail?: number
  readonly score?: number
}

/** One more token of a text that is being written. */
export interface Written {
  /** 0: without the mark, 1: with it. */
  readonly side: 0 | 1
  readonly piece: Piece
  /** ln of the anytime-valid p-value after it; undefined where the detector needs the whole text. */
  readonly logPValue?: number
}

export interface Verdict {
  readonly watermark: string
  readonly tokens: readonly number[]
  readonly pieces: readonly Piece[]
  readonly logPValue: number
  readonly detected: boolean
  readonly scored: number
  /** Edits that cannot undo the detection, or why nothing is certified. */
  readonly radius: number | string
  /** Edits between this text and the one it came from. */
  readonly edits?: number
}

export interface Bar {
  readonly token: string
  /** Probability under the model, and under the key where that does not depend on the text. */
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
  /** Queries after which the two laws are 0.9 apart in total variation, from the first token alone. */
  readonly queries?: { readonly low: number; readonly high: number }
}

interface Opened {
  readonly methods: readonly MethodInfo[]
  readonly manifest: Manifest
}

/** What can be asked, with its answer and what is reported on the way. */
export interface Requests {
  open: { input: null; output: Opened; event: never }
  load: { input: { model: string }; output: { vocabSize: number }; event: { loaded: number; total: number } }
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
