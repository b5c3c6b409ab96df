import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { characterEdit } from '../../src/text/attacks/entry.ts'
import { embeddedModel, generateMany } from '../../src/text/models/entry.ts'
import { unigram } from '../../src/watermarks/entry.ts'
import { inProcess } from './in-process.ts'
import { KEY, tokens, VOCAB } from './marked.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder('attack')
const put = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

describe('detect --normalise', () => {
  const clean = 'The people of the city came to the king, and the king said that it was good.'
  const detect = async (file: string, ...args: string[]) =>
    (await inProcess(['detect', file, '-w', 'kgw(delta=2)', '--key', KEY, ...args])).stdout
  const hiddenText = () => characterEdit('homoglyphs', { rate: 0.5 }).apply(clean, { seed: 1 })

  test('one text: the same verdict as the text before the look-alikes', async () => {
    const [file, hidden] = [put('clean.txt', clean), put('hidden.txt', await hiddenText())]
    expect(await detect(hidden, '--normalise')).toBe(await detect(file))
    expect(await detect(hidden)).not.toBe(await detect(file))
  })

  test('many texts, and token ids beside them', async () => {
    const hidden = await hiddenText()
    const rows = [{ id: 'a', text: hidden, tokens: [1, 2, 3] }]
    const [file, other] = [
      put('hidden.jsonl', lines(rows)),
      put('clean.jsonl', lines([{ id: 'a', text: clean }])),
    ]
    const args = ['--json', '--field', 'text']
    const line = (text: string) => JSON.parse(text.split('\n')[0]!)
    expect(line(await detect(file, ...args, '--normalise')).pValue).toBe(
      line(await detect(other, ...args)).pValue,
    )
    const { stderr, status } = await inProcess([
      'detect',
      file,
      '-w',
      'gumbel',
      '--key',
      KEY,
      '--normalise',
      '--vocab-size',
      '9',
    ])
    expect(status).toBe(2)
    expect(stderr).toContain(
      '--normalise needs text, found token ids; name the column of the text with --field',
    )
  })
})

describe('attack', () => {
  const rows = Array.from({ length: 6 }, (_, i) => ({
    id: `text-${i}`,
    tokens: tokens(80, i, true),
    watermark: 'gumbel',
    vocabSize: VOCAB,
    task: 'kept',
  }))
  const file = put('marked.jsonl', lines(rows))
  const attack = (...args: string[]) => inProcess(['attack', file, ...args])
  const out = (name: string) => join(folder, name)
  const records = (path: string) =>
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))

  test('an edit: one record per text, which detect and eval take, and a cut file resumes', async () => {
    const args = ['--attack', 'replace(rate=0.5)', '--out', out('edited.jsonl')]
    expect((await attack(...args)).stderr).toBe(`wrote 6 texts to ${out('edited.jsonl')}\n`)
    const all = readFileSync(out('edited.jsonl'), 'utf8')
    const found = records(out('edited.jsonl'))
    expect(found.map(({ id, distance, task }) => [id, distance, task])).toEqual(
      rows.map(({ id }) => [id, 40, 'kept']),
    )
    const last = all.trimEnd().lastIndexOf('\n')
    writeFileSync(out('edited.jsonl'), all.slice(0, last + 30))
    expect((await attack(...args)).stderr).toBe(`wrote 1 texts to ${out('edited.jsonl')}, which had 5\n`)
    expect(readFileSync(out('edited.jsonl'), 'utf8')).toBe(all)
    for (const command of ['detect', 'eval']) {
      const more = command === 'eval' ? ['--out', join(folder, 'reports')] : []
      const { stderr, status } = await inProcess([command, out('edited.jsonl'), '--key', KEY, ...more])
      expect([stderr, status > 1]).toEqual(['', false])
    }
    const other = await attack('--attack', 'replace(rate=0.6)', '--out', out('edited.jsonl'))
    expect(other.stderr).toContain('was written with attack')
    expect(other.status).toBe(2)
  })

  test('remove asks the own detector, within the budget', async () => {
    const ask = ['--attack', 'remove', '--key', KEY, '--out']
    await attack(...ask, out('removed.jsonl'), '--budget', '800')
    await attack(...ask, out('decided.jsonl'), '--budget', '800', '--decision-only')
    await attack(...ask, out('few.jsonl'), '--budget', '3')
    for (const { success, queries } of [...records(out('removed.jsonl')), ...records(out('decided.jsonl'))]) {
      expect(success).toBe(true)
      expect(queries).toBeLessThanOrEqual(800)
    }
    for (const { success, queries } of records(out('few.jsonl')))
      expect([success, queries]).toEqual([false, 3])
    const detected = await inProcess(['detect', out('removed.jsonl'), '--key', KEY])
    expect(detected.status).toBe(1)
  })

  test('mistakes are named', async () => {
    const cases: [string[], string][] = [
      [[], 'no attack: give --attack steal, scrub, remove, forge or an edit'],
      [['--attack', 'stael'], 'attack: expected one of none, replace'],
      [['--attack', 'typos', '--budget', '0'], '--budget: expected'],
      [['--attack', 'scrub', '--share', '2'], '--share: expected'],
    ]
    for (const [args, message] of cases) {
      const { stderr, status } = await attack(...args)
      expect(stderr).toContain(message)
      expect(status).toBe(2)
    }
  })

  /** The spoofs owe nothing to the key but what was stolen: one of them has p at most 1e-9 by chance with probability at most 2e-9. */
  test('steal: 80 texts under Unigram are enough for texts that the key detects', async () => {
    const model = await embeddedModel()
    const mark = { watermark: unigram({ delta: 6 }), key: KEY }
    const requests = Array.from({ length: 80 }, (_, i) => ({ prompt: `The ${i} people`, index: i }))
    const options = { maxNewTokens: 60, stopTokens: [], seed: 1, batchSize: 80 }
    const record = (given: object) => async () =>
      (await generateMany(model, requests, { ...options, ...given })).map((text, i) => ({
        tokens: text.tokens,
        prompt: requests[i]!.prompt,
        vocabSize: model.vocabSize,
        watermark: 'unigram(delta=6)',
      }))
    const marked = put('stolen.jsonl', lines(await record(mark)()))
    const reference = put('reference.jsonl', lines(await record({})()))
    await model.dispose()
    const args = [
      'attack',
      marked,
      '--attack',
      'steal',
      '--reference',
      reference,
      '--width',
      '0',
      '--count',
      '2',
    ]
    expect(
      (await inProcess([...args, '--max-tokens', '300', '--out', out('spoofs.jsonl')])).stderr,
    ).toContain('wrote 2 texts')
    const { stdout } = await inProcess(['detect', out('spoofs.jsonl'), '--key', KEY, '--json'])
    const found = stdout
      .trim()
      .split('\n')
      .slice(0, 2)
      .map((line) => JSON.parse(line).pValue)
    expect(found.some((p: number) => p <= 1e-9)).toBe(true)
  })
})
