/** Results for CI systems: JUnit XML, Markdown, and the GitHub Action's script with the variables that GitHub sets. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { junit, summary } from '../../src/cli/commands/check-files.ts'
import { inProcess } from '../commands/in-process.ts'
import { build, linkPackages, plainEnvironment, program, root, temporaryFolder } from '../commands/program.ts'
import { isGone } from './gone.ts'

const folder = temporaryFolder('testee-ci')
const bad = join(root, 'spec/testee/bad.mjs')
/** A testee that keeps the more probable half, by hand: the mean of q is not p. */
const greedy = `
import { createInterface } from 'node:readline'
const start = { protocol: 1, id: 'greedy <&"|\`', unbiased: true, capabilities: ['sample'], dtype: 'float64', state: 'context', encoding: 'json' }
createInterface({ input: process.stdin }).on('line', (line) => {
  const { seq, cmd, keys, p } = JSON.parse(line)
  const ok = cmd === 'start' ? start : cmd === 'sample' ? { tokens: keys.map(() => p[0].indexOf(Math.max(...p[0]))) } : {}
  console.log(JSON.stringify({ seq, ok }))
})
`
const testee = `node '${join(folder, 'greedy.mjs')}'`

beforeAll(() => {
  build()
  linkPackages(folder)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'greedy.mjs'), greedy)
})

describe('files', () => {
  const results = [
    { law: 'detectable', verdict: 'holds', detail: '' },
    { law: 'drift', verdict: 'not applicable', detail: 'no <q>' },
    {
      law: 'unbiased over keys',
      verdict: 'fails',
      detail: 'p & q | `differ`',
      counterexample: { p: ['1/4', '3/4'], seed: 1, path: 'few/0', replay: 'uwbench check ...' },
    },
  ] as const
  const checked = [{ id: 'mine <1>', results }]

  test('JUnit XML: a suite per watermark, a test per law, everything escaped', () => {
    const xml = junit(checked)
    expect(xml).toContain('<testsuite name="mine &lt;1&gt;" tests="3" failures="1" skipped="1" errors="0">')
    expect(xml).toContain('<testcase classname="mine &lt;1&gt;" name="detectable"/>')
    expect(xml).toContain('<skipped message="not applicable: no &lt;q&gt;"/>')
    expect(xml).toContain('<failure message="p &amp; q | `differ`">mine &lt;1&gt; breaks the law')
    expect(xml.match(/<(\w+)[^>]*[^/]>/g)).toHaveLength(xml.match(/<\/\w+>/g)!.length)
  })

  test('Markdown: the table of laws, the counterexample, how to replay it', () => {
    const text = summary(checked, 7)
    expect(text).toMatch(/^## mine \\<1\\>: 1 of 3 laws fails\n/)
    expect(text).toContain(
      '| **FAILS** | unbiased over keys | over random secret keys the mean of q equals p | p & q \\| \\`differ\\` |',
    )
    expect(text).toMatch(/^ {2}p: +\[1\/4, 3\/4\]$/m)
    expect(text).toContain('uwbench check ...')
    expect(text).toMatch(/\n\nseed 7\n$/)
  })

  test('check --junit and --summary write them, and the exit code stays', async () => {
    const [xml, text] = [join(folder, 'laws.xml'), join(folder, 'laws.md')]
    const args = ['check', 'gumbel', '--law', 'detectable', '--junit', xml, '--summary', text]
    expect((await inProcess(args)).status).toBe(0)
    expect(readFileSync(xml, 'utf8')).toContain('<testcase classname="gumbel" name="detectable"/>')
    expect((await inProcess(args)).status).toBe(0)
    expect(readFileSync(text, 'utf8').match(/^## gumbel: every law holds$/gm)).toHaveLength(2)
  })

  test('a file in a folder that is not there is refused before anything is checked', async () => {
    const { status, stderr } = await inProcess(['check', 'gumbel', '--junit', join(folder, 'no/laws.xml')])
    expect(stderr).toContain('no such folder')
    expect(status).toBe(2)
  })
})

test.each(['SIGKILL', 'SIGTERM'] as const)('%s to uwbench ends a testee that hangs', async (signal) => {
  const file = join(folder, `${signal}.pid`)
  const command = `node '${bad}' hangs '${file}'`
  const child = spawn(process.execPath, [program, 'check', '--testee', command], { stdio: 'ignore' })
  while (!existsSync(file) || readFileSync(file, 'utf8') === '')
    await new Promise((resolve) => setTimeout(resolve, 50))
  // by now it is asked something, and hangs
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await ended
  expect(await isGone(Number(readFileSync(file, 'utf8')))).toBe(true)
})

describe('the GitHub Action', () => {
  const script = (inputs: Record<string, string>, name: string) => {
    const files = {
      GITHUB_STEP_SUMMARY: join(folder, `${name}.md`),
      GITHUB_OUTPUT: join(folder, `${name}.txt`),
    }
    for (const file of Object.values(files)) writeFileSync(file, '')
    const ran = spawnSync(process.execPath, [join(root, 'scripts/action.mjs')], {
      cwd: folder,
      encoding: 'utf8',
      env: plainEnvironment({ GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: folder, ...files, ...inputs }),
    })
    const [page, output] = Object.values(files).map((file) => readFileSync(file, 'utf8'))
    return { ...ran, page: page!, output: output! }
  }

  test('action.yml passes every input on to the script', () => {
    const action = readFileSync(join(root, 'action.yml'), 'utf8')
    const inputs = [...action.slice(0, action.indexOf('outputs:')).matchAll(/^ {2}(\w+):$/gm)].map(
      ([, name]) => name!,
    )
    expect(inputs).toEqual(['path', 'command', 'effort', 'bias', 'version'])
    for (const name of inputs)
      expect(action).toContain(`UWBENCH_${name.toUpperCase()}: \${{ inputs.${name} }}`)
    expect(action).toContain('node "$GITHUB_ACTION_PATH/scripts/action.mjs"')
  })

  test('a testee that fails: an annotation per law, a summary, exit code 1', () => {
    const { status, stdout, page, output } = script(
      { UWBENCH_COMMAND: testee, UWBENCH_EFFORT: 'quick', UWBENCH_BIAS: '0.05' },
      'fails',
    )
    const annotations = stdout.split('\n').filter((line) => line.startsWith('::error '))
    expect(annotations.length).toBeGreaterThan(0)
    expect(annotations.join('\n')).toMatch(
      /^::error title=greedy <&"\|` breaks the law "unbiased over keys"::after .*%0Ap: \[/m,
    )
    expect(annotations.join('\n')).toMatch(/%0Areplay: uwbench check --testee /)
    expect(output).toBe(`failing=${annotations.length}\n`)
    expect(page).toContain('| **FAILS** | unbiased over keys |')
    expect(page).toMatch(/^ {2}replay: +uwbench check --testee /m)
    expect(status).toBe(1)
  })

  test('an id that is a workflow command is printed as text', () => {
    writeFileSync(join(folder, 'command.mjs'), greedy.replace(/id: '[^']*'/, "id: '::warning::pwned'"))
    const { stdout, stderr } = script(
      {
        UWBENCH_COMMAND: `node '${join(folder, 'command.mjs')}'`,
        UWBENCH_EFFORT: 'quick',
        UWBENCH_BIAS: '0.05',
      },
      'command',
    )
    expect(stdout).toContain(': :warning: :pwned: seed ')
    expect(`${stdout}\n${stderr}`).not.toMatch(/^\s*::warning/m)
  })

  test('what a module prints is not read as a result, nor as a command', () => {
    const printed = "console.log('x\\n::error::pwned\\n{')"
    writeFileSync(
      join(folder, 'chatty.mjs'),
      `import { unwatermarked } from 'uwbench'\n${printed}\nexport default unwatermarked()`,
    )
    const { status, stdout, stderr } = script(
      { UWBENCH_PATH: './chatty.mjs', UWBENCH_EFFORT: 'quick' },
      'chatty',
    )
    expect(`${stdout}\n${stderr}`).not.toMatch(/^\s*::error::pwned|^\s+at /m)
    expect(stdout).toMatch(/^holds +reweight gives a distribution$/m)
    expect(status).toBe(0)
  })

  test('without an installed uwbench, npx gets the versions of this action', () => {
    const elsewhere = temporaryFolder('action-versions')
    writeFileSync(join(elsewhere, 'npx'), '#!/bin/sh\necho "$@" >&2\nexit 3\n', { mode: 0o755 })
    const { stderr } = spawnSync(process.execPath, [join(root, 'scripts/action.mjs')], {
      cwd: elsewhere,
      encoding: 'utf8',
      env: plainEnvironment({ UWBENCH_PATH: 'gumbel', PATH: `${elsewhere}:${process.env.PATH}` }),
    })
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(stderr).toMatch(/ -p fast-check@\d+\.\d+\.\d+ /)
    expect(stderr).toContain(` -p uwbench@${version} `)
  })

  test('a shipped watermark by its id: nothing to annotate, exit code 0', () => {
    const { status, stdout, output } = script(
      { UWBENCH_PATH: 'unwatermarked', UWBENCH_EFFORT: 'quick' },
      'holds',
    )
    expect(stdout).not.toContain('::error')
    expect(stdout).toMatch(/^holds +reweight gives a distribution$/m)
    expect(output).toBe('failing=0\n')
    expect(status).toBe(0)
  })

  test.each([
    ['no input', {}, 'expected one of the inputs path and command', 2],
    ['two inputs', { UWBENCH_PATH: 'gumbel', UWBENCH_COMMAND: 'x' }, 'expected one of the inputs', 2],
    ['a version that is none', { UWBENCH_PATH: 'gumbel', UWBENCH_VERSION: '1; rm' }, 'version: expected', 2],
    ['no such watermark', { UWBENCH_PATH: 'rot13' }, 'uwbench: ', 2],
    ['a testee that dies', { UWBENCH_COMMAND: `node '${bad}' 'dies at once'` }, 'exited with code 7', 3],
  ])('%s: an annotation, and the exit code', (name, inputs, message, code) => {
    const { status, stdout } = script(inputs, name)
    expect(stdout).toMatch(/^::error title=uwbench::/m)
    expect(stdout).toContain(message)
    expect(status).toBe(code)
  })
})
