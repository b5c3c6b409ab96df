/** The Dockerfile, as a linter reads it: no daemon is needed. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

/** Instructions with their arguments, continued lines joined. */
const instructions = (text: string): [string, string][] =>
  text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line))
    .map((line) => [line.split(' ')[0]!, line.slice(line.indexOf(' ') + 1).trim()])

/** Returns what is wrong with a Dockerfile. */
function faults(text: string): string[] {
  const all = instructions(text)
  const of = (name: string) => all.filter(([one]) => one === name).map(([, rest]) => rest)
  const runs = of('RUN').join('\n')
  return [
    ...of('FROM').flatMap((base) => (/:\d+\.\d+\.\d+-\S+/.test(base) ? [] : ['base is not pinned'])),
    ...(['root', '0', undefined].includes(of('USER').at(-1)) ? ['runs as root'] : []),
    ...(/\bnpm ci\b/.test(runs) && !/\bnpm (i|install)\b/.test(runs) ? [] : ['installs other than npm ci']),
    ...(/(TOKEN|SECRET|PASSWORD|_KEY)\b/i.test(`${of('ENV')} ${of('ARG')}`) ? ['holds a secret'] : []),
    ...(/^ADD /m.test(text) || /curl|wget/.test(runs) ? ['downloads without a check'] : []),
    ...(of('ENTRYPOINT').every((entry) => entry.startsWith('[')) ? [] : ['starts through a shell']),
  ]
}

test('the base is pinned, npm ci installs, nobody is root, and no secret is in it', () => {
  expect(faults(read('Dockerfile'))).toEqual([])
})

test.each([
  ['base is not pinned', (text: string) => text.replace(/^FROM .*/m, 'FROM node:latest')],
  ['runs as root', (text: string) => text.replace(/^USER .*/m, '')],
  ['runs as root', (text: string) => text.replace(/^USER .*/m, 'USER root')],
  ['installs other than npm ci', (text: string) => text.replace('npm ci', 'npm install')],
  ['holds a secret', (text: string) => `${text}ENV NPM_TOKEN=abc\n`],
  ['downloads without a check', (text: string) => `${text}ADD https://example.org/a.tgz /\n`],
  ['starts through a shell', (text: string) => text.replace(/^ENTRYPOINT .*/m, 'ENTRYPOINT node cli.js')],
] as const)('%s: refused', (fault, change) => {
  expect(faults(change(read('Dockerfile')))).toContain(fault)
})

test('what it copies is there, keys and stores stay outside, and the program is where the package has it', () => {
  const text = read('Dockerfile')
  const copied = instructions(text).filter(([name]) => name === 'COPY')
  for (const [, paths] of copied)
    for (const path of paths.split(' ').slice(0, -1))
      expect(existsSync(new URL(`../../${path}`, import.meta.url)), path).toBe(true)
  const { bin, scripts } = JSON.parse(read('package.json'))
  expect(text).toContain(`/opt/uwbench/${bin.uwbench.replace('./', '')}`)
  expect(scripts.build).toBeDefined()
  for (const name of ['.git', '.uwbench', '.env*', '*.key', '**/node_modules'])
    expect(read('.dockerignore').split('\n')).toContain(name)
})
