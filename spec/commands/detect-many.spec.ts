import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { detect, gumbel } from '../../src/index.ts'
import { inProcess, takeover, unsafe } from './in-process.ts'
import { KEY, tokens, VOCAB } from './marked.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder('many')
const at = (name: string): string => join(folder, name)
const put = (name: string, content: string | Uint8Array): string => {
  writeFileSync(at(name), content)
  return at(name)
}
const jsonl = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

/** Marked texts of 30 tokens score -ln(1 - u) = ln 100 or so each: a p-value below 1e-20. Everything here is fixed. */
const rows = Array.from({ length: 40 }, (_, i) => ({
  id: `text-${i}`,
  tokens: tokens(i < 20 ? 30 : 120, i, i % 2 === 0),
  label: i % 2 === 0,
}))
const options = ['-w', 'gumbel', '--key', KEY, '--vocab-size', `${VOCAB}`]
const many = (...args: string[]) => inProcess(['detect', ...args, ...options])

beforeAll(() => {
  put('texts.jsonl', jsonl(rows))
})

describe('lines and summary', () => {
  test('one line per text, as detect says of each; then a summary by length', async () => {
    const { status, stdout, stderr } = await many(at('texts.jsonl'))
    expect(stderr).toBe('')
    expect(status).toBe(0)
    const lines = stdout.split('\n')
    expect(lines[0]).toMatch(/^text +p-value {2}decision +scored +length$/)
    for (const [i, { id, tokens }] of rows.entries()) {
      const d = detect(gumbel(), tokens, { key: KEY, vocabSize: VOCAB })
      const said = `${d.detected ? '' : 'not '}detected`
      expect(lines[i + 1]!.split(/ {2,}/)).toEqual([
        id,
        `${+d.pValue.toPrecision(3)}`,
        said,
        `${d.scored}`,
        `${tokens.length}`,
      ])
    }
    expect(stdout).toContain('detected 20 of 40 texts at alpha = 0.01 (at most 0.4 expected')
    expect(stdout).toMatch(/^up to 49 tokens +20 +50\.0 \[27\.2, 72\.8\]$/m)
    expect(stdout).toMatch(/^100 to 199 tokens +20 +50\.0/m)
  })

  test('--threads: the same output', async () => {
    const [alone, together] = [await many(at('texts.jsonl')), await many(at('texts.jsonl'), '--threads', '2')]
    expect(together.stdout).toBe(alone.stdout)
    expect([together.status, together.stderr]).toEqual([alone.status, alone.stderr])
    const { status, stderr } = await many(at('texts.jsonl'), '--threads', '0')
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^uwbench: --threads: expected/)])
  })

  test('--label: rates of both kinds and the area under the curve, each with its interval', async () => {
    const { stdout } = await many(at('texts.jsonl'), '--label', 'label', '--summary')
    expect(stdout).not.toContain('text-0')
    expect(stdout).toMatch(/^all +20 +100\.0 \[83\.2, 100\.0\] .* 1\.000 \[0\.\d+, 1\.000\]$/m)
    const alarms = rows.filter(
      (row) =>
        !row.label && detect(gumbel(), row.tokens, { key: KEY, vocabSize: VOCAB, alpha: 0.05 }).detected,
    ).length
    expect(stdout).toMatch(new RegExp(`false alarm\\n.*\\nall +20 +${5 * alarms}\\.0 `))
    // labels that lie are seen: every text called unmarked is detected
    const turned = put('turned.jsonl', jsonl(rows.map((row) => ({ ...row, label: !row.label }))))
    const lying = await many(turned, '--label', 'label', '--summary', '--json')
    const { summary } = JSON.parse(lying.stdout) as { summary: { tables: { rows: { cells: unknown }[] }[] } }
    expect(summary.tables[1]!.rows[0]!.cells).toMatchObject({ '0.001': { value: 1, hits: 20, n: 20 } })
  })

  test('no text detected: exit code 1; a text with nothing to score says so', async () => {
    const { status, stdout } = await many(put('short.jsonl', '{"tokens":[1,2]}\n[3]\n'))
    expect(stdout.match(/nothing scored/g)).toHaveLength(2)
    expect(status).toBe(1)
  })
})

describe('outputs', () => {
  test('--json: a line of JSON for each text, the summary last', async () => {
    const { stdout } = await many(at('texts.jsonl'), '--json')
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toHaveLength(41)
    expect(lines[0]).toMatchObject({
      text: `${at('texts.jsonl')}, line 1`,
      id: 'text-0',
      decision: 'detected',
    })
    expect(lines[40]).toMatchObject({ summary: { texts: 40, detected: 20, invalid: 0 } })
  })

  test('--csv: a table on standard output, the summary on standard error', async () => {
    const { stdout, stderr } = await many(at('texts.jsonl'), '--csv')
    const lines = stdout.trim().split('\n')
    expect(lines[0]).toBe('text,id,label,watermark,p_value,log_p_value,decision,scored,length')
    expect(lines).toHaveLength(41)
    expect(stderr).toContain('detected 20 of 40 texts')
  })

  test('--html: one page with the tables and a chart, and no link to files', async () => {
    const { status } = await many(
      at('texts.jsonl'),
      '--label',
      'label',
      '--html',
      at('page.html'),
      '--summary',
    )
    expect(status).toBe(0)
    const page = readFileSync(at('page.html'), 'utf8')
    expect(page).toContain('TPR at 0.1%')
    expect(page).toContain('<svg')
    expect(page).not.toMatch(/href="[^"#d]/)
  })

  test('names and columns that would take over a terminal do not', async () => {
    const path = put('evil.jsonl', jsonl([{ id: takeover, tokens: [1, 2, 3] }, { [takeover]: 1 }]))
    for (const more of [[], ['--json'], ['--csv'], ['--skip-invalid']]) {
      const { stdout, stderr } = await many(path, ...more)
      expect(stdout + stderr).not.toMatch(unsafe)
    }
  })
})

describe('inputs', () => {
  test('several files, a pattern, gzip, CSV, lists: the same outcomes', async () => {
    const decisions = async (...args: string[]) =>
      (await many(...args, '--json')).stdout
        .trim()
        .split('\n')
        .flatMap((line) => (JSON.parse(line) as { logPValue?: number }).logPValue ?? [])
    const expected = await decisions(at('texts.jsonl'))
    put('part-1.jsonl', jsonl(rows.slice(0, 7)))
    put('part-2.jsonl', gzipSync(jsonl(rows.slice(7))))
    put('lists.json', JSON.stringify(rows.map((row) => row.tokens)))
    put('ids.csv', `n,ids\n${rows.map((row, i) => `${i},${row.tokens.join(' ')}\n`).join('')}`)
    put('lines.txt', rows.map((row) => row.tokens.join(' ')).join('\n'))
    expect(await decisions(at('part-1.jsonl'), at('part-2.jsonl'))).toEqual(expected)
    expect(await decisions(at('part-*.jsonl'))).toEqual(expected)
    expect(await decisions(at('lists.json'))).toEqual(expected)
    expect(await decisions(at('ids.csv'), '--field', 'ids', '--ids')).toEqual(expected)
    expect(await decisions(at('lines.txt'), '--format', 'lines', '--ids')).toEqual(expected)
  })

  test('text is read with the tokenizer, and records may name watermark and vocabulary', async () => {
    const prose = put('prose.jsonl', jsonl([{ text: 'The whale was white, and I knew it at once.' }]))
    const { status, stdout } = await inProcess(['detect', prose, '-w', 'gumbel', '--key', KEY])
    expect(status).toBeLessThanOrEqual(1)
    expect(stdout).toContain('1 text at alpha')
    const named = put(
      'named.jsonl',
      jsonl(rows.map((row) => ({ ...row, watermark: 'gumbel', vocabSize: VOCAB }))),
    )
    const own = await inProcess(['detect', named, '--key', KEY, '--summary'])
    expect(own.stdout).toContain('detected 20 of 40 texts')
  })

  test.each<[string, string | Uint8Array, string[], string]>([
    ['a record without a text', '{"body":"x"}', [], 'line 1: expected a column tokens'],
    ['an id beyond the vocabulary', '{"tokens":[1]}\n{"tokens":[1,100]}', [], 'line 2'],
    ['a word among the ids', '{"tokens":[1,"2"]}', [], 'line 1'],
    ['a broken line', '{"tokens":[1]}\n{"tok', [], 'line 2: not JSON'],
    ['a label that says nothing', '{"tokens":[1],"l":"x"}', ['--label', 'l'], 'say with --positive'],
    ['no such column', '{"tokens":[1]}', ['--label', 'l'], "expected a column 'l', found the columns tokens"],
    ['no text at all', '\n\n', [], 'expected texts, found none'],
    ['a binary file', new Uint8Array([1, 2, 3, 0, 0]), [], 'found NUL characters'],
    ['lengths that fall', '{"tokens":[1]}', ['--lengths', '9,5'], '--lengths: expected'],
    ['two outputs', '{"tokens":[1]}', ['--json', '--csv'], 'not both'],
    ['--positive alone', '{"tokens":[1]}', ['--positive', 'x'], '--positive needs --label'],
    ['no such format', '{"tokens":[1]}', ['--format', 'jsnl'], "did you mean 'jsonl'?"],
  ])('%s: one line that names it, exit code 2', async (_, content, args, message) => {
    const { status, stderr } = await many(put('wrong.jsonl', content), ...args)
    expect(stderr).toContain(message)
    expect(stderr).toMatch(/^uwbench: [^\n]+\n$/)
    expect(status).toBe(2)
  })

  test('--skip-invalid: the rest is tested, and the summary counts what is left out', async () => {
    const path = put(
      'some.jsonl',
      `${jsonl(rows.slice(0, 2))}{"tokens":[100]}\n{"body":1}\n${jsonl(rows.slice(2))}`,
    )
    const { status, stdout, stderr } = await many(path, '--skip-invalid', '--summary')
    expect(stdout).toContain('detected 20 of 40 texts')
    expect(stdout).toContain('left out 2 texts that cannot be tested')
    expect(stderr).toMatch(/^left out: .*some\.jsonl, line \d+/)
    expect(status).toBe(0)
  })

  test('flags of many texts on a single one are refused', async () => {
    const { status, stderr } = await many(put('ids.json', '[1,2,3]'), '--label', 'l')
    expect(stderr).toContain('--label is for many texts')
    expect(status).toBe(2)
  })
})

test('detect takes the queue from UWBENCH_QUEUE, where `ps` does not show its password', async () => {
  const file = put('queued.jsonl', '{"tokens":[1,2,3],"vocabSize":50}\n')
  vi.stubEnv('UWBENCH_QUEUE', 'not-a-queue')
  try {
    const args = ['detect', file, '-w', 'gumbel', '--key', 'a secret that nobody guesses']
    expect((await inProcess(args)).stderr).toMatch(/redis:/)
    // threads that are asked for come first
    expect((await inProcess([...args, '--threads', '1'])).status).toBe(1)
  } finally {
    vi.unstubAllEnvs()
  }
})
