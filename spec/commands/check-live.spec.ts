/** `check` on a terminal: each law as it finishes, in words, within 80 columns. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { liveCheck, promiseOf } from '../../src/cli/commands/check-live.ts'
import { MAX_COLUMNS, wrap } from '../../src/cli/commands/output.ts'
import { allLaws } from '../../src/gate/laws/entry.ts'
import { inProcess } from './in-process.ts'
import { root, temporaryFolder } from './program.ts'

const folder = temporaryFolder('live')

/** What a terminal shows of a text: cleared lines are gone, colours are not seen. */
const seen = (text: string): string =>
  text
    .split('\n')
    .map((line) => stripVTControlCharacters(line.split('\r\u001b[2K').at(-1)!))
    .join('\n')

test('every law has a promise', () => {
  for (const { name } of allLaws) expect(promiseOf(name), name).toMatch(/^[A-Z].*\.$/)
})

test('lines are broken at words, and never longer than the terminal', () => {
  const text = wrap('word '.repeat(60), '    ', '    ')
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(MAX_COLUMNS)
  expect(text.match(/word/g)).toHaveLength(60)
})

test('the time left follows the typical costs of the laws', () => {
  let time = 0
  const laws = ['unbiased over texts', 'equal pairs']
  const live = liveCheck({ colours: true, laws, now: () => time })
  time = 6000
  const shown = live.result({ law: laws[0]!, verdict: 'holds', detail: '' }, 'exact, 9 cases', 1)
  // 0.6 of 3.6 typical seconds took 6: the rest takes 30
  expect(seen(shown).split('\n').at(-1)).toBe('  law 2 of 2: equal pairs, about 30 s left')
  expect(seen(shown)).toContain('  \u2713 unbiased over texts\n    Whole texts keep their probabilities')
})

test('a broken law fits 80 columns in colour; without, it prints as in a pipe', async () => {
  const module = join(folder, 'wrong.mjs')
  writeFileSync(
    module,
    `import { defineWatermark, fixed } from '${root}/src/index.ts'
export const wrong = defineWatermark({
  id: 'wrong', unbiased: true, context: fixed(), draw: () => ({}),
  reweight(p, code, q) { for (let i = 0; i < p.length; i++) q[i] = p[i] ** 2; let s = 0; for (const x of q) s += x; for (let i = 0; i < q.length; i++) q[i] /= s },
  score: () => 0, orbit: (code) => [code],
})
`,
  )
  const args = ['check', module, '--law', 'unbiased, exactly', '--seed', '1']
  const { status, stdout } = await inProcess(args, { isTerminal: true, colours: true })
  expect(status).toBe(1)
  const lines = seen(stdout).split('\n')
  expect(lines[0]).toBe('  \u2717 unbiased, exactly')
  expect(lines.filter((line) => line.length > MAX_COLUMNS)).toEqual([])
  expect(seen(stdout)).toContain('wrong: 0 of 1 law holds')
  // with NO_COLOR a terminal gets what a pipe gets
  const plain = await inProcess(args, { isTerminal: true })
  expect(plain.stdout).toBe((await inProcess(args)).stdout)
  expect(plain.stdout).toContain('FAILS  unbiased, exactly')
})
