/** A batch of texts being written by the decoder of a sequence-to-sequence model. */
import type { Session, Tokens } from '../../decode/language-model.ts'
import { checkStep, selectLogits } from '../../decode/session-rows.ts'
import { ConcatCache, selectRows } from './cache.ts'
import { type Encoded, type EncoderParts, encode } from './encoder.ts'
import type { Graph, Slot } from './graph.ts'
import type { Ort, OrtTensor } from './runtime.ts'
import { type Floats, floats, floatTensor, idTensor, readFloats, readLastColumn } from './tensor.ts'

export interface Seq2seqGraphs {
  readonly ort: Ort
  readonly encoder: EncoderParts
  /** Reads the first tokens and computes the keys and values of the source. */
  readonly first: Graph
  /** Takes one step. The same graph in the merged layout, where `use_cache_branch` tells the two apart. */
  readonly next: Graph
}

/** Keys and values of the source: computed once, read in every step. */
interface Cross {
  readonly slot: Slot
  readonly values: Floats
  readonly columns: number
}

const ofSource = ({ input }: Slot): boolean => input.includes('.encoder.')
const ofText = (slot: Slot): boolean => !ofSource(slot)

export class Seq2seqSession implements Session {
  logits: Float32Array = new Float32Array(0)
  readonly #graphs: Seq2seqGraphs
  readonly #cache: ConcatCache
  #rows: number
  #source: Encoded
  #cross: readonly Cross[] = []

  private constructor(graphs: Seq2seqGraphs, source: Encoded, rows: number) {
    this.#graphs = graphs
    this.#source = source
    this.#rows = rows
    this.#cache = new ConcatCache(graphs.ort, graphs.next.slots.filter(ofText), rows)
  }

  /** Encodes the sources and feeds each text's first tokens, the same number in every row. */
  static async begin(
    graphs: Seq2seqGraphs,
    sources: readonly Tokens[],
    starts: readonly Tokens[],
  ): Promise<{ session: Seq2seqSession; values: Floats }> {
    const session = new Seq2seqSession(graphs, await encode(graphs.encoder, sources), sources.length)
    const columns = starts[0]?.length ?? 0
    const ids = new BigInt64Array(sources.length * columns)
    for (const [row, start] of starts.entries())
      for (let j = 0; j < columns; j++) ids[row * columns + j] = BigInt(start[j]!)
    const values = await session.#run(graphs.first, ids, columns)
    session.logits = new Float32Array(sources.length * graphs.first.vocabSize)
    readLastColumn(values, sources.length, columns, session.logits)
    return { session, values }
  }

  get rows(): number {
    return this.#rows
  }

  async step(tokens: Tokens): Promise<void> {
    const ids = BigInt64Array.from(checkStep(tokens, this.#rows), BigInt)
    const values = await this.#run(this.#graphs.next, ids, 1)
    readFloats(values, 0, this.logits.length, this.logits, 0)
  }

  /** Runs a graph over `columns` tokens per row. The first run also computes the keys and values of the source. */
  async #run(graph: Graph, ids: BigInt64Array, columns: number): Promise<Floats> {
    const { ort } = this.#graphs
    const rows = this.#rows
    const { states, type, mask, columns: sourceColumns, width } = this.#source
    const { feeds, fetches, past } = this.#cache.prepare(columns, new Uint8Array(rows))
    const started = past > 0
    feeds.input_ids = idTensor(ort, ids, [rows, columns])
    feeds.encoder_hidden_states = floatTensor(ort, type, states, [rows, sourceColumns, width])
    feeds.encoder_attention_mask = idTensor(ort, mask, [rows, sourceColumns])
    feeds.use_cache_branch = new ort.Tensor('bool', [started], [1])
    Object.assign(feeds, this.#crossFeeds())
    for (const name of Object.keys(feeds)) if (!graph.inputs.has(name)) delete feeds[name]
    const values = floats(graph.logitsType, rows * columns * graph.vocabSize)
    fetches.logits = floatTensor(ort, graph.logitsType, values, [rows, columns, graph.vocabSize])
    // null: the runtime allocates the tensor
    const made = started ? [] : this.#graphs.next.slots.filter(ofSource)
    const wanted = { ...fetches, ...Object.fromEntries(made.map(({ output }) => [output, null])) }
    const results = await graph.session.run(feeds, wanted)
    this.#cache.commit()
    if (!started)
      this.#cross = made.map((slot) => {
        const { data, dims } = results[slot.output]!
        return { slot, values: data as Floats, columns: dims[2]! }
      })
    return values
  }

  #crossFeeds(): Record<string, OrtTensor> {
    const { ort, next } = this.#graphs
    const feed = ({ input, type, heads, size }: Slot, values: Floats, columns: number) =>
      [input, floatTensor(ort, type, values, [this.#rows, heads, columns, size])] as const
    return Object.fromEntries(
      this.#cross.length > 0
        ? this.#cross.map(({ slot, values, columns }) => feed(slot, values, columns))
        : next.slots.filter(ofSource).map((slot) => feed(slot, floats(slot.type, 0), 0)),
    )
  }

  select(rows: readonly number[]): void {
    this.#cache.select(rows)
    const { type, columns, width } = this.#source
    const mask = BigInt64Array.from({ length: rows.length * columns }, (_, i) => {
      const row = rows[Math.floor(i / columns)]!
      return this.#source.mask[row * columns + (i % columns)]!
    })
    const states = selectRows(this.#source.states, rows, columns * width, type)
    this.#source = { ...this.#source, states, mask }
    this.#cross = this.#cross.map(({ slot, values, columns: own }) => ({
      slot,
      values: selectRows(values, rows, slot.heads * own * slot.size, slot.type),
      columns: own,
    }))
    this.logits = selectLogits(this.logits, rows, this.#graphs.next.vocabSize)
    this.#rows = rows.length
  }

  dispose(): void {
    this.select([])
  }
}
