/**
 * A million detections and ten thousand generations leave memory as it was: the slope of what is in use over the work done, with
 * its interval, lies below one byte for each detection and 16 for each generation. Writes its part of reports/hardening.md.
 */
import { describe, expect, test } from 'vitest'
import { writePart } from '../fuzz/report.ts'
import { detections, generations, slopeOf, type Use, watch } from './memory.ts'

/** Student's t for 18 degrees of freedom, 95% two-sided: twenty points, two parameters. */
const T95 = 2.101
const POINTS = 19

interface Measured {
  readonly name: string
  readonly times: number
  readonly uses: readonly Use[]
  readonly low: number
  readonly high: number
}

const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(2)

function table({ name, times, uses, low, high }: Measured): string {
  const shown = uses.filter((_, i) => i % 4 === 0 || i === uses.length - 1)
  return `${times.toLocaleString('en')} ${name}: slope of heap and memory outside of it, ${low.toFixed(3)} to ${high.toFixed(3)} bytes for each (95% interval, ${uses.length} points after full collections).

| ${name} | ${shown.map(({ done }) => done.toLocaleString('en')).join(' | ')} |
| --- | ${shown.map(() => '---:').join(' | ')} |
| heap, MiB | ${shown.map(({ heap }) => megabytes(heap)).join(' | ')} |
| outside, MiB | ${shown.map(({ outside }) => megabytes(outside)).join(' | ')} |
`
}

describe('memory is flat', () => {
  test.each([
    // a leak of one small object for each would be 16 bytes at the least
    ['detections', 1_000_000, 100_000, detections, 1],
    ['generations', 10_000, 20_000, generations, 16],
  ] as const)('%s: %i', async (name, times, warm, work, most) => {
    const uses = await watch(warm, times, POINTS, work())
    const { slope, error } = slopeOf(uses.map(({ done, heap, outside }) => ({ x: done, y: heap + outside })))
    const [low, high] = [slope - T95 * error, slope + T95 * error]
    writePart(
      `Memory of ${name}`,
      `\`npx vitest run --project=throughput spec/throughput/memory.spec.ts\`, all shipped watermarks in turn, keys that change.\n\n${table({ name, times, uses, low, high })}`,
    )
    expect(high).toBeLessThan(most)
  })
})
