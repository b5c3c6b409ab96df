/** Code blocks of docs/ run as printed, and links lead somewhere. The README has a spec of its own. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { anchorOf } from '../../site/markdown.ts'
import { build, root, temporaryFolder } from '../commands/program.ts'
import { blocksOf, newProject, runBlocks, withBlocks } from './blocks.ts'

const files = ['docs', 'docs/api', 'docs/watermarks']
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
  .filter((name) => name.endsWith('.md'))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const folder = temporaryFolder('pages')

beforeAll(() => build())

const run = [
  'adversaries',
  'detection',
  'embedding',
  'gate',
  'keys',
  'orbit',
  'published',
  'vllm',
  'server',
  'texts',
  'own-model',
  'own-prompts',
  'command-line',
  'scale',
].map((name) => `docs/${name}.md`)

test.each(run)(
  '%s: blocks run, and print what is shown',
  async (file) => {
    const project = join(folder, basename(file, '.md'))
    newProject(project)
    const printed = runBlocks(blocksOf(read(file)), project)
    await expect(withBlocks(read(file), printed)).toMatchFileSnapshot(join(root, file))
  },
  120_000,
)

test.each([...files, 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'])(
  '%s: links lead somewhere',
  (file) => {
    for (const [, target] of read(file).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [path, anchor] = target!.split('#')
      const to = path === '' ? file : join(dirname(file), path!)
      expect(existsSync(join(root, to)), target).toBe(true)
      if (anchor === undefined) continue
      const headings = [...read(to).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading!))
      expect(headings, target).toContain(anchor)
    }
  },
)
