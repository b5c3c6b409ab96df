import type { Session, Tokens } from '../../decode/language-model.ts'

/** The session that holds a row, and its row there. */
interface Place {
  readonly part: number
  readonly row: number
}

/**
 * One session for each prompt length, behind the interface of a single session. Graphs without `position_ids` count positions
 * from the first column, so padding would shift them.
 */
export class PerLengthSession implements Session {
  logits: Float32Array = new Float32Array(0)
  readonly #parts: readonly Session[]
  #places: Place[]

  private constructor(parts: readonly Session[], places: Place[]) {
    this.#parts = parts
    this.#places = places
    this.#collect()
  }

  /** Opens one session for each length of prompt. */
  static async begin(
    prompts: readonly Tokens[],
    begin: (prompts: readonly Tokens[]) => Promise<Session>,
  ): Promise<Session> {
    const lengths = [...new Set(prompts.map((prompt) => prompt.length))]
    if (lengths.length <= 1) return begin(prompts)
    const parts: Session[] = []
    for (const length of lengths)
      parts.push(await begin(prompts.filter((prompt) => prompt.length === length)))
    const next = lengths.map(() => 0)
    const places = prompts.map(({ length }) => {
      const part = lengths.indexOf(length)
      return { part, row: next[part]!++ }
    })
    return new PerLengthSession(parts, places)
  }

  get rows(): number {
    return this.#places.length
  }

  async step(tokens: Tokens): Promise<void> {
    for (const [i, part] of this.#parts.entries()) {
      if (part.rows === 0) continue
      const own: number[] = Array(part.rows)
      for (const [at, place] of this.#places.entries()) if (place.part === i) own[place.row] = tokens[at]!
      await part.step(own)
    }
    this.#collect()
  }

  select(rows: readonly number[]): void {
    const chosen = this.#parts.map((): number[] => [])
    this.#places = rows.map((from) => {
      const { part, row } = this.#places[from]!
      return { part, row: chosen[part]!.push(row) - 1 }
    })
    for (const [i, part] of this.#parts.entries()) part.select(chosen[i]!)
    this.#collect()
  }

  dispose(): void {
    for (const part of this.#parts) part.dispose()
    this.#places = []
  }

  #collect(): void {
    const all = this.#places.map(({ part, row }) => {
      const { logits, rows } = this.#parts[part]!
      const width = logits.length / rows
      return logits.subarray(row * width, (row + 1) * width)
    })
    this.logits = new Float32Array(all.reduce((sum, logits) => sum + logits.length, 0))
    for (const [row, logits] of all.entries()) this.logits.set(logits, row * logits.length)
  }
}
