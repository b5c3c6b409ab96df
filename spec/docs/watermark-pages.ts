/** The pages of docs/watermarks/: one per shipped method, and what follows from its declaration. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lawFor } from '../../src/detect/null-laws.ts'
import { keySchedule } from '../../src/keys/schedule.ts'
import { type AnyMethod, madeBy } from '../../src/method/define-method.ts'
import { claimOf, codeAt, weightedOrbit } from '../../src/watermark.ts'
import { type AnyWatermark, paperWatermarks, shippedMethods } from '../../src/watermarks/index.ts'
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

/** A page to begin with: what the header of the source says. */
function newPage({ method, file }: Page): string {
  const title = words(method.name).replace(/^./, (letter) => letter.toUpperCase())
  const parts = ['declaration', 'example'].map((name) => `<!-- ${name}:start -->\n<!-- ${name}:end -->\n`)
  return [`# ${title}\n`, `${headerOf(`src/watermarks/${file}.ts`)}\n`, ...parts].join('\n')
}

const textOf = (page: Page): string =>
  existsSync(pathOf(page)) ? readFileSync(pathOf(page), 'utf8') : newPage(page)

const titleOf = (page: Page): string => /^# (.*)$/m.exec(textOf(page))![1]!

/** The page with what code writes in it: read if it is there, else begun. */
export const written = (page: Page): { readonly path: string; readonly text: string } => ({
  path: pathOf(page),
  text: fill(textOf(page), { declaration: declaration(page), example: example(page) }),
})

const code = (text: string): string => `\`${text}\``
const VOCAB = 50_000

function nullLaw({ detector }: AnyWatermark): string {
  if (detector === undefined) return 'nothing to detect'
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

/** The options of the factory: what they accept, what is usual, what they mean. */
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

/** What the declaration says, and the options of the factory. */
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

/** q of each code, equal ones together, most weight first. */
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

const distance = (q: Float64Array): number => q.reduce((sum, mass, i) => sum + Math.abs(mass - P[i]!), 0) / 2

/** The orbit of one drawn code on (0.5, 0.3, 0.2); for a biased method every code. */
function example({ method }: Page): string {
  const small: AnyWatermark = method.usual(method.small)
  const drawn = codeAt(small, keySchedule('example', small.domain), P.length, [1, 2])
  const orbit = weightedOrbit(small, drawn, P)
  const list = shares(small, orbit ?? small.enumerate!(P.length))
  const average = averageOf(list)
  const away = distance(average)
  const what = orbit
    ? `On \`p = ${shown(P)}\` the orbit of one drawn code of \`${small.id}\`:`
    : `On \`p = ${shown(P)}\`, every code of \`${small.id}\`, equal results together:`
  const verdict =
    away < 1e-12
      ? 'which is `p`.'
      : `which is ${away.toPrecision(3)} away from \`p\` in total variation: a bias that no number of keys averages out.`
  return [
    what,
    table(
      ['weight', 'q'],
      list.map(({ weight, q }) => [`${+weight.toFixed(4)}`, shown(q)]),
    ),
    `The average is \`${shown(average)}\`, ${verdict}`,
  ].join('\n\n')
}

/** All methods, for the index. */
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
