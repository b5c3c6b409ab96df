/** `npm pack` gives a package that works elsewhere: installed without any optional peer, the core embeds and detects. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { root, temporaryFolder } from '../commands/program.ts'
import { install, manifest } from './packed.ts'

const folder = temporaryFolder('pack')

beforeAll(() => {
  install(folder)
})

const installed = (path: string): string => join(folder, 'node_modules', path)

test('the core installs with its hash library and nothing else', () => {
  expect(Object.keys(manifest.dependencies)).toEqual(['@noble/hashes'])
  for (const peer of Object.keys(manifest.peerDependencies)) {
    expect(manifest.peerDependenciesMeta[peer], peer).toEqual({ optional: true })
    expect(existsSync(installed(peer)), peer).toBe(false)
  }
})

test('every entry of the exports map is in the package, with its types', () => {
  for (const target of Object.values(manifest.exports)) {
    expect(existsSync(installed(join('uwbench', target))), target).toBe(true)
    if (target.endsWith('.js'))
      expect(existsSync(installed(join('uwbench', target.replace(/\.js$/, '.d.ts')))), target).toBe(true)
  }
})

test('embedding and detecting work there', () => {
  writeFileSync(
    join(folder, 'use.js'),
    `import { detect, embedder, gumbel } from 'uwbench'
     const vocabSize = 100
     const text = embedder(gumbel(), { key: 'secret', vocabSize, seed: 1 })
     const p = new Float64Array(vocabSize).fill(1 / vocabSize)
     const q = new Float64Array(vocabSize)
     const tokens = []
     for (let t = 0; t < 60; t++) {
       const marked = text.reweight(tokens, p, q)
       const token = marked ? q.indexOf(1) : (7 * t) % vocabSize
       text.drew(token, p[token])
       tokens.push(token)
     }
     const own = detect(gumbel(), tokens, { key: 'secret', vocabSize })
     const other = detect(gumbel(), tokens, { key: 'other', vocabSize })
     console.log(JSON.stringify({ own: own.pValue, other: other.pValue }))`,
  )
  const { own, other } = JSON.parse(
    execFileSync(process.execPath, ['use.js'], { cwd: folder, encoding: 'utf8' }),
  )
  expect(own).toBeLessThan(1e-12)
  expect(other).toBeGreaterThan(1e-6) // false alarm 1e-6 once for all: everything here is fixed
})

test.each([
  ['uwbench/laws', 'uwbench/laws needs the package fast-check: npm install --save-dev fast-check'],
  ['uwbench/vitest', 'needs the package'],
])('%s without its peers says what to install', (entry, message) => {
  const program = `import('${entry}').then(() => process.exit(3), (error) => console.log(error.message))`
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(said).toContain(message)
})

test('a bucket without its peer says what to install', () => {
  const program = `import('uwbench/bench').then(({ openStore }) =>
    openStore('s3://cells').bucket.id().catch((error) => console.log(error.message)))`
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, UWBENCH_STORE: '', AWS_ACCESS_KEY_ID: 'ID', AWS_SECRET_ACCESS_KEY: 'SECRET' },
  })
  expect(said).toBe('bucket s3://cells: it needs the package aws4fetch: npm install aws4fetch\n')
})

test.each([
  [['generate', 'a'], 'neural models need'],
  [['playground'], 'the playground needs'],
])('%s without the model library says what to install', (args, need) => {
  const run = spawnSync(process.execPath, [installed('uwbench/dist/cli/uwbench.js'), ...args], {
    encoding: 'utf8',
  })
  expect(run.stderr).toBe(
    `uwbench: ${need} the package @huggingface/transformers: ONNXRUNTIME_NODE_INSTALL=skip npm install @huggingface/transformers\n`,
  )
  expect(run.status).toBe(3)
})

test('the command line without any peer: list, detect on ids, audit, audit-model, compare, init', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [installed('uwbench/dist/cli/uwbench.js'), ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
  writeFileSync(
    join(folder, 'ids.jsonl'),
    [1, 2, 3]
      .map((i) => `{"prompt":"p","tokens":[${Array.from({ length: 30 }, (_, t) => (t * t * i) % 50)}]}\n`)
      .join(''),
  )
  writeFileSync(join(folder, 'r.json'), readFileSync(join(root, 'reports/table3.json')))
  for (const [args, said] of [
    [['list'], 'synthid'],
    [
      [
        'detect',
        'ids.jsonl',
        '-w',
        'gumbel',
        '--key',
        'a long secret key',
        '--vocab-size',
        '50',
        '--alpha',
        '1e-9',
      ],
      'of 3 texts',
    ],
    [['audit'], '#'],
    [['audit-model', '--reference', 'ids.jsonl', '--suspect', 'ids.jsonl'], 'opening'],
    [['compare', 'r.json', 'r.json'], 'no differences'],
    [['init', 'mine'], 'wrote'],
  ] as const) {
    const { status, stdout, stderr } = run(...args)
    expect(stderr, args.join(' ')).toBe('')
    expect(stdout, args.join(' ')).toContain(said)
    expect(status, args.join(' ')).toBeLessThanOrEqual(1)
  }
})
