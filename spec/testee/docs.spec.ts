/** The examples of docs/testee.md, the files of `init --python`, and the protocol's schema against what is really said. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { checkTestee } from '../../src/gate/testee/entry.ts'
import { inProcess } from '../commands/in-process.ts'
import { root, temporaryFolder } from '../commands/program.ts'
import { requireComponent } from '../require.ts'

const python = spawnSync('python3', ['--version']).status === 0
const folder = temporaryFolder('testee-docs')
const page = readFileSync(join(root, 'docs/testee.md'), 'utf8')
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)![1]!

const LAWS = ['reweight gives a distribution', 'unbiased over keys']
const gate = async (command: string[], laws = LAWS) => {
  const { info, results } = await checkTestee({ command }, { effort: 'quick', laws })
  return [info.id, ...results.map(({ verdict }) => verdict)]
}

test('the Python testee has ten lines and passes', async (context) => {
  requireComponent(context, 'python', python)
  expect(block('python').trim().split('\n').filter(Boolean)).toHaveLength(8) // and two empty ones
  writeFileSync(join(folder, 'ten.py'), block('python'))
  copyFileSync(join(root, 'testee/uwbench_testee.py'), join(folder, 'uwbench_testee.py'))
  expect(await gate(['python3', join(folder, 'ten.py')])).toEqual(['ten-lines', 'holds', 'holds'])
})

test('the JavaScript testee passes', async () => {
  writeFileSync(join(folder, 'by-hand.mjs'), block('js'))
  expect(await gate([process.execPath, join(folder, 'by-hand.mjs')], LAWS.slice(0, 1))).toEqual([
    'by-hand',
    'holds',
  ])
})

test('uwbench init --python writes a testee that passes, and overwrites nothing', async (context) => {
  requireComponent(context, 'python', python)
  const into = join(folder, 'project')
  const { status, stdout } = await inProcess(['init', '--python', into])
  expect(status).toBe(0)
  expect(stdout).toContain(`next: npx uwbench check --testee 'python3 ${join(into, 'my_watermark.py')}'`)
  expect(
    await gate(['python3', join(into, 'my_watermark.py')], ['reweight gives a distribution', 'detectable']),
  ).toEqual(['my-watermark', 'holds', 'holds'])
  expect(readFileSync(join(into, '.github/workflows/watermark.yml'), 'utf8')).toContain(
    'uwbench check --testee',
  )
  const again = await inProcess(['init', '--python', into])
  expect(again.stderr).toMatch(
    /my_watermark\.py, .*: already there; nothing was written; name another folder: .*\n$/,
  )
  expect(again.status).toBe(2)
})

const ajv = new Ajv2020({ strict: false })
const schema = JSON.parse(readFileSync(join(root, 'testee/protocol.schema.json'), 'utf8')) as { $id: string }
ajv.addSchema(schema)
const accepts = (part: string, value: unknown): unknown => {
  const validate = ajv.getSchema(`${schema.$id}#/$defs/${part}`)!
  return validate(value) || validate.errors
}

/** A testee that passes every line on to another and keeps it in a file. */
const recorder = `
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
const [, , file, ...command] = process.argv
const child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] })
const record = (from, to) => from.on('data', (data) => { appendFileSync(file, data); to.write(data) }).on('end', () => to.end())
record(process.stdin, child.stdin)
record(child.stdout, process.stdout)
child.on('exit', () => process.exit())
`

test.for([
  ['green boost', ['reweight']],
  ['gumbel', ['sample']],
  ['kgw', ['reweight', 'detect']],
  ['stateful', ['reweight', 'open', 'close']],
] as const)('both sides follow the schema: %s', async ([name, commands], context) => {
  requireComponent(context, 'python', python)
  const [lines, file] = [join(folder, `${name}.jsonl`), join(folder, 'recorder.mjs')]
  writeFileSync(file, recorder)
  const command = [process.execPath, file, lines, 'python3', join(root, 'spec/testee/watermarks.py'), name]
  const laws = name === 'kgw' ? ['detectable'] : ['reweight gives a distribution']
  await checkTestee({ command }, { effort: 'quick', laws })
  const said = readFileSync(lines, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const requests = new Map<unknown, string>()
  for (const one of said) {
    expect(accepts('cmd' in one ? 'request' : 'answer', one)).toBe(true)
    if ('cmd' in one) requests.set(one.seq, one.cmd as string)
    else expect(accepts(`ok/${requests.get(one.seq)}`, one.ok)).toBe(true)
  }
  expect(new Set(requests.values())).toEqual(new Set(['start', ...commands, 'stop']))
})

test.each([
  ['request', { seq: 0, cmd: 'start', protocol: 2 }],
  ['request', { seq: 0, cmd: 'fly' }],
  ['request', { seq: 0, cmd: 'open', text: 0, key: 'secret' }],
  ['answer', { seq: 0 }],
  ['answer', { seq: 0, error: {} }],
  ['answer', { seq: 0, ok: {}, skipped: 'no' }],
  [
    'ok/start',
    { protocol: 1, id: 'x', unbiased: true, capabilities: [], dtype: 'float64', state: 'context' },
  ],
  ['ok/reweight', { q: [[null]] }],
  ['ok/detect', { pValues: [2] }],
])('the schema refuses %s %j', (part, value) => {
  expect(accepts(part, value)).not.toBe(true)
})
