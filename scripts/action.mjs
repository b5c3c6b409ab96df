// The GitHub Action (action.yml): runs `uwbench check`, with one annotation per failing law. uwbench itself appends the job summary.
import { spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const { env } = process
const input = (name) => env[`UWBENCH_${name}`]?.trim() ?? ''

/** Text inside a workflow command: https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
const data = (text) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (text) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
const annotate = (title, message) => console.log(`::error title=${property(title)}::${data(message)}`)

/** Lines that the runner does not read as commands: a watermark's id and its output may hold some. */
const inert = (text) => text.replaceAll('::', ': :').replaceAll('##[', '# #[')
const oneLine = (text) => inert(String(text).replace(/[\r\n]+/g, ' '))

/** The package that this action is part of. */
const own = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

function end(code, message) {
  if (message !== undefined) annotate('uwbench', message)
  process.exit(code)
}

/** How uwbench is started: as the project has it installed, unless a version is asked for; else in the versions of this action. */
function program() {
  const version = input('VERSION')
  if (version === '')
    try {
      const manifest = createRequire(join(process.cwd(), 'package.json')).resolve('uwbench/package.json')
      const { bin } = JSON.parse(readFileSync(manifest, 'utf8'))
      return [process.execPath, join(dirname(manifest), bin.uwbench)]
    } catch {
      // not installed
    }
  if (!/^[\w.+-]*$/.test(version)) end(2, `version: expected a version such as 0.2.0, got '${version}'`)
  return [
    'npx',
    '--yes',
    '-p',
    `uwbench@${version || own.version}`,
    '-p',
    `fast-check@${own.devDependencies['fast-check']}`,
    'uwbench',
  ]
}

const [path, command] = [input('PATH'), input('COMMAND')]
if ((path === '') === (command === '')) end(2, 'expected one of the inputs path and command')
// a value may begin with a dash
const args = ['check', ...(command === '' ? [path] : [`--testee=${command}`]), '--json']
for (const name of ['effort', 'bias'])
  if (input(name.toUpperCase())) args.push(`--${name}=${input(name.toUpperCase())}`)
if (env.GITHUB_STEP_SUMMARY) args.push(`--summary=${env.GITHUB_STEP_SUMMARY}`)

const [start, ...rest] = program()
const { status, stdout, stderr, error } = spawnSync(start, [...rest, ...args], {
  encoding: 'utf8',
  maxBuffer: 2 ** 28,
})
if (error) end(3, error.message)
if (stderr) process.stderr.write(inert(stderr))

/** Each watermark is one JSON object over several lines; they are printed one after the other, and a watermark may print more between them. */
function objects(text) {
  const parsed = (part) => {
    try {
      return JSON.parse(part.slice(0, part.search(/^\}$/m) + 1))
    } catch {
      return undefined
    }
  }
  return text
    .split(/^(?=\{$)/m)
    .map(parsed)
    .filter((found) => Array.isArray(found?.results))
}

let failing = 0
for (const { watermark, seed, results } of objects(stdout)) {
  for (const { law, verdict, detail, counterexample } of results) {
    console.log(oneLine(`${verdict.padEnd(14)} ${law}`))
    if (verdict !== 'fails') continue
    failing++
    const { p, also, replay } = counterexample ?? {}
    const lines = [
      detail,
      p && `p: [${p.join(', ')}]`,
      also && `with: ${also}`,
      replay && `replay: ${replay}`,
    ]
    annotate(`${watermark} breaks the law "${law}"`, lines.filter(Boolean).join('\n'))
  }
  console.log(oneLine(`${watermark}: seed ${seed}`))
}
if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, `failing=${failing}\n`)
if (status !== 0 && failing === 0)
  end(status ?? 3, stderr.trim().split('\n').at(-1) || `uwbench ended with ${status}`)
end(status ?? 3)
