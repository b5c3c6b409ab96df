/** `generate --out` resumes a file that is longer than the longest string of V8, 512 MB. */
import { closeSync, openSync, readFileSync, readSync, statfsSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inProcess } from './in-process.ts'
import { temporaryFolder } from './program.ts'

const BYTES = 600_000_000
const LINES = 6000
const folder = temporaryFolder('resume')
const { bavail, bsize } = statfsSync(folder)
const hasRoom = bavail * bsize > 2 * BYTES
if (!hasRoom) console.warn(`resume above 512 MB: skipped, ${folder} has less than ${2 * BYTES} bytes left`)

test.skipIf(!hasRoom)('a file of 600 MB resumes, and only its missing text is added', async () => {
  const [prompts, out, first] = ['prompts.txt', 'out.jsonl', 'first.jsonl'].map((name) => join(folder, name))
  const file = openSync(prompts!, 'w')
  for (let i = 0; i <= LINES; i++) writeSync(file, `The whale ${i}\n`)
  closeSync(file)
  const generate = (to: string, ...more: string[]) =>
    inProcess(['generate', '--prompts', prompts!, '--max-tokens', '2', '--seed', '1', '--out', to, ...more])
  expect((await generate(first!, '--limit', '1')).status).toBe(0)

  const record = JSON.parse(readFileSync(first!, 'utf8')) as object
  const text = 'a long text '.repeat(BYTES / LINES / 12)
  const earlier = openSync(out!, 'w')
  for (let i = 0; i < LINES; i++) {
    const row = { ...record, id: `${i + 1}`, prompt: `The whale ${i}`, textIndex: i, text }
    writeSync(earlier, `${JSON.stringify(row)}\n`)
  }
  closeSync(earlier)
  const { size } = statSync(out!)
  expect(size).toBeGreaterThan(2 ** 29)

  const { status, stderr } = await generate(out!)
  expect([status, stderr]).toEqual([0, `wrote 1 texts to ${out}, which had ${LINES}\n`])
  const added = Buffer.alloc(statSync(out!).size - size + 1)
  const end = openSync(out!, 'r')
  readSync(end, added, 0, added.length, size - 1)
  closeSync(end)
  // the byte before is the old end of line: nothing of the earlier run was cut off
  expect(added[0]).toBe(0x0a)
  expect(JSON.parse(added.toString())).toMatchObject({ id: `${LINES + 1}`, textIndex: LINES })
})
