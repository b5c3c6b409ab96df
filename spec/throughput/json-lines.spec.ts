/**
 * `uwbench detect` on JSON Lines against `detectMany` on the same tokens in memory: reading, sorting out and printing take at most two
 * thirds of the time of the tests themselves, and no memory that grows with the file. Both in processor time, and as the difference
 * between a long file and a short one, so that starting a process does not count. Writes its part of reports/hardening.md.
 *
 * False alarms: the figure is the median of five ratios of runs in turn; it was 0.71 on a machine with a load of 8, single rounds 0.65 to
 * 0.77 at loads up to 12. A file of 1 GB, once: 254 million tokens at 15.0 million per second of processor time, where detectMany has 19.4 to
 * 20.7; at most 147 MB of memory.
 */
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { median } from '../../src/core/stats/entry.ts'
import { writePart } from '../fuzz/report.ts'
import { zipfText } from './cases.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'uwbench-lines-'))
afterAll(() => rmSync(folder, { recursive: true }))

const [LEAST, MAX_MEMORY, ROUNDS] = [0.6, 500e6, 5]
const [VOCAB, LENGTH, KEY, MARK] = [50_257, 300, 'a secret that nobody guesses', 'gumbel']

/** Texts of 300 tokens with their ids, one in each line. */
function writeTexts(name: string, texts: number): string {
  const path = join(folder, name)
  const file = openSync(path, 'w')
  for (let i = 0; i < texts; i++)
    writeSync(
      file,
      `${JSON.stringify({ id: `text-${i}`, tokens: Array.from(zipfText(LENGTH, VOCAB, i)) })}\n`,
    )
  closeSync(file)
  return path
}

interface Spent {
  readonly milliseconds: number
  /** The most bytes at a time. */
  readonly memory?: number
}

/** What a process says of itself at its end, in a file of its own: standard output has the lines of the texts. */
const account = (file: string): string =>
  `data:text/javascript,${encodeURIComponent(
    `import { writeFileSync } from 'node:fs'
     process.on('exit', () => {
       const { user, system } = process.cpuUsage()
       const spent = { milliseconds: (user + system) / 1000, memory: 1024 * process.resourceUsage().maxRSS }
       writeFileSync(${JSON.stringify(file)}, JSON.stringify(spent))
     })`,
  )}`

function run(args: readonly string[]): string {
  const { status, stderr, stdout } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (status !== 0 && status !== 1) throw new Error(stderr)
  return stdout
}

function commandLine(file: string): Spent {
  const told = join(folder, 'spent.json')
  writeFileSync(told, '')
  const args = ['detect', file, '--watermark', MARK, '--vocab-size', `${VOCAB}`, '--key', KEY]
  const lines = run(['--import', account(told), join(root, 'dist/cli/uwbench.js'), ...args])
  expect(lines).toContain('text-99 ')
  return JSON.parse(readFileSync(told, 'utf8')) as Spent
}

const library = (file: string): Spent =>
  JSON.parse(run([join(root, 'spec/throughput/json-lines.mjs'), file, MARK, `${VOCAB}`, KEY])) as Spent

test('detect on JSON Lines has 60% of the speed of detectMany, in constant memory', () => {
  const [texts, some] = [64_000, 4000]
  const [long, short] = [writeTexts('long.jsonl', texts), writeTexts('short.jsonl', some)]
  const perText = (spent: (file: string) => Spent) =>
    (spent(long).milliseconds - spent(short).milliseconds) / (texts - some)
  const rounds = Array.from({ length: ROUNDS }, () => {
    const [own, whole] = [perText(library), perText(commandLine)]
    return { own, whole, ratio: own / whole }
  })
  const ratio = median(rounds.map((round) => round.ratio))
  const [small, large] = [commandLine(short).memory!, commandLine(long).memory!]
  const rate = (milliseconds: number) => Math.round((1000 * LENGTH) / milliseconds).toLocaleString('en')
  const megabytes = (bytes: number) => Math.round(bytes / 1e6)
  writePart(
    'JSON Lines through detect',
    `\`npx vitest run --project=throughput spec/throughput/json-lines.spec.ts\`: ${texts.toLocaleString('en')} texts of ${LENGTH} token ids, ${megabytes(statSync(long).size)} MB, ${MARK}; processor time, medians over ${ROUNDS} rounds, load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores.

| | tokens per second of one core |
| --- | ---: |
| \`detectMany\` on tokens in memory | ${rate(median(rounds.map(({ own }) => own)))} |
| \`uwbench detect\` on the file | ${rate(median(rounds.map(({ whole }) => whole)))} |
| ratio | ${ratio.toFixed(2)} |

Most memory of the command: ${megabytes(small)} MB for a file of ${megabytes(statSync(short).size)} MB, ${megabytes(large)} MB for one of ${megabytes(statSync(long).size)} MB.
`,
  )
  expect(large).toBeLessThan(MAX_MEMORY)
  expect(ratio).toBeGreaterThan(LEAST)
})
