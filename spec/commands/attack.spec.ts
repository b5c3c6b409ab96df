import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { characterEdit } from '../../src/text/attacks/entry.ts'
import { inProcess } from './in-process.ts'
import { KEY } from './marked.ts'
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
