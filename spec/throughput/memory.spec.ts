/**
 * Detections and generations leave memory as it was: over the second half of two million detections and of forty thousand generations, the
 * slope of what is in use, compiled code left out, has a 95% interval whose upper end lies below one byte for each detection and 16, the
 * smallest object, for each generation. The same is measured for steps that do nothing. Writes its part of reports/hardening.md.
 *
 * What grows in the first half is the virtual machine: between 2,000 and 12,000 generations heap snapshots differ by 50 kB, which is its
 * weak lists (53 kB in 8 of them), compiled code that comes and goes, and the numbers that were measured; of no kind of object of this
 * package there are more.
 */
import { describe, expect, test } from 'vitest'
import { writePart } from '../fuzz/report.ts'
import { detections, generations, nothing, slopeOf, type Use, watch } from './memory.ts'

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
  return `${times.toLocaleString('en')} ${name}: slope of heap without compiled code and of memory outside of it, over the second half, ${low.toFixed(3)} to ${high.toFixed(3)} bytes for each (95% interval, ${uses.length} points after full collections).

| ${name} | ${shown.map(({ done }) => done.toLocaleString('en')).join(' | ')} |
| --- | ${shown.map(() => '---:').join(' | ')} |
| heap without code, MiB | ${shown.map(({ heap }) => megabytes(heap)).join(' | ')} |
| outside, MiB | ${shown.map(({ outside }) => megabytes(outside)).join(' | ')} |
`
}

describe('memory is flat', () => {
  test.each([
    // a leak of one small object for each would be 16 bytes at the least
    ['detections', 2_000_000, detections, 1],
    ['generations', 40_000, generations, 16],
    ['empty steps', 40_000, nothing, 16],
  ] as const)('%s: %i', async (name, times, work, most) => {
    const uses = await watch(times, POINTS, work())
    const { slope, error } = slopeOf(uses.map(({ done, heap, outside }) => ({ x: done, y: heap + outside })))
    const [low, high] = [slope - T95 * error, slope + T95 * error]
    const what =
      name === 'empty steps' ? 'steps that do nothing' : 'all shipped watermarks in turn, keys that change'
    writePart(
      `Memory of ${name}`,
      `\`npx vitest run --project=throughput spec/throughput/memory.spec.ts\`, ${what}.\n\n${table({ name, times, uses, low, high })}`,
    )
    expect(high).toBeLessThan(most)
  })
})
