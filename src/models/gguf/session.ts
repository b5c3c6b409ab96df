/**
 * A batch of texts being written by llama.cpp: one sequence of a context for each row, with its key-value cache. Rows are evaluated
 * together. A sequence cannot be copied: a row that is repeated by `select` reads its tokens again at the next step.
 */
import { outOfRange } from '../../input.ts'
import type { Session, Tokens } from '../language-model.ts'
import type { LlamaContext, LlamaModel, LlamaSequence } from './llama-cpp.ts'

export interface GgufParts {
  readonly model: LlamaModel
  readonly vocabSize: number
  readonly maxLength: number
  readonly threads: number
}

/** A context with room for a number of texts. */
export const openContext = (
  { model, maxLength, threads }: GgufParts,
  sequences: number,
): Promise<LlamaContext> => model.createContext({ sequences, contextSize: maxLength, threads })

interface Line {
  /** Absent until the row is read. */
  sequence: LlamaSequence | undefined
  readonly tokens: number[]
  /** Tokens that the sequence has not read. */
  unread: number
}

/** Copies logits by token into a row; tokens that are left out have none. */
function copyLogits(
  logits: ReadonlyMap<number, number>,
  into: Float32Array,
  from: number,
  size: number,
): void {
  into.fill(Number.NEGATIVE_INFINITY, from, from + size)
  for (const [token, logit] of logits) into[from + token] = logit
}

export class GgufSession implements Session {
  logits: Float32Array
  readonly #parts: GgufParts
  #context: LlamaContext | undefined
  #room = 0
  #lines: Line[]

  private constructor(parts: GgufParts, prompts: readonly (readonly number[])[]) {
    this.#parts = parts
    this.#lines = prompts.map((prompt) => ({
      sequence: undefined,
      tokens: [...prompt],
      unread: prompt.length,
    }))
    this.logits = new Float32Array(prompts.length * parts.vocabSize)
  }

  static async begin(parts: GgufParts, prompts: readonly (readonly number[])[]): Promise<GgufSession> {
    const session = new GgufSession(parts, prompts)
    await session.#read()
    return session
  }

  get rows(): number {
    return this.#lines.length
  }

  /** Gives every row a sequence; where there are more rows than sequences, a larger context is opened and everything read again. */
  async #seat(): Promise<void> {
    const open = this.#lines.filter(({ sequence }) => sequence !== undefined).length
    if (this.#context === undefined || this.#lines.length > this.#room) {
      if (open > 0)
        for (const line of this.#lines)
          Object.assign(line, { sequence: undefined, unread: line.tokens.length })
      await this.#context?.dispose()
      this.#room = this.#lines.length
      this.#context = await openContext(this.#parts, this.#room)
    }
    for (const line of this.#lines) line.sequence ??= this.#context.getSequence()
  }

  /** Reads what rows have not read, all rows at once, and leaves their logits. */
  async #read(): Promise<void> {
    const { vocabSize } = this.#parts
    await this.#seat()
    await Promise.all(
      this.#lines.map(async (line, row) => {
        const input = line.tokens.slice(line.tokens.length - line.unread)
        const last = input.pop()!
        const found = await line.sequence!.controlledEvaluate([
          ...input,
          [last, { generateNext: { logits: true } }],
        ])
        line.unread = 0
        copyLogits(found.at(-1)!.next.logits!, this.logits, row * vocabSize, vocabSize)
      }),
    )
  }

  async step(tokens: Tokens): Promise<void> {
    if (tokens.length !== this.rows)
      throw outOfRange('tokens', `one token for each of ${this.rows} rows`, tokens)
    for (const [row, line] of this.#lines.entries()) {
      line.tokens.push(tokens[row]!)
      line.unread++
    }
    await this.#read()
  }

  select(rows: readonly number[]): void {
    const { vocabSize } = this.#parts
    const [old, before] = [this.logits, this.#lines]
    this.logits = new Float32Array(rows.length * vocabSize)
    const taken = new Set<number>()
    this.#lines = rows.map((from, to) => {
      this.logits.set(old.subarray(from * vocabSize, (from + 1) * vocabSize), to * vocabSize)
      const { sequence, tokens, unread } = before[from]!
      const first = !taken.has(from)
      taken.add(from)
      return first
        ? { sequence, tokens, unread }
        : { sequence: undefined, tokens: [...tokens], unread: tokens.length }
    })
    for (const [row, { sequence }] of before.entries()) if (!taken.has(row)) sequence?.dispose()
  }

  dispose(): void {
    this.#lines = []
    this.logits = new Float32Array(0)
    void this.#context?.dispose()
    this.#context = undefined
  }
}
