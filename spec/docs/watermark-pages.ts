/** The pages of docs/watermarks/: one per shipped method, derived from its declaration. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lawFor } from '../../src/core/detect/null-laws.ts'
import { targetLaw } from '../../src/core/embed/target.ts'
import { keySchedule } from '../../src/core/keys/schedule.ts'
import { type AnyMethod, madeBy } from '../../src/core/method/define-method.ts'
import { totalVariation } from '../../src/core/stats/total-variation.ts'
import { claimOf, codeAt, weightedOrbit } from '../../src/watermark.ts'
import { type AnyWatermark, paperWatermarks, shippedMethods } from '../../src/watermarks/entry.ts'
import { root } from '../commands/program.ts'
import { headerOf } from './header-of.ts'
import { optionComments } from './option-comments.ts'
import { fill, table } from './parts.ts'

export interface Page {
  readonly method: AnyMethod
  /** The file in src/watermarks/ and, but for its ending, in docs/watermarks/. */
  readonly file: string
}

const words = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

export const pages: readonly Page[] = shippedMethods().map((method) => ({
  method,
  file: words(method.name).replaceAll(' ', '-'),
}))

const pathOf = ({ file }: Page): string => join(root, 'docs/watermarks', `${file}.md`)

/** Starts a page with the header of the source. */
function newPage({ method, file }: Page): string {
  const title = words(method.name).replace(/^./, (letter) => letter.toUpperCase())
  const parts = ['declaration', 'example'].map((name) => `<!-- ${name}:start -->\n<!-- ${name}:end -->\n`)
  return [`# ${title}\n`, `${headerOf(`src/watermarks/${file}.ts`)}\n`, ...parts].join('\n')
}

const textOf = (page: Page): string =>
  existsSync(pathOf(page)) ? readFileSync(pathOf(page), 'utf8') : newPage(page)

const titleOf = (page: Page): string => /^# (.*)$/m.exec(textOf(page))![1]!

/** Fills the generated parts of a page; starts the page if there is none. */
export const written = (page: Page): { readonly path: string; readonly text: string } => ({
  path: pathOf(page),
  text: fill(textOf(page), { declaration: declaration(page), example: example(page) }),
})

const code = (text: string): string => `\`${text}\``
const VOCAB = 50_000

function nullLaw({ detector }: AnyWatermark): string {
  if (detector === undefined) return 'nothing to detect'
  if (detector.id === 'checks') return 'parity checks, each obeyed with probability 1/2'
  if (detector.id === 'lists') return 'counted per token type over secret classes'
  if (detector.nullLaw === undefined) return 'permutation test under independent keys'
  const { name, exact } = lawFor(detector.nullLaw, VOCAB)
  return `${code(name)}${exact ? '' : ', a bound'}`
}

function scores({ detector }: AnyWatermark): string {
  if (detector === undefined) return 'none'
  return Number.isFinite(detector.bound) ? `in [0, ${detector.bound}]` : 'unbounded'
}

function reach({ context, detector }: AnyWatermark): string {
  if (detector === undefined) return 'nothing'
  return Number.isFinite(context.reach) ? `at most ${context.reach} scores` : 'any number of scores'
}

/** Lists the options of the factory: values, default, meaning. */
function options({ method }: Page): string {
  const comments = optionComments(method.name)
  const usual = madeBy(method.usual())!.values
  const rows = Object.entries(method.parameters).map(
    ([name, { expected, optional, about, ...parameter }]) => {
      const standard = optional ? parameter.usual(usual) : undefined
      return [
        code(optional ? `${name}?` : name),
        expected,
        standard === undefined ? '' : code(parameter.print(standard)),
        about ?? (comments.get(name) || (name === 'context' ? 'The context rule.' : '')),
      ]
    },
  )
  return table([`option of ${code(`${method.name}()`)}`, 'values', 'default', ''], rows)
}

/** Lists the facts of the declaration, and the options of the factory. */
function declaration(page: Page): string {
  const { method, file } = page
  const usual = method.usual()
  const rows = paperWatermarks().filter((watermark) => madeBy(watermark)!.method === method)
  const facts = [
    ['id', code(usual.id)],
    ['claim', usual.unbiased ? claimOf(usual) : 'biased: a control'],
    ['randomness from', code(usual.context.id)],
    ['detector', usual.detector?.id ?? 'none'],
    ['null law of a score', nullLaw(usual)],
    ['scores', scores(usual)],
    ['one edit touches', reach(usual)],
    ['rows of the paper', rows.map(({ id }) => code(id)).join(', ') || 'none'],
    ['source file', `[src/watermarks/${file}.ts](../../src/watermarks/${file}.ts)`],
  ]
  return [
    table(['declared', ''], facts),
    ...(Object.keys(method.parameters).length > 0 ? [options(page)] : []),
  ].join('\n\n')
}

const P = Float64Array.from([0.5, 0.3, 0.2])
const shown = (q: ArrayLike<number>): string =>
  `(${Array.from(q, (mass) => `${+mass.toFixed(4)}`).join(', ')})`

interface Share {
  weight: number
  readonly q: Float64Array
}

/** Groups codes by q, largest weight first. */
function shares(watermark: AnyWatermark, members: Iterable<{ code: unknown; weight: number }>): Share[] {
  const byQ = new Map<string, Share>()
  for (const member of members) {
    const q = new Float64Array(P.length)
    watermark.reweight(P, member.code, q)
    const share = byQ.get(shown(q)) ?? { weight: 0, q }
    share.weight += member.weight
    byQ.set(shown(q), share)
  }
  return [...byQ.values()].sort((a, b) => b.weight - a.weight || (shown(a.q) < shown(b.q) ? 1 : -1))
}

const averageOf = (list: readonly Share[]): Float64Array =>
  P.map((_, i) => list.reduce((sum, { weight, q }) => sum + weight * q[i]!, 0))

/** Keys whose codes are drawn where neither an orbit nor a list of codes is declared. */
const KEYS = 20_000

const drawnCode = (watermark: AnyWatermark, key: string): unknown =>
  codeAt(watermark, keySchedule(key, watermark.domain), P.length, [1, 2])

function* drawnCodes(watermark: AnyWatermark): Generator<{ code: unknown; weight: number }> {
  for (let i = 0; i < KEYS; i++) yield { code: drawnCode(watermark, `example ${i}`), weight: 1 / KEYS }
}

/** Says what an exact average is. */
function verdictOf(average: Float64Array, law: Float64Array, name: string): string {
  const away = totalVariation(average, law)
  return away < 1e-12
    ? `which is ${name}.`
    : `which is ${away.toPrecision(3)} away from ${name} in total variation: a bias that no number of keys averages out.`
}

/** Lists the orbit of one drawn code on (0.5, 0.3, 0.2); without an orbit every code, or the codes of many keys. */
function example({ method }: Page): string {
  const small: AnyWatermark = method.usual(method.small)
  const orbit = weightedOrbit(small, drawnCode(small, 'example'), P)
  const exact = orbit ?? small.enumerate?.(P.length)
  const list = shares(small, exact ?? drawnCodes(small))
  const average = averageOf(list)
  const target = targetLaw(small, P)
  const name = small.target === undefined ? '`p`' : `the law of ${small.target}`
  const what = orbit
    ? `On \`p = ${shown(P)}\` the orbit of one drawn code of \`${small.id}\`:`
    : `On \`p = ${shown(P)}\`, ${exact ? 'every code' : `the codes of ${KEYS.toLocaleString('en')} keys`} of \`${small.id}\`, grouped by result:`
  const verdict = exact
    ? verdictOf(average, target, name)
    : `over those keys; ${name} is \`${shown(target)}\`.`
  return [
    what,
    table(
      ['weight', 'q'],
      list.map(({ weight, q }) => [`${+weight.toFixed(4)}`, shown(q)]),
    ),
    `The average is \`${shown(average)}\`, ${verdict}`,
  ].join('\n\n')
}

/** Lists all methods, for the index. */
export const list = (): string =>
  table(
    ['method', 'claim', 'randomness from', 'null law of a score', 'scores'],
    pages.map((page) => {
      const usual: AnyWatermark = page.method.usual()
      return [
        `[${titleOf(page)}](${page.file}.md)`,
        claimOf(usual),
        code(usual.context.id),
        nullLaw(usual),
        scores(usual),
      ]
    }),
  )
