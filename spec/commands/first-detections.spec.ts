/** The first detections of a newcomer: short texts, token ids beside a text, key files, several keys, false discovery rates. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { detect, gumbel } from '../../src/index.ts'
import { embeddedModel } from '../../src/text/models/index.ts'
import { inProcess } from './in-process.ts'
import { KEY, tokens, VOCAB } from './marked.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder('first-detections')
const put = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const ids = (name: string, list: readonly number[]): string => put(name, JSON.stringify(list))
const options = ['-w', 'gumbel', '--vocab-size', `${VOCAB}`]
const run = (...args: string[]) => inProcess(['detect', ...args])

describe('one text', () => {
  test('a text that is too short is not called unmarked', async () => {
    const { status, stdout } = await run(ids('short.json', [1, 2, 3, 4]), ...options, '--key', KEY)
    expect(status).toBe(1)
    expect(stdout).toMatch(
      /^decision +not detected: 2 scored tokens are too few to tell; about \d+ are needed at alpha = 0.01$/m,
    )
    const long = await run(ids('long.json', tokens(200, 1, false)), ...options, '--key', KEY)
    expect(long.stdout).toMatch(/^decision +not detected at alpha = 0.01$/m)
  })

  test('token ids beside a text are used, unless the text was edited', async () => {
    const { tokenizer } = await embeddedModel()
    // encoding the text again gives other ids than these
    const list = [...tokenizer.encode('The'), ...tokenizer.encode('n'), ...tokenizer.encode(' the old man')]
    const text = tokenizer.decode(list)
    expect(tokenizer.encode(text)).not.toEqual(list)
    const file = put('night.txt', text)
    put('night.txt.json', JSON.stringify({ tokens: list, model: 'uwbench-lm', watermark: 'gumbel' }))
    const { stdout } = await run(file, '--key', KEY)
    expect(stdout).toContain(`read       the token ids of ${file}.json\n`)
    expect(stdout).toContain(` of ${list.length} tokens\n`)
    put('night.txt', `${text} and more`)
    const edited = await run(file, '-w', 'gumbel', '--key', KEY)
    expect(edited.stdout).toContain(`read       the text, which is not the one of ${file}.json\n`)
    put('night.txt.json', '{"other": 1}')
    expect((await run(file, '-w', 'gumbel', '--key', KEY)).stdout).not.toContain('read ')
  })

  test('a key file with a newline at its end is warned about, unless its format allows one', async () => {
    const file = put('newline.key', `${KEY}\n`)
    const { stderr } = await run(ids('text.json', tokens(50, 1, true)), ...options, '--key-file', file)
    expect(stderr).toBe(
      `warning: ${file} ends in a newline, which is part of the key; if you did not mean that, write the file with: printf %s KEY > ${file}\n`,
    )
    const vllm = ['-w', 'gumbel(codes=vllm)', '--vocab-size', `${VOCAB}`]
    const engine = await run(join(folder, 'text.json'), ...vllm, '--key-file', put('vllm.key', '42\n'))
    expect(engine.stderr).toBe('')
  })
})

describe('several keys', () => {
  const files = ['2025', '2026', '2027'].map((year) => put(`${year}.key`, `the long secret of ${year}`))
  const keys = files.flatMap((file) => ['--key-file', file])
  const marked = tokens(60, 3, true, 'the long secret of 2026')

  test('the key that marked a text is named, and its p-value corrected', async () => {
    const { stdout, status } = await run(ids('rotated.json', marked), ...options, ...keys, '--json')
    const found = JSON.parse(stdout)
    const { pValue } = detect(gumbel(), marked, { key: 'the long secret of 2026', vocabSize: VOCAB })
    expect(status).toBe(0)
    expect(found.key).toBe(files[1])
    expect(found.pValue / pValue).toBeCloseTo(3, 9)
  })

  test('so are those of many texts, here and on threads', async () => {
    const texts = [marked, tokens(60, 4, false), tokens(60, 5, true, 'the long secret of 2027')]
    const file = put('many.jsonl', texts.map((tokens) => `${JSON.stringify({ tokens })}\n`).join(''))
    const { stdout } = await run(file, ...options, ...keys, '--csv')
    const [head, ...rows] = stdout.trim().split('\n')
    expect(head).toBe('text,id,label,watermark,key,p_value,log_p_value,decision,scored,length')
    // names of texts are quoted and hold a comma
    const cells = rows.map((row) => row.replace(/^"[^"]*"/, 'text').split(','))
    expect(cells.map((row) => row[7])).toEqual(['detected', 'not detected', 'detected'])
    expect([cells[0]![4], cells[2]![4]]).toEqual([files[1], files[2]])
    const { pValue } = detect(gumbel(), marked, { key: 'the long secret of 2026', vocabSize: VOCAB })
    expect(Number(cells[0]![5]) / pValue).toBeCloseTo(3, 9)
    expect((await run(file, ...options, ...keys, '--csv', '--threads', '2')).stdout).toBe(stdout)
  })

  test('one key twice is refused, without being shown', async () => {
    const again = put('again.key', 'the long secret of 2025')
    const { status, stderr } = await run(
      join(folder, 'rotated.json'),
      ...options,
      ...keys,
      '--key-file',
      again,
    )
    expect([status, stderr]).toEqual([2, `uwbench: --key-file: ${again} has the key of ${files[0]}\n`])
  })
})

test('--fdr decides by the false discovery rate, and says where the line lies', async () => {
  const rows = Array.from({ length: 40 }, (_, i) => ({ id: `t${i}`, tokens: tokens(40, i, i < 10) }))
  const file = put('corpus.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const { stdout, status } = await run(file, ...options, '--key', KEY, '--fdr', '0.001')
  expect(status).toBe(0)
  expect(stdout).toMatch(/^10 texts detected \(p <= [\d.e-]+\): at most 0.1% of them, on average, have no/m)
  expect(stdout.match(/ detected /g)!.length).toBeGreaterThanOrEqual(10)
  const both = await run(file, ...options, '--key', KEY, '--fdr', '0.1', '--alpha', '0.1')
  expect([both.status, both.stderr]).toEqual([
    2,
    'uwbench: give --alpha, the level of each text, or --fdr, not both\n',
  ])
})
