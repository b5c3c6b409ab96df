/** The machinery of the toy models: a table of logits for every context of a few tokens, filled on demand. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Continuation, LanguageModel, Session, Tokenizer, Tokens } from '../language-model.ts'
import { checkedTokens } from '../prompt.ts'
import { logSoftmaxAt } from '../warp.ts'

/** A model that sees the last `order` tokens: `logits(context)` is asked once per context and remembered. */
export interface Table {
  readonly id: string
  readonly vocabSize: number
  readonly order: number
  readonly tokenizer: Tokenizer
  logits(context: readonly number[]): Float32Array
}

class ToySession implements Session {
  logits: Float32Array
  readonly #rowOf: (context: readonly number[]) => Float32Array
  readonly #order: number
  #contexts: number[][]

  constructor(
    prompts: readonly Tokens[],
    order: number,
    rowOf: (context: readonly number[]) => Float32Array,
  ) {
    this.#order = order
    this.#rowOf = rowOf
    this.#contexts = prompts.map((prompt) => tail(prompt, order))
    this.logits = this.#write()
  }

  get rows(): number {
    return this.#contexts.length
  }

  async step(tokens: Tokens): Promise<void> {
    for (const [row, context] of this.#contexts.entries()) {
      context.push(tokens[row]!)
      if (context.length > this.#order) context.shift()
    }
    this.logits = this.#write()
  }

  select(rows: readonly number[]): void {
    this.#contexts = rows.map((row) => [...this.#contexts[row]!])
    this.logits = this.#write()
  }

  join(other: ToySession): void {
    this.#contexts.push(...other.#contexts)
    this.logits = this.#write()
    other.dispose()
  }

  dispose(): void {
    this.#contexts = []
  }

  #write(): Float32Array {
    const tables = this.#contexts.map(this.#rowOf)
    const size = tables[0]?.length ?? 0
    const old = this.logits
    const out = old?.length === size * tables.length ? old : new Float32Array(size * tables.length)
    for (const [row, table] of tables.entries()) out.set(table, row * size)
    return out
  }
}

const tail = (tokens: Tokens, n: number): number[] => Array.from(tokens).slice(Math.max(0, tokens.length - n))

export function tableModel(table: Table): LanguageModel {
  const { id, vocabSize, order, tokenizer } = table
  const rows = new Map<string, Float32Array>()
  const rowOf = (context: readonly number[]): Float32Array => {
    const key = context.join()
    let row = rows.get(key)
    if (row === undefined) {
      row = table.logits(context)
      rows.set(key, row)
    }
    return row
  }
  const checked = (tokens: Tokens): number[] => checkedTokens('tokens', tokens, vocabSize)
  const score = ({ prompt, tokens }: Continuation): Float64Array => {
    const text = [...checked(prompt), ...checked(tokens)]
    return Float64Array.from({ length: tokens.length }, (_, i) => {
      const at = prompt.length + i
      const row = rowOf(tail(text.slice(0, at), order))
      return logSoftmaxAt((i) => row[i]!, 0, vocabSize, text[at]!)
    })
  }
  return {
    id,
    kind: 'causal',
    tokenizer,
    vocabSize,
    endTokens: [],
    maxLength: Number.MAX_SAFE_INTEGER,
    begin: async (prompts) => new ToySession(prompts.map(checked), order, rowOf),
    logLikelihood: async (texts) => texts.map(score),
    digest: async () => bytesToHex(sha256(utf8ToBytes(id))),
    dispose: async () => rows.clear(),
  }
}
