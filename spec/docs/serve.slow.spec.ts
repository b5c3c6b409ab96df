/** docs/serve.md: the examples run as printed, against the server that the page starts. */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { build, plainEnvironment, program, root, temporaryFolder } from '../commands/program.ts'
import { blocksOf, newProject, runBlocks } from './blocks.ts'

const folder = temporaryFolder('serve-page')
const page = join(root, 'docs/serve.md')
const blocks = blocksOf(readFileSync(page, 'utf8'))

/** The words of the command that starts the server, as the page prints it. */
const command = [
  ...blocks
    .find(({ text }) => text.includes('npx uwbench serve'))!
    .text.split('npx uwbench ')[1]!
    .trim()
    .matchAll(/'([^']*)'|(\S+)/g),
].map(([, quoted, plain]) => quoted ?? plain!)

let stop = (): void => {}
afterAll(() => stop())

beforeAll(() => {
  build()
  newProject(folder, ['openai'])
})

test('the page says what to install, and docs/install.md says the same', () => {
  const [, named] = /npm install (hono .*)/.exec(readFileSync(page, 'utf8'))!
  const install = readFileSync(join(root, 'docs/install.md'), 'utf8')
  expect(install).toContain(`| \`uwbench serve\` | a server for clients of OpenAI's API | \`${named}\` |`)
  expect(named!.split(' ')).toContain('@huggingface/transformers')
})

test('blocks run, and print what is shown', async () => {
  // of the toy kind, so that the outcome is the same in every run
  writeFileSync(join(folder, 'key'), 'the secret key of the page')
  writeFileSync(join(folder, 'token'), 'sesame\n')
  const child = spawn(process.execPath, [program, ...command, '--port', '0'], {
    cwd: folder,
    env: plainEnvironment(),
  })
  stop = () => void child.kill('SIGKILL')
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (data) => resolve(/http:\/\/[\d.:]+/.exec(String(data))![0]))
    child.on('exit', () => reject(new Error('the server ended')))
  })
  const here = blocks.map((block) => ({
    ...block,
    text: block.text.replaceAll('http://127.0.0.1:8000', url),
  }))
  expect(here.filter(({ text }) => text.includes(url))).toHaveLength(4)
  expect(runBlocks(here, folder)).toEqual(new Map())
  expect(readFileSync(join(folder, 'evaluation.txt'), 'utf8')).toContain('synthid(layers=20)')
  expect(readFileSync(join(folder, 'audit.txt'), 'utf8')).toContain('3 prompts')
})
