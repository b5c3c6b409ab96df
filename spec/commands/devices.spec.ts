/** Pipes, FIFOs, devices and links in the place of files, on systems that have them. */
import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { build, shell, temporaryFolder } from './program.ts'

const folder = temporaryFolder('devices')
const KEY = "--key 'a secret that nobody guesses'"
const run = (line: string) => shell(line, folder)

beforeAll(() => {
  build()
  run(`uwbench generate 'The whale' --seed 1 --max-tokens 60 -w gumbel ${KEY} --out whale`)
})

describe.skipIf(!existsSync('/dev/full'))('output that cannot be written: one line, exit code 3', () => {
  const problem = 'cannot write (ENOSPC: no space left on device)\n'

  test.each([
    ['a verdict', `detect whale.json ${KEY}`],
    ['JSON', `detect whale.json --json ${KEY}`],
    ['help', 'generate --help'],
    ['texts', `generate --prompts prompts.txt -w gumbel ${KEY} --max-tokens 5`],
  ])('%s', (_, command) => {
    const { status, stderr } = run(`seq 100 > prompts.txt; uwbench ${command} > /dev/full`)
    expect([status, stderr]).toEqual([3, `uwbench: standard output: ${problem}`])
  })

  test('standard error alone: exit code 3', () => {
    expect(run('uwbench list --nonsense 2> /dev/full').status).toBe(3)
  })

  test('a file of texts', () => {
    const command = `uwbench generate --prompts prompts.txt --max-tokens 5 --out /dev/full`
    const { status, stderr } = run(command)
    expect([status, stderr]).toEqual([3, `uwbench: /dev/full: ${problem}`])
  })

  test('a closed pipe is no error', () => {
    const { status, stderr } = run('set -o pipefail; uwbench audit | head -n 1')
    expect([status, stderr]).toEqual([0, ''])
  })
})

describe.skipIf(process.platform === 'win32')('prompts from pipes: all of them, in order', () => {
  const command = `uwbench generate --max-tokens 1 --seed 1 --batch 64 --limit 200 --prompts`
  const ids = (line: string): string => run(`${line} | grep -o '"prompt":"[^"]*"' | cksum`).stdout
  // a line of 4 kB, so that the first piece of the pipe ends before the 200 lines do
  const make = `for i in $(seq 200); do printf '%04d %4000s\\n' $i .; done | sed 's/  */ /' > many.txt`

  test.each([
    ['a process substitution', `${command} <(cat many.txt)`],
    ['standard input', `cat many.txt | ${command} -`],
    ['a FIFO', `rm -f pipe; mkfifo pipe; cat many.txt > pipe & ${command} pipe`],
  ])('%s', (_, line) => {
    run(make)
    const file = ids(`${command} many.txt`)
    expect(file).not.toBe(ids('true'))
    expect(ids(`timeout 60 bash -c "$(declare -f uwbench); ${line}"`)).toBe(file)
  })

  test('a list in one line of JSON', () => {
    expect(run(`echo '["It was", "Call me"]' | ${command} - | wc -l`).stdout.trim()).toBe('2')
  })

  test('a parquet file in a pipe: refused', () => {
    const { status, stderr } = run(`printf 'PAR1xxxx' | uwbench generate --prompts /dev/stdin`)
    expect([status, stderr]).toEqual([
      2,
      'uwbench: /dev/stdin: expected a parquet file by its name, found one in a pipe\n',
    ])
  })
})

describe.skipIf(process.platform === 'win32')('outputs', () => {
  const detect = `uwbench detect whale.json --tokenizer embedded ${KEY} --html`

  test('go through a symbolic link, which stays', () => {
    run(`mkdir -p there; echo old > there/page; ln -sf there/page link; ln -sf there/new dangling`)
    run(`${detect} link; ${detect} dangling`)
    expect(run('readlink link dangling; head -c 15 there/page there/new').stdout).toBe(
      'there/page\nthere/new\n==> there/page <==\n<!doctype html>\n==> there/new <==\n<!doctype html>',
    )
  })

  test('keep the mode of a file', () => {
    expect(run(`touch secret; chmod 600 secret; ${detect} secret; stat -c %a secret`).stdout).toMatch(
      /600\n$/,
    )
  })

  test('one text: into a device, a pipe and an open file alone, without a file of its tokens', () => {
    const one = 'uwbench generate It --seed 1 --max-tokens 3'
    run(`ln -s /dev/stdout open; ${one} --out link; ${one} --out /dev/null`)
    expect(existsSync('/dev/null.json')).toBe(false)
    const text = run('cat there/page').stdout
    for (const line of [`--out /dev/stdout | cat`, '--out open > file; cat file'])
      expect(run(`${one} ${line}`).stdout).toBe(text)
    expect(run('ls open.json /dev/stdout.json').stdout).toBe('')
    expect(run(`${one} --out -`)).toMatchObject({ status: 2, stderr: expect.stringContaining("got '-'") })
  })

  test('are written to a FIFO and to a device, which stay', () => {
    const { stdout } = run(`mkfifo fifo; head -c 15 fifo & ${detect} fifo > verdict; wait; stat -c %F fifo`)
    expect(stdout).toBe('<!doctype html>fifo\n')
    const { status, stderr } = run(`${detect} /dev/full > verdict`)
    expect([status, stderr]).toEqual([
      3,
      'uwbench: /dev/full: cannot write (ENOSPC: no space left on device)\n',
    ])
  })
})

/** Whether a small disk can be made: as root, on Linux. */
const disk = `${folder}/disk`
const canMount = run(`mkdir -p ${disk} && mount -t tmpfs -o size=64k tmpfs ${disk}`).status === 0
afterAll(() => canMount && run(`umount ${disk}`))

describe.skipIf(!canMount)('a disk of 64 kB that fills up', () => {
  test('texts: one line, exit code 3, and complete lines only; more room, and the run resumes', () => {
    const command = `seq 400 > prompts.txt; uwbench generate --prompts prompts.txt --max-tokens 30 --seed 1 -w gumbel ${KEY} --out disk/texts.jsonl`
    const { status, stderr } = run(command)
    expect([status, stderr]).toEqual([
      3,
      expect.stringMatching(/^uwbench: disk\/texts.jsonl: cannot write \(ENOSPC[^\n]*\n$/),
    ])
    run(`mount -o remount,size=4m ${disk}`)
    expect(run(command).status).toBe(0)
    const ids = run('grep -o \'"id":[^,]*\' disk/texts.jsonl | sort | uniq -c | sort -rn | head -n 1').stdout
    expect(run('wc -l < disk/texts.jsonl').stdout.trim()).toBe('400')
    expect(ids).toMatch(/^ *1 /)
  })

  test('a page: one line, exit code 3, and no part of it stays', () => {
    run(`mount -o remount,size=4m ${disk}; head -c 4090000 /dev/zero > disk/filler`)
    const { status, stderr } = run(
      `uwbench detect whale.json --tokenizer embedded ${KEY} --html disk/page.html > v`,
    )
    expect([status, stderr]).toEqual([3, expect.stringMatching(/disk\/page\.html: cannot write \(ENOSPC/)])
    expect(run('ls disk').stdout).not.toContain('page')
  })
})
