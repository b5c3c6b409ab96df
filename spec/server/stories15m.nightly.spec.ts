/**
 * Servers with planted mistakes on stories15M: each is refused within 2,000 requests of 100 tokens, and servers without a mistake are not (500
 * requests). Requests grow until a law fails; every run has a false alarm of 1e-9. It takes a quarter of an hour and more: this measurement
 * runs where UWBENCH_SERVER_REPORT is set, and writes its part of reports/server.md row by row: `-t NAME` renews one row.
 */
import { readFileSync } from 'node:fs'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { checkServer } from '../../src/gate/server/entry.ts'
import { gumbel, kgw, ngram, synthid } from '../../src/index.ts'
import { isKept } from '../../src/text/models/fetched-model.ts'
import { loadModel } from '../../src/text/models/load.ts'
import { stories15m } from '../../src/text/models/stories15m.ts'
import type { AnyWatermark } from '../../src/watermarks/index.ts'
import { writeServerPart } from '../fuzz/report.ts'
import { isRequired } from '../require.ts'
import { fakeServer, type Mistake } from './fake.ts'

const SIZES = [500, 2000]
/** Requests side by side: the model writes them in one batch. */
const CONCURRENCY = 64
const context = ngram(4)
const [drawn, fixed] = [synthid({ context }), gumbel({ context })]
const asked = { url: 'http://127.0.0.1:1', model: 'toy', context: 4, concurrency: CONCURRENCY }
const servers: readonly (readonly [name: string, watermark: AnyWatermark, mistake?: Mistake])[] = [
  ['top-k after the mark', fixed, 'top-k after the mark'],
  ['one random number for a batch', drawn, 'one random number for a batch'],
  ['contexts that include the padding of a batch', fixed, 'padding in contexts'],
  ['random numbers of the mark in float16', fixed, 'float16 in the mark'],
  ['a speculative path that accepts with untruncated probabilities', fixed, 'untruncated acceptance'],
  ['an end token that the mark never draws', drawn, 'no end token'],
  ['temperature applied twice with the mark', fixed, 'temperature twice'],
  ['KGW with delta 1, passed off as unbiased', kgw({ delta: 1, context })],
  ['none: Gumbel', fixed],
  ['none: SynthID', drawn],
]

const isHere = Boolean(process.env.UWBENCH_SERVER_REPORT) && (isKept(stories15m) || isRequired('stories15m'))
const model = isHere ? await loadModel('stories15m') : undefined
afterAll(() => model?.dispose())
afterEach(() => vi.unstubAllGlobals())

const known = (): string[] => {
  try {
    return readFileSync('reports/server.md', 'utf8').split('\n')
  } catch {
    return []
  }
}

/** Replaces the row of one server, and keeps the others. */
function writeRow(name: string, row: string): void {
  const lines = known()
  const rows = servers.flatMap(([one]) =>
    one === name ? [row] : lines.filter((line) => line.startsWith(`| ${one} |`)),
  )
  writeServerPart(
    'Planted mistakes',
    `\`UWBENCH_SERVER_REPORT=1 npx vitest run --project=nightly spec/server/stories15m\`: \`checkServer\` on stories15M, contexts of 4 tokens, texts of 100
tokens, ${CONCURRENCY} requests side by side, a false alarm of 1e-9 for each run. Requests grow (${SIZES.join(', ')}) until a law fails; a server without a mistake
is checked once, with ${SIZES[0]}.

| mistake | verdict | requests | law |
| --- | --- | ---: | --- |
${rows.join('\n')}
`,
  )
}

for (const [name, watermark, mistake] of servers)
  test.skipIf(!isHere)(name, { timeout: 0 }, async () => {
    const isWrong = !name.startsWith('none')
    let [refused, law, spent] = [false, '', 0]
    for (const requests of isWrong ? SIZES : SIZES.slice(0, 1)) {
      vi.stubGlobal('fetch', fakeServer({ mistake, watermark, model: model!, seed: requests }).fetch)
      const results = await checkServer({ ...asked, requests })
      const failed = results.filter(({ verdict }) => verdict === 'fails')
      ;[refused, law, spent] = [failed.length > 0, failed.map((one) => one.law).join('; '), requests]
      if (refused) break
    }
    writeRow(name, `| ${name} | ${refused ? 'refused' : 'passes'} | ${spent} | ${law} |`)
    expect(refused).toBe(isWrong)
  })
