/** A batch of texts being written by a causal model's graph. */
import type { Session, Tokens } from '../../decode/language-model.ts'
import { checkStep, selectLogits } from '../../decode/session-rows.ts'
import { AppendCache } from './append-cache.ts'
import { type Cache, ConcatCache } from './cache.ts'
import { DeviceCache, type RowPicker } from './device-cache.ts'
import type { Graph } from './graph.ts'
import type { Ort, OrtTensor } from './runtime.ts'
import { type Floats, floats, floatsOf, floatTensor, idTensor, readFloats, readLastColumn } from './tensor.ts'

/** A graph and how to run it. */
export interface CausalGraph {
  readonly ort: Ort
  readonly graph: Graph
  /** True where the graph outputs only the new columns of its cache (see `append-only-graph.ts`). */
  readonly appendOnly: boolean
  /** Given where the cache stays on the graph's device. */
  readonly picker?: RowPicker | undefined
}

/** Logits in one run, 128 MB: longer prompts are read in pieces. */
const MAX_LOGITS = 1 << 25

/** An output of one run over a piece of the prompts: rows x columns x width. */
export interface Piece {
  /** First column of the piece; text r begins at column `starts[r]` of all. */
  readonly from: number
  readonly columns: number
  readonly starts: readonly number[]
  readonly values: Floats
}

export class CausalSession implements Session {
  logits: Float32Array
  readonly #model: CausalGraph
  readonly #cache: Cache
  /** Tokens of each row: the position of its next one. */
  #lengths: number[]

  private constructor(model: CausalGraph, rows: number) {
    this.#model = model
    const { ort, graph, appendOnly, picker } = model
    this.#cache = picker
      ? new DeviceCache(ort, graph.slots, rows, picker)
      : new (appendOnly ? AppendCache : ConcatCache)(ort, graph.slots, rows)
    this.#lengths = Array(rows).fill(0)
    this.logits = new Float32Array(rows * graph.vocabSize)
  }

  /** Reads prompts, padded on the left to one length, piece by piece. */
  static async begin(model: CausalGraph, prompts: readonly Tokens[]): Promise<CausalSession> {
    const session = new CausalSession(model, prompts.length)
    // the last piece leaves the logits of the last column
    await session.read(prompts, 'logits', model.graph.vocabSize, ({ columns, values }) =>
      readLastColumn(values, prompts.length, columns, session.logits),
    )
    return session
  }

  /** Runs over texts without continuing them and passes on one output of every column. */
  static async scan(
    model: CausalGraph,
    texts: readonly Tokens[],
    output: 'logits' | 'last_hidden_state',
    width: number,
    take: (piece: Piece) => void,
  ): Promise<void> {
    const session = new CausalSession(model, texts.length)
    await session.read(texts, output, width, take)
    session.dispose()
  }

  get rows(): number {
    return this.#lengths.length
  }

  private async read(
    texts: readonly Tokens[],
    output: string,
    width: number,
    take: (piece: Piece) => void,
  ): Promise<void> {
    const longest = texts.reduce((most, text) => Math.max(most, text.length), 0)
    const starts = texts.map((text) => longest - text.length)
    const step = Math.max(1, Math.floor(MAX_LOGITS / (texts.length * this.#model.graph.vocabSize)))
    for (let from = 0; from < longest; from += step) {
      const columns = Math.min(step, longest - from)
      const pads = starts.map((start) => Math.min(columns, Math.max(0, start - from)))
      const ids = new BigInt64Array(texts.length * columns)
      for (const [row, text] of texts.entries())
        for (let j = pads[row]!; j < columns; j++)
          ids[row * columns + j] = BigInt(text[from + j - starts[row]!]!)
      const values = await this.#run(ids, columns, pads, output, width)
      take({ from, columns, starts, values })
    }
  }

  async step(tokens: Tokens): Promise<void> {
    const ids = BigInt64Array.from(checkStep(tokens, this.rows), BigInt)
    const { vocabSize } = this.#model.graph
    const values = await this.#run(ids, 1, new Uint8Array(this.rows), 'logits', vocabSize, this.logits)
    if (values !== this.logits) readFloats(values, 0, this.logits.length, this.logits, 0)
  }

  /** Runs the graph over `columns` new tokens per row, the first `pads[row]` of them padding. */
  async #run(
    ids: BigInt64Array,
    columns: number,
    pads: ArrayLike<number>,
    output: string,
    width: number,
    into?: Float32Array,
  ): Promise<Floats> {
    const { ort, graph } = this.#model
    const { rows } = this
    const { feeds, fetches, mask, past } = await this.#cache.prepare(columns, pads)
    feeds.input_ids = idTensor(ort, ids, [rows, columns])
    if (graph.inputs.has('attention_mask')) feeds.attention_mask = idTensor(ort, mask, [rows, past + columns])
    if (graph.inputs.has('position_ids')) feeds.position_ids = this.#positions(columns, pads)
    if (graph.inputs.has('use_cache_branch')) feeds.use_cache_branch = new ort.Tensor('bool', [past > 0], [1])
    if (graph.inputs.has('num_logits_to_keep'))
      feeds.num_logits_to_keep = idTensor(ort, new BigInt64Array(1), [])
    const type = output === 'logits' ? graph.logitsType : 'float32'
    const given = this.#model.picker
      ? undefined
      : into && type === 'float32'
        ? into
        : floats(type, rows * columns * width)
    fetches[output] = given ? floatTensor(ort, type, given, [rows, columns, width]) : null
    const outputs = await graph.session.run(feeds, fetches)
    const values = given ?? floatsOf(outputs[output]!)
    this.#cache.commit(outputs)
    for (let row = 0; row < rows; row++) this.#lengths[row]! += columns - pads[row]!
    return values
  }

  #positions(columns: number, pads: ArrayLike<number>): OrtTensor {
    const positions = new BigInt64Array(this.rows * columns)
    for (let row = 0; row < this.rows; row++)
      for (let j = pads[row]!; j < columns; j++)
        positions[row * columns + j] = BigInt(this.#lengths[row]! + j - pads[row]!)
    return idTensor(this.#model.ort, positions, [this.rows, columns])
  }

  select(rows: readonly number[]): void {
    this.#cache.select(rows)
    this.#lengths = rows.map((row) => this.#lengths[row]!)
    this.logits = selectLogits(this.logits, rows, this.#model.graph.vocabSize)
  }

  /** Rows of two batches are padded to one length, which shifts them where the graph counts positions itself. */
  get join(): ((other: CausalSession) => void) | undefined {
    const counted = this.#model.graph.inputs.has('position_ids')
    return counted && this.#cache.join ? (other) => this.#join(other) : undefined
  }

  #join(other: CausalSession): void {
    this.#cache.join!(other.#cache)
    this.#lengths.push(...other.#lengths)
    const own = this.logits
    this.logits = new Float32Array(own.length + other.logits.length)
    this.logits.set(own)
    this.logits.set(other.logits, own.length)
    other.dispose()
  }

  dispose(): void {
    this.#cache.select([])
    this.#lengths = []
    this.logits = new Float32Array(0)
  }
}
