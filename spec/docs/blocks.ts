/**
 * Code blocks of a Markdown file, and how they are run. A block's language says how; words after it say more:
 *
 *   js            runs as a module          js file=NAME   is written to NAME for later blocks
 *   sh            runs in bash              html           is opened in a browser by the test that asks for it
 *   text          directly after a block that ran: what it printed; ... stands for anything within a line; with the word
 *                 `numbers=any` its numbers are those of the last `npm run docs`, and only the rest is compared
 *   anything else, or the word `show`: only shown
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { linkPackages, plainEnvironment, program, root } from '../commands/program.ts'

export interface Block {
  readonly language: string
  readonly words: readonly string[]
  readonly text: string
  /** The heading above it. */
  readonly heading: string
  readonly line: number
}

/** All fenced blocks, in order. */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  const lines = markdown.split('\n')
  let heading = ''
  for (let i = 0; i < lines.length; i++) {
    if (/^#+ /.test(lines[i]!)) heading = lines[i]!.replace(/^#+ /, '')
    const fence = /^```(\S*)\s*(.*)$/.exec(lines[i]!)
    if (fence === null) continue
    const end = lines.indexOf('```', i + 1)
    if (end < 0) throw new Error(`line ${i + 1}: a code block that does not end`)
    const text = lines
      .slice(i + 1, end)
      .map((line) => `${line}\n`)
      .join('')
    blocks.push({
      language: fence[1]!,
      words: fence[2]!.split(/\s+/).filter(Boolean),
      text,
      heading,
      line: i + 1,
    })
    i = end
  }
  return blocks
}

/** A project of somebody who installed the package, its peers and more. */
export function newProject(folder: string, more: readonly string[] = []): void {
  linkPackages(folder, ['vitest', 'fast-check', '@huggingface/transformers', '@noble/hashes', ...more])
  const bin = join(folder, 'node_modules/.bin')
  mkdirSync(bin)
  symlinkSync(program, join(bin, 'uwbench'))
  symlinkSync(join(root, 'node_modules/vitest/vitest.mjs'), join(bin, 'vitest'))
  // as `npm init -y` writes it with npm 11: .js is CommonJS
  writeFileSync(
    join(folder, 'package.json'),
    '{ "name": "project", "version": "1.0.0", "type": "commonjs" }\n',
  )
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** What `text` stands for: itself, with ... for anything within a line. */
const pattern = (text: string): RegExp =>
  new RegExp(`^${escaped(text.trim()).replaceAll('\\.\\.\\.', '[^\\n]*')}$`)

const withoutNumbers = (text: string): string =>
  text.replaceAll(/-?\d+(\.\d+)?(e-?\d+)?(\/\d+|(:\d+)+)?/g, '#').replaceAll(/ +/g, ' ')

/** Whether a `text` block still says what was printed. */
function says({ text, words }: Block, printed: string, update: boolean): boolean {
  if (words.includes('numbers=any') && !update) return withoutNumbers(text.trim()) === withoutNumbers(printed)
  return pattern(text).test(printed)
}

const isShown = ({ language, words }: Block): boolean =>
  !['js', 'sh'].includes(language) || words.includes('show')

/** What is tested are the blocks, not the gate. */
const optionsOf = (folder: string) =>
  ({ cwd: folder, encoding: 'utf8', env: plainEnvironment({ UWBENCH_EFFORT: 'quick' }) }) as const

function runBlock({ language, words, text }: Block, folder: string): string | undefined {
  const name = words.find((word) => word.startsWith('file='))?.slice(5)
  if (name !== undefined) {
    writeFileSync(join(folder, name), text)
    return undefined
  }
  const file = join(folder, language === 'sh' ? 'block.sh' : 'block.mjs')
  writeFileSync(file, language === 'sh' ? `set -e\n${text}` : text)
  const done = spawnSync(language === 'sh' ? 'bash' : process.execPath, [file], optionsOf(folder))
  if (done.status !== 0) throw new Error(`exit code ${done.status}\n${done.stdout}\n${done.stderr}`)
  // readers copy keys: an example must not show one that is warned about
  if (/this key has fewer than/.test(done.stderr)) throw new Error(done.stderr.trim())
  return done.stdout
}

/**
 * Runs the blocks in order in one project.
 * @param update whether the documentation is being written anew
 * @returns for each `text` block, by its line, what was printed before it, where that is not what it says
 */
export function runBlocks(blocks: readonly Block[], folder: string, update = false): Map<number, string> {
  const differing = new Map<number, string>()
  let printed: string | undefined
  for (const block of blocks) {
    const { language, words, line } = block
    if (language === 'text' && printed !== undefined && !words.includes('show'))
      if (!says(block, printed.trim(), update)) differing.set(line, `${printed.trim()}\n`)
    printed = undefined
    if (isShown(block)) continue
    try {
      printed = runBlock(block, folder)
    } catch (error) {
      throw new Error(`the block at line ${line} fails: ${(error as Error).message}`)
    }
  }
  return differing
}

/** The Markdown with some blocks replaced, by their line. */
export function withBlocks(markdown: string, texts: ReadonlyMap<number, string>): string {
  const lines = markdown.split('\n')
  for (const { line, text } of [...blocksOf(markdown)].reverse()) {
    const fresh = texts.get(line)
    if (fresh !== undefined) lines.splice(line, text.split('\n').length - 1, ...fresh.trimEnd().split('\n'))
  }
  return lines.join('\n')
}
