/**
 * The cache of a graph as exported, in the memory of a device: what a run leaves there goes into the next one, and only tokens, masks and
 * logits travel. Rows are selected by a graph of their own, just before the next run.
 */
import { type Cache, type CacheRun, PaddedColumns } from './cache.ts'
import type { Slot } from './graph.ts'
import { graph, node, onnxFile, valueInfo } from './onnx-file.ts'
import type { Ort, OrtSession, OrtTensor } from './runtime.ts'
import { type FloatType, floats, floatTensor, idTensor } from './tensor.ts'

/** Selects rows of a tensor on its device. */
export interface RowPicker {
  pick(from: OrtTensor, rows: readonly number[]): Promise<OrtTensor>
  release(): Promise<void>
}

/** Writes a graph that selects rows of a tensor of four dimensions: Gather along the first. */
const pickGraph = (type: FloatType): Uint8Array =>
  onnxFile(
    graph('rows', {
      nodes: [node('Gather', ['from', 'rows'], ['picked'], { axis: 0 })],
      inputs: [
        valueInfo('from', type, ['all', 'heads', 'length', 'size']),
        valueInfo('rows', 'int64', ['some']),
      ],
      outputs: [valueInfo('picked', type, ['some', 'heads', 'length', 'size'])],
    }),
  )

/** Returns a picker whose graphs are opened when they are needed, one for each number format. */
export function rowPicker(ort: Ort, open: (graph: Uint8Array) => Promise<OrtSession>): RowPicker {
  const sessions = new Map<FloatType, Promise<OrtSession>>()
  return {
    async pick(from, rows) {
      const type = from.type as FloatType
      const opened = sessions.get(type) ?? open(pickGraph(type))
      sessions.set(type, opened)
      const ids = idTensor(ort, BigInt64Array.from(rows, BigInt), [rows.length])
      const { picked } = await (await opened).run({ from, rows: ids }, { picked: null })
      return picked as OrtTensor
    },
    async release() {
      for (const session of sessions.values()) await (await session).release()
      sessions.clear()
    },
  }
}

export class DeviceCache implements Cache {
  readonly #ort: Ort
  readonly #slots: readonly Slot[]
  readonly #picker: RowPicker
  readonly #columns: PaddedColumns
  /** On the device; undefined before the first run. */
  #past: (OrtTensor | undefined)[]
  /** Rows that are to be selected before the next run. */
  #pending: readonly number[] | undefined

  constructor(ort: Ort, slots: readonly Slot[], rows: number, picker: RowPicker) {
    this.#ort = ort
    this.#slots = slots
    this.#picker = picker
    this.#columns = new PaddedColumns(rows)
    this.#past = slots.map(() => undefined)
  }

  async prepare(count: number, pads: ArrayLike<number>): Promise<CacheRun> {
    await this.#pick()
    const { rows, length } = this.#columns
    const feeds: Record<string, OrtTensor> = {}
    const fetches: Record<string, null> = {}
    for (const [i, { input, output, heads, size, type }] of this.#slots.entries()) {
      feeds[input] = this.#past[i] ?? floatTensor(this.#ort, type, floats(type, 0), [rows, heads, 0, size])
      fetches[output] = null
    }
    return { feeds, fetches, mask: this.#columns.mask(count, pads), past: length }
  }

  commit(outputs: Readonly<Record<string, OrtTensor>>): void {
    for (const [i, { output }] of this.#slots.entries()) {
      this.#past[i]?.dispose()
      this.#past[i] = outputs[output]!
    }
    this.#columns.commit()
  }

  select(rows: readonly number[]): void {
    this.#pending = this.#pending ? rows.map((row) => this.#pending![row]!) : rows
    this.#columns.select(rows)
    if (rows.length > 0) return
    for (const past of this.#past) past?.dispose()
    this.#past = this.#slots.map(() => undefined)
    this.#pending = undefined
  }

  async #pick(): Promise<void> {
    const rows = this.#pending
    this.#pending = undefined
    if (rows === undefined) return
    for (const [i, past] of this.#past.entries()) {
      if (past === undefined) continue
      this.#past[i] = await this.#picker.pick(past, rows)
      past.dispose()
    }
  }
}
