/** `uwbench serve` as a process: it says where it listens, ends in order, and shows its key to nobody. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { build, plainEnvironment, program, root, temporaryFolder, uwbench } from '../commands/program.ts'
import { post } from './servers.ts'

const folder = temporaryFolder('serve')
const file = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}
const key = 'the secret key of this process'
const keyFile = file('key', key)
const tokenFile = file('token', 'sesame\n')
beforeAll(build)

interface Served {
  readonly url: string
  readonly child: ChildProcess
  /** All that it printed. */
  printed(): string
}

const running: ChildProcess[] = []
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

async function serve(...args: string[]): Promise<Served> {
  const all = ['serve', '--port', '0', '--watermark', 'gumbel', '--key-file', keyFile, ...args]
  const child = spawn(process.execPath, [program, ...all], { env: plainEnvironment() })
  running.push(child)
  let printed = ''
  child.stderr.on('data', (data) => {
    printed += data
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (data) => {
      printed += data
      const [found] = /http:\/\/[\d.:]+/.exec(printed) ?? []
      if (found) resolve(found)
    })
    child.on('exit', (code) => reject(new Error(`ended with ${code}: ${printed}`)))
  })
  return { url, child, printed: () => printed }
}

/** Seconds that a busy machine may add. */
const BUSY = 5

test('SIGTERM: texts are finished or cut within five seconds, streams end as they should, the exit code is 0', async () => {
  const { url, child, printed } = await serve('--batch', '2', '--decision-only', '--token-file', tokenFile)
  const ask = (max_tokens: number) =>
    fetch(`${url}/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'The whale', max_tokens, ignore_eos: true, stream: true }),
    }).then((response) => response.text())
  // more than two rows write in the time
  const streams = [ask(5), ...Array.from({ length: 60 }, () => ask(400))]
  await streams[0]
  const began = performance.now()
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
  expect((performance.now() - began) / 1000).toBeLessThan(5 + BUSY)
  const texts = await Promise.all(streams)
  for (const text of texts) expect(text).toMatch(/"finish_reason":"(length|abort)".*\n\ndata: \[DONE\]\n\n$/s)
  expect(texts.some((text) => text.includes('"abort"'))).toBe(true)
  expect(printed()).toMatch(
    /^uwbench-lm with gumbel at http.*\nfinishing the texts that are being written; interrupt again/,
  )
  expect(printed()).not.toContain(key)
})

test('a client that leaves frees its slot; memory stays where it is', async () => {
  const { url, child } = await serve('--batch', '4', '--token-file', tokenFile)
  const memory = (): number =>
    Number(/^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) / 1024
  const round = async (): Promise<void> => {
    const leaving = new AbortController()
    const lost = Array.from({ length: 8 }, () =>
      fetch(`${url}/v1/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: 'The whale', max_tokens: 400, ignore_eos: true, stream: true }),
        signal: leaving.signal,
      }).then((response) => response.body!.getReader().read()),
    )
    await lost[0]
    leaving.abort()
    await Promise.allSettled(lost)
    const { status } = await post(`${url}/v1/completions`, { prompt: 'It', max_tokens: 5 })
    expect(status).toBe(200)
  }
  for (let i = 0; i < 10; i++) await round()
  const before = existsSync('/proc/self/status') ? memory() : 0
  for (let i = 0; i < 20; i++) await round()
  // the caches of 160 texts of 400 tokens would be far more
  if (before > 0) expect(memory() - before).toBeLessThan(64)
  const text = await (await fetch(`${url}/metrics`)).text()
  expect(text).toMatch(/^uwbench_texts_running 0$/m)
  child.kill('SIGTERM')
  expect((await once(child, 'exit'))[0]).toBe(0)
})

test('mistakes are told before a model is loaded', () => {
  const cases: [string[], string][] = [
    [['--port', '65536'], '--port: expected an integer in [0, 65535], got 65536'],
    [['--watermark', 'gumbel'], 'no key: give --key K, --key-file FILE or set UWBENCH_KEY'],
    [['--decision-only'], "--decision-only needs --watermark, such as 'gumbel'"],
    [
      ['--watermark', 'gumbel', '--key-file', keyFile, '--host', '0.0.0.0'],
      '--host 0.0.0.0: expected a token for /detect, which others can reach: give --token-file FILE or set UWBENCH_TOKEN',
    ],
  ]
  for (const [args, message] of cases) {
    const { status, stderr } = uwbench(['serve', ...args])
    expect([status, stderr]).toEqual([2, `uwbench: ${message}\n`])
  }
})

test('without the framework, the error says what to install', () => {
  // an installation with the package and what it depends on, and without optional ones
  const modules = join(folder, 'bare', 'node_modules')
  mkdirSync(join(modules, 'uwbench'), { recursive: true })
  for (const name of ['dist', 'package.json', 'fixtures'])
    symlinkSync(join(root, name), join(modules, 'uwbench', name))
  for (const name of ['@noble', '@huggingface', 'onnxruntime-node', 'onnxruntime-common'])
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  const flags = ['--preserve-symlinks', '--preserve-symlinks-main']
  const child = spawn(process.execPath, [...flags, join(modules, 'uwbench/dist/cli/uwbench.js'), 'serve'], {
    env: plainEnvironment(),
  })
  running.push(child)
  let stderr = ''
  child.stderr.on('data', (data) => {
    stderr += data
  })
  return once(child, 'exit').then(([code]) => {
    expect(stderr).toBe(
      'uwbench: uwbench serve needs the packages hono and @hono/node-server: npm install hono @hono/node-server\n',
    )
    expect(code).toBe(3)
  })
})
