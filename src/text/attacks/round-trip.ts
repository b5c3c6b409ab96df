import { text as checkText, requireOptions } from '../../input.ts'
import type { TextAttack } from './attack.ts'

/**
 * Round-trip translation with Apertium (Forcada et al., 2011), a rule-based translator: from English to another language and back.
 * It needs no model and no network, keeps most content words and breaks most n-grams. The program and a pair of languages have
 * to be installed: on Debian, the packages apertium and apertium-eng-spa. Node is imported on first use.
 */
export interface RoundTripOptions {
  /** The other language, as Apertium names its pairs: `eng-spa` and `spa-eng` for `spa`. Default 'spa'. */
  readonly through?: string
}

/** The most that one call may print, and how long it may take. */
const LIMITS = { maxBuffer: 2 ** 28, timeout: 600_000 }

/** Runs the program and returns what it prints. */
async function apertium(...args: string[]): Promise<string> {
  const { execFile } = await import('node:child_process')
  return new Promise((done, fail) => {
    execFile('apertium', args, LIMITS, (error, stdout, stderr) => {
      if (error === null) return done(stdout)
      const missing = error.code === 'ENOENT' ? 'it is not installed' : undefined
      const reason = missing ?? (stderr.trim().split('\n')[0] || error.message)
      const hint = 'apt-get install apertium apertium-eng-spa'
      fail(new Error(`cannot run apertium (${reason}): ${hint}`, { cause: error }))
    })
  })
}

/**
 * Tells whether a round trip through the language can be made on this machine.
 * @example typeof (await hasRoundTrip('spa')) // 'boolean'
 */
export async function hasRoundTrip(through = 'spa'): Promise<boolean> {
  const list = await apertium('-l').catch(() => '')
  const pairs = list.split(/\s+/)
  return pairs.includes(`eng-${through}`) && pairs.includes(`${through}-eng`)
}

/** Writes control characters, which would end a line or a stream, as spaces. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, ' ')

/** Blanks that Apertium leaves where words moved. */
const tidied = (line: string): string => line.replace(/(\S) {2,}/g, '$1 ').replace(/ ([,.;:!?])/g, '$1')

/**
 * Translates lines. Apertium ends a sentence at a blank line but not at a line break: without blank lines, words would move from one text
 * to the next. Through files: the program opens its input by name, which a pipe of Node does not have.
 */
async function translate(lines: readonly string[], direction: string): Promise<string[]> {
  const { mkdtemp, readFile, rm, writeFile } = await import('node:fs/promises')
  const { tmpdir } = await import('node:os')
  const { join } = await import('node:path')
  const folder = await mkdtemp(join(tmpdir(), 'uwbench-apertium-'))
  const [from, to] = [join(folder, 'from'), join(folder, 'to')]
  try {
    await writeFile(from, `${lines.join('\n\n')}\n\n`)
    await apertium('-u', direction, from, to)
    const found = (await readFile(to, 'utf8')).replace(/\n\n$/, '').split('\n\n')
    if (found.length !== lines.length)
      throw new Error(`apertium ${direction}: expected ${lines.length} lines, got ${found.length}`)
    return found.map(tidied)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Translates a text and translates it back, with the external program Apertium.
 * @example roundTrip().id // 'roundTrip(through=spa)'
 */
export function roundTrip(
  options: RoundTripOptions = {},
): TextAttack & Required<Pick<TextAttack, 'applyAll'>> {
  requireOptions('roundTrip', options, ['through'])
  const { through = 'spa' } = options
  checkText('through', through, 100)
  if (!/^[a-z]{2,3}(_[A-Za-z]+)?$/.test(through))
    throw new RangeError(`through: expected a language of Apertium such as 'spa', got '${through}'`)
  const applyAll: TextAttack['applyAll'] & object = async (texts) => {
    const paragraphs = texts.map(({ text }) => checkText('text', text).split('\n').map(printable))
    const lines = paragraphs.flat().filter((line) => line.trim() !== '')
    if (lines.length === 0) return texts.map(({ text }) => text)
    const back = await translate(await translate(lines, `eng-${through}`), `${through}-eng`)
    let at = 0
    return paragraphs.map((own) => own.map((line) => (line.trim() === '' ? line : back[at++])).join('\n'))
  }
  return {
    id: `roundTrip(through=${through})`,
    applyAll,
    apply: async (text, options) => (await applyAll([{ text, options }]))[0]!,
  }
}
