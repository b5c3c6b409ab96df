// A testee that does one thing wrong, named by its first argument; without one it is correct and does nothing.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , wrong = 'nothing', file] = process.argv
if (file !== undefined && wrong !== 'grandchild') writeFileSync(file, `${process.pid}`)

const info = {
  protocol: 1,
  id: 'bad',
  unbiased: true,
  capabilities: ['reweight'],
  dtype: 'float64',
  state: 'context',
}
/** Other answers to `start`. */
const infos = {
  'another protocol': { protocol: 2 },
  'no id': { id: undefined },
  'a token outside': { capabilities: ['sample'] },
  'half a token': { capabilities: ['sample'] },
  'a p-value of 2': { capabilities: ['detect'] },
  'a p-value of null': { capabilities: ['detect'] },
  'p-values in words': { capabilities: ['detect'] },
  json: { encoding: 'json' },
}

const rows = ({ keys, p }) => {
  const row = Array.isArray(p)
    ? p[0]
    : [...new Float64Array(Uint8Array.from(Buffer.from(p.float64, 'base64')).buffer)]
  return keys.map(() => [...row])
}
const pack = (numbers) => ({ float64: Buffer.from(Float64Array.from(numbers).buffer).toString('base64') })

/** What is written after `start`, as text; undefined: the correct answer. */
const writes = {
  garbage: () => 'Loading the model...\n',
  'a number': () => '42\n',
  'the wrong seq': ({ seq }) => `${JSON.stringify({ seq: seq + 1, ok: { q: [] } })}\n`,
  'no ok': ({ seq }) => `${JSON.stringify({ seq })}\n`,
  'an error': ({ seq }) => `${JSON.stringify({ seq, error: { message: 'out of memory\non line 2' } })}\n`,
  'two answers': (request) => correct(request) + correct(request),
}
const answers = {
  'NaN in base64': (request) => ({ q: pack(rows(request).flat().fill(Number.NaN, 1, 2)) }),
  'null in a row': (request) => ({ q: rows(request).map((row) => row.map(() => null)) }),
  'too few rows': (request) => ({ q: rows(request).slice(1) }),
  'too many bytes': (request) => ({ q: pack([...rows(request).flat(), 0]) }),
  'short rows': (request) => ({ q: rows(request).map((row) => row.slice(1)) }),
  'no q': () => ({}),
  'a token outside': ({ keys }) => ({ tokens: keys.map(() => 1e6) }),
  'half a token': ({ keys }) => ({ tokens: keys.map(() => 0.5) }),
  'a p-value of 2': () => ({ pValues: [2] }),
  'a p-value of null': () => ({ pValues: [null] }),
  'p-values in words': () => ({ pValues: 'none' }),
}

function correct(request) {
  const { seq, cmd } = request
  const ok =
    cmd === 'start'
      ? { ...info, ...infos[wrong] }
      : cmd === 'reweight' || cmd === 'sample' || cmd === 'detect'
        ? (answers[wrong]?.(request) ?? { q: rows(request) })
        : {}
  return `${JSON.stringify({ seq, ok })}\n`
}

if (wrong === 'tells its environment') writeFileSync(file, JSON.stringify(process.env))
if (wrong === 'dies at once') {
  process.stderr.write('Traceback: no module named torch\n')
  process.exit(7)
}
if (wrong === 'floods standard error') setInterval(() => process.stderr.write('warning '.repeat(1000)), 1)
if (wrong === 'grandchild') writeFileSync(file, `${spawn('sleep', ['1000'], { stdio: 'inherit' }).pid}`)

const flood = (text) => {
  while (process.stdout.write(text));
  process.stdout.once('drain', () => flood(text))
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line)
  const { seq, cmd } = request
  if (wrong === 'hangs at once' || (wrong === 'hangs' && cmd !== 'start')) {
    for (;;);
  }
  if (cmd === 'stop' && wrong === 'ignores stop') return
  if (cmd === 'stop') {
    process.stdout.write(correct(request))
    process.exit(0)
  }
  if (cmd === 'start') process.stdout.write(correct(request))
  else if (wrong === 'dies') {
    process.stderr.write('Segmentation fault\n')
    process.exit(139)
  } else if (wrong === 'is killed') process.kill(process.pid, 'SIGKILL')
  else if (wrong === 'skips')
    process.stdout.write(`${JSON.stringify({ seq, skipped: 'no vocabulary of 8' })}\n`)
  else if (wrong === 'floods lines') flood('all work and no play\n'.repeat(4096))
  else if (wrong === 'floods one line') flood('x'.repeat(2 ** 20))
  else process.stdout.write(writes[wrong]?.(request) ?? correct(request))
})
process.stdin.on('end', () => wrong !== 'ignores stop' && process.exit(0))
if (wrong === 'ignores stop') setInterval(() => {}, 1000)
