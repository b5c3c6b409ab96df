/** The command of docs/server.md runs against `uwbench serve` as printed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gumbel, ngram } from '../../src/index.ts'
import { embeddedModel } from '../../src/text/models/entry.ts'
import { inProcess } from '../commands/in-process.ts'
import { root, temporaryFolder } from '../commands/program.ts'
import { started } from '../serve/servers.ts'

const page = readFileSync(join(root, 'docs/server.md'), 'utf8')

test('check --server finds nothing wrong with uwbench serve', async () => {
  const model = await embeddedModel()
  const { url } = await started({
    model,
    name: 'uwbench-lm',
    watermark: gumbel({ context: ngram(4) }),
    key: 'a key of sixteen bytes',
  })
  const [, line] = /```sh show check\nnpx uwbench (.*)\n```/.exec(page)!
  const before = process.cwd()
  process.chdir(temporaryFolder('server-docs'))
  try {
    const args = line!.replace('http://127.0.0.1:8000', url).split(' ')
    const { status, stdout, stderr } = await inProcess(args)
    expect(stderr).toBe('')
    expect(stdout).toContain("holds  tokens follow the server's probabilities")
    expect(status).toBe(0)
  } finally {
    process.chdir(before)
    await model.dispose()
  }
})
