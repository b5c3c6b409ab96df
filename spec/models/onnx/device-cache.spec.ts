/** Key-value caches that stay on a device: on WebGPU, and with a runtime that keeps account of its memory. */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { keepsCache, parseDevice, sessionOptions } from '../../../src/text/models/onnx/device.ts'
import { DeviceCache, rowPicker } from '../../../src/text/models/onnx/device-cache.ts'
import type { Slot } from '../../../src/text/models/onnx/graph.ts'
import { type OrtSession, type OrtTensor, onnxruntime } from '../../../src/text/models/onnx/runtime.ts'
import { requireComponent } from '../../require.ts'
import { swiftShader } from '../../swiftshader.ts'
import { writeTinyCausal } from '../tiny/folder.ts'

const child = fileURLToPath(new URL('./webgpu.mjs', import.meta.url))
const folder = await writeTinyCausal()
afterAll(() => rmSync(folder, { recursive: true }))

// the card in software has no half precision
test('WebGPU gives the logits of the processor, also for rows dropped and repeated', {
  timeout: 600_000,
}, (context) => {
  const card = swiftShader()
  requireComponent(context, 'swiftshader', card !== undefined, 'npm install on Linux with x64')
  const run = (device: string, env: NodeJS.ProcessEnv = process.env) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [child, folder, device], {
      encoding: 'utf8',
      env,
    })
    if (status !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as number[][]
  }
  const [here, there] = [run('cpu'), run('webgpu', card)]
  expect(there.map(({ length }) => length)).toEqual(here.map(({ length }) => length))
  const far = here.flatMap((values, i) => values.map((value, j) => Math.abs(value - there[i]![j]!)))
  expect(Math.max(...far)).toBeLessThan(1e-4)
})

describe('memory of a device', () => {
  /** A tensor on the device, and whether it is still there. */
  class Block {
    readonly location = 'gpu-buffer'
    readonly type = 'float32'
    readonly from: string
    alive = true

    constructor(from: string) {
      this.from = from
    }

    dispose(): void {
      expect(this.alive, `${this.from} is freed twice`).toBe(true)
      this.alive = false
    }
  }
  const blocks: Block[] = []
  const allocate = (from: string): OrtTensor => {
    const block = new Block(from)
    blocks.push(block)
    return block as unknown as OrtTensor
  }
  const alive = () => blocks.filter((block) => block.alive).map(({ from }) => from)

  const slots: Slot[] = ['key', 'value'].map((part) => ({
    input: `past_key_values.0.${part}`,
    output: `present.0.${part}`,
    heads: 2,
    size: 4,
    type: 'float32',
  }))

  test('only the newest cache is alive, past tensors go back in as they are, all is freed at the end', async () => {
    let opened = 0
    let released = 0
    const picked: number[][] = []
    const session = {
      async run({ from, rows }: { from: OrtTensor; rows: OrtTensor }) {
        expect((from as unknown as Block).alive).toBe(true)
        picked.push(Array.from(rows.data as BigInt64Array, Number))
        return { picked: allocate('picked') }
      },
      async release() {
        released++
      },
    } as unknown as OrtSession
    const picker = rowPicker(onnxruntime(), async () => {
      opened++
      return session
    })
    const cache = new DeviceCache(onnxruntime(), slots, 3, picker)
    const run = async (columns: number, pads: number[], name: string) => {
      const { feeds, fetches, mask, past } = await cache.prepare(columns, pads)
      expect(Object.values(fetches)).toEqual([null, null])
      for (const feed of Object.values(feeds))
        expect(past === 0 ? feed.dims : (feed as unknown as Block).alive).toBeTruthy()
      cache.commit(Object.fromEntries(slots.map(({ output }) => [output, allocate(name)])))
      return { past, mask: Array.from(mask, Number) }
    }
    expect(await run(2, [0, 1, 0], 'prompt')).toEqual({ past: 0, mask: [1, 1, 0, 1, 1, 1] })
    expect((await run(1, [0, 0, 0], 'first')).past).toBe(2)
    expect(alive()).toEqual(['first', 'first'])
    cache.select([2, 1])
    cache.select([1])
    expect(picked).toEqual([]) // nothing runs before it is needed
    expect(await run(1, [0], 'second')).toEqual({ past: 3, mask: [0, 1, 1, 1] })
    expect(picked).toEqual([[1], [1]])
    expect(opened).toBe(1)
    expect(alive()).toEqual(['second', 'second'])
    cache.select([])
    expect(alive()).toEqual([])
    await picker.release()
    expect(released).toBe(1)
  })
})

describe('devices', () => {
  test('a number chooses one of several', () => {
    expect(parseDevice()).toEqual({ kind: 'cpu' })
    expect(sessionOptions({ device: 'cuda', threads: 2 })).toEqual({
      executionProviders: ['cuda'],
      intraOpNumThreads: 2,
    })
    expect(sessionOptions({ device: 'cuda:1' }).executionProviders).toEqual([{ name: 'cuda', deviceId: 1 }])
    expect(() => parseDevice('cuda:')).toThrow('device: expected a device such as cpu, cuda or cuda:1')
  })

  test('outputs are kept on WebGPU only, and where the graph outputs its whole cache', () => {
    expect(['webgpu', 'cuda', 'cpu'].map((device) => keepsCache({ device }))).toEqual([true, false, false])
    expect(keepsCache({ device: 'webgpu', appendOnly: true })).toBe(false)
    expect(sessionOptions({ device: 'webgpu', keep: ['present.0.key'] })).toMatchObject({
      preferredOutputLocation: { 'present.0.key': 'gpu-buffer' },
    })
    expect(sessionOptions({ device: 'cpu' })).not.toHaveProperty('preferredOutputLocation')
  })
})
