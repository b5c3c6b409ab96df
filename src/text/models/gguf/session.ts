/**
 * A batch of texts being written by llama.cpp: one sequence of a context for each row, with its key-value cache. Rows are evaluated
 * together. A sequence cannot be copied: a row that is repeated by `select` reads its tokens again at the next step.
 */
import type { Session, Tokens } from '../../decode/language-model.ts'
import type { TextLimits } from '../../decode/prompt.ts'
import { checkStep, selectLogits } from '../../decode/session-rows.ts'
import type { LlamaContext, LlamaModel, LlamaSequence } from './llama-cpp.ts'

export interface GgufParts extends TextLimits {
  readonly model: LlamaModel
  readonly threads: number
}

/** Opens a context with room for a number of texts. */
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

/** Reads tokens into a sequence and writes the logits after the last; tokens that llama.cpp leaves out have none. */
export async function evaluate(
  sequence: LlamaSequence,
  tokens: readonly number[],
  logits: Float32Array,
): Promise<void> {
  const last = tokens.at(-1)!
  const outputs = await sequence.controlledEvaluate([
    ...tokens.slice(0, -1),
    [last, { generateNext: { logits: true } }],
  ])
  logits.fill(Number.NEGATIVE_INFINITY)
  for (const [token, logit] of outputs.at(-1)!.next.logits!) logits[token] = logit
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
  async #openSequences(): Promise<void> {
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
    await this.#openSequences()
    await Promise.all(
      this.#lines.map(async (line, row) => {
        const unread = line.tokens.slice(line.tokens.length - line.unread)
        await evaluate(line.sequence!, unread, this.logits.subarray(row * vocabSize, (row + 1) * vocabSize))
        line.unread = 0
      }),
    )
  }

  async step(tokens: Tokens): Promise<void> {
    for (const [row, token] of checkStep(tokens, this.rows).entries()) {
      this.#lines[row]!.tokens.push(token)
      this.#lines[row]!.unread++
    }
    await this.#read()
  }

  select(rows: readonly number[]): void {
    this.logits = selectLogits(this.logits, rows, this.#parts.vocabSize)
    const before = this.#lines
    const taken = new Set<number>()
    this.#lines = rows.map((from) => {
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
