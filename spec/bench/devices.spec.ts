/** One worker for each device, cells of one model together, and models freed when cells move on. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { cell } from '../../src/bench/cells/cell.ts'
import { runCells } from '../../src/bench/cells/runner.ts'
import { openStore } from '../../src/bench/cells/store.ts'
import { Resources } from '../../src/bench/steps/resources.ts'
import { paperStudy } from '../../src/bench/study/scales.ts'
import { withSettings } from '../../src/bench/study/settings.ts'
import { writeTinyCausal, writeTinyEncoder } from '../models/tiny/folder.ts'

const root = mkdtempSync(join(tmpdir(), 'uwbench-devices-'))
const [a, b, encoder] = await Promise.all([writeTinyCausal(), writeTinyCausal(), writeTinyEncoder()])
afterAll(() => {
  for (const folder of [root, a, b, encoder]) rmSync(folder, { recursive: true })
})

/** A module of steps whose models are names: a cell tells where it ran, when, and which models were loaded then. */
const source = `
import { threadId } from 'node:worker_threads'
export const open = ({ device = 'cpu' }) => ({ device, loaded: new Set(), count: 0 })
export async function moveOn({ loaded }, { model }) { for (const one of loaded) if (one !== model.id) loaded.delete(one) }
export const steps = { write: { async run({ model }, _, worker) {
  worker.loaded.add(model.id)
  await new Promise((done) => setTimeout(done, 5))
  return { device: worker.device, thread: threadId, nth: worker.count++, model: model.id, loaded: [...worker.loaded] }
} } }`
const steps = `data:text/javascript,${encodeURIComponent(source)}`

interface Told {
  readonly device: string
  readonly thread: number
  readonly nth: number
  readonly model: string
  readonly loaded: readonly string[]
}

async function told(
  models: readonly { id: string; device?: string }[],
  options: { workers: number; devices?: readonly string[] },
): Promise<Told[]> {
  const cells = models.map((model, i) => cell('write', { model: { ...model }, i }))
  const { value } = await runCells(cells, {
    steps,
    resources: {},
    store: openStore(mkdtempSync(join(root, 'store-'))),
    progress: { done() {}, warn() {}, end() {} },
    ...options,
  })
  return cells.map((one) => value(one) as unknown as Told)
}
const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)].sort()
const threadsOf = (some: readonly Told[]) => distinct(some.map(({ thread }) => thread))
const alternating = (device?: string) =>
  Array.from({ length: 12 }, (_, i) => ({ id: i % 2 ? './b' : './a', ...(device ? { device } : {}) }))

describe('workers', () => {
  test('each device has one, besides those of the processor', async () => {
    const found = await told([...alternating('cuda'), ...alternating()], {
      workers: 2,
      devices: ['cuda:0', 'cuda:1'],
    })
    const on = (device: string) => found.filter((one) => one.device === device)
    expect(distinct(found.slice(0, 12).map(({ device }) => device))).toEqual(['cuda:0', 'cuda:1'])
    for (const device of ['cuda:0', 'cuda:1']) expect(threadsOf(on(device)).length).toBe(1)
    expect(distinct(found.slice(12).map(({ device }) => device))).toEqual(['cpu'])
    expect(threadsOf(on('cpu')).length).toBe(2)
  })

  test('a device that is not listed has one too, and takes the cells of one model together', async () => {
    const found = await told(alternating('webgpu'), { workers: 2 })
    expect(distinct(found.map(({ device }) => device))).toEqual(['webgpu'])
    expect(threadsOf(found).length).toBe(1)
    const order = found.toSorted((one, other) => one.nth - other.nth).map(({ model }) => model)
    expect(order.join('')).toBe('./a'.repeat(6) + './b'.repeat(6))
    for (const { loaded, model } of found) expect(loaded).toEqual([model])
  })

  test('models with a name of our own keep the order of cells', async () => {
    const models = ['embedded', 'stories15m', 'embedded', 'stories15m'].map((id) => ({ id }))
    const found = await told(models, { workers: 1 })
    expect(found.map(({ nth }) => nth)).toEqual([0, 1, 2, 3])
  })

  test('without threads the first device is taken, and models are freed as well', async () => {
    const found = await told(alternating('cuda'), { workers: 0, devices: ['cuda:1'] })
    expect(distinct(found.map(({ device }) => device))).toEqual(['cuda:1'])
    for (const { loaded, model } of found) expect(loaded).toEqual([model])
  })
})

test('resources free models that a cell does not name, and load them again', async () => {
  const resources = new Resources()
  const refs = { a: { id: a, digest: '1' }, b: { id: b, digest: '2' }, encoder: { id: encoder, digest: '3' } }
  const [first, second, small] = [
    await resources.model(refs.a),
    await resources.model(refs.b),
    await resources.model({ id: 'embedded' }),
  ]
  const states = await resources.encoder(refs.encoder)
  await resources.moveOn({ model: refs.b, judge: null, encoder: refs.encoder })
  await expect(first.begin([[6]])).rejects.toThrow()
  expect(await resources.model(refs.b)).toBe(second)
  expect(await resources.encoder(refs.encoder)).toBe(states)
  await resources.moveOn({ data: 'c4' })
  await expect(second.begin([[6]])).rejects.toThrow()
  expect(await resources.model({ id: 'embedded' })).toBe(small)
  const again = await resources.model(refs.a)
  expect((await again.begin([[6]])).rows).toBe(1)
  await resources.moveOn({})
  await small.dispose()
})

test('settings: several devices of one kind; cells are for the kind', () => {
  const { open, devices, tasks } = withSettings(paperStudy(), { device: 'cuda:0, cuda:1', dtype: 'q4' })
  expect(devices).toEqual(['cuda:0', 'cuda:1'])
  expect(open.models[0]).toMatchObject({ device: 'cuda', dtype: 'q4' })
  expect(tasks[0]!.encoder).toEqual({ id: 'Xenova/bert-base-uncased', device: 'cuda' })
  expect(() => withSettings(paperStudy(), { device: 'cuda:0,webgpu' })).toThrow('devices of one kind')
})
