/** Attacks that ask a live server do what they do to the same detector at home. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { detect, gumbel } from '../../src/index.ts'
import { type Oracle, oracleRemove, serverOracle } from '../../src/text/attacks/entry.ts'
import { generate } from '../../src/text/models/entry.ts'
import { inProcess } from '../commands/in-process.ts'
import { temporaryFolder } from '../commands/program.ts'
import { key, started, toy } from './servers.ts'

const { vocabSize } = toy
const [marked] = await generate(toy, [1], { watermark: gumbel(), key, maxNewTokens: 60, seed: 1 })
const { tokens } = marked!
const pAtHome = (text: readonly number[]) => Math.exp(detect(gumbel(), text, { key, vocabSize }).logPValue)
const rate = 100_000

describe('serverOracle', () => {
  test.each([false, true])('removes the mark as at home; decisions alone: %s', async (decisionOnly) => {
    const { url } = await started({ decisionOnly, rate })
    const home: Oracle = (text) => (decisionOnly ? pAtHome(text) <= 0.01 : pAtHome(text))
    const options = { budget: 500, vocabSize, seed: 3 }
    const found = await oracleRemove(tokens, serverOracle(url), options)
    expect(found).toEqual(await oracleRemove(tokens, home, options))
    expect([found.success, found.queries > 1]).toEqual([true, true])
  })

  test('a server with a token answers only to it', async () => {
    const { url } = await started({ token: 'the token of the detector', rate })
    await expect(serverOracle(url, 'another token')(tokens)).rejects.toThrow('401')
    expect(await serverOracle(url, 'the token of the detector')(tokens)).toBe(pAtHome(tokens))
  })

  test('a server that limits questions is asked again later', async () => {
    const { url } = await started({ rate: 60 })
    const oracle = serverOracle(url)
    const answers = await Promise.all(Array.from({ length: 62 }, () => oracle([])))
    expect(answers).toEqual(answers.map(() => 1))
  })

  test('uwbench attack --oracle', async () => {
    const { url } = await started({ rate })
    const folder = temporaryFolder('oracle')
    const [file, out] = [join(folder, 'marked.jsonl'), join(folder, 'removed.jsonl')]
    writeFileSync(file, `${JSON.stringify({ id: 0, tokens, vocabSize, watermark: 'gumbel' })}\n`)
    const args = ['--attack', 'remove', '--budget', '500', '--oracle', url, '--out', out]
    const { stderr, status } = await inProcess(['attack', file, ...args])
    expect([stderr, status]).toEqual([`wrote 1 texts to ${out}\n`, 0])
    const { stdout } = await inProcess(['detect', out, '--key', key, '--json'])
    expect(JSON.parse(stdout.split('\n')[0]!).pValue).toBeGreaterThan(0.01)
  })
})
