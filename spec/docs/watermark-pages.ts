/** The parts of docs/watermarks/ that follow from the declarations. */
import { lawFor } from '../../src/detect/null-laws.ts'
import { keySchedule } from '../../src/keys/schedule.ts'
import { claimOf, weightedOrbit } from '../../src/watermark.ts'
import {
  type AnyWatermark,
  christ,
  deltaReweight,
  dipmark,
  expEdit,
  gammaReweight,
  gumbel,
  itsEdit,
  kgw,
  mcmark,
  paperWatermarks,
  sta1,
  synthid,
  unigram,
  unwatermarked,
} from '../../src/watermarks/index.ts'
import { membersOf } from './interfaces.ts'
import { table } from './parts.ts'

export interface Page {
  /** The file in src/watermarks/ and, but for its ending, in docs/watermarks/. */
  readonly file: string
  readonly title: string
  /** The setting of the table. */
  readonly usual: AnyWatermark
  /** The setting of the worked example, where the usual one has too many codes to list. */
  readonly small?: AnyWatermark
}

export const pages: readonly Page[] = [
  { file: 'gumbel', title: 'Gumbel', usual: gumbel() },
  { file: 'gamma-reweight', title: 'Gamma-reweight', usual: gammaReweight() },
  { file: 'delta-reweight', title: 'Delta-reweight', usual: deltaReweight() },
  { file: 'dipmark', title: 'DiPmark', usual: dipmark({ alpha: 0.4 }) },
  { file: 'mcmark', title: 'MCmark', usual: mcmark({ channels: 20 }), small: mcmark({ channels: 3 }) },
  { file: 'synthid', title: 'SynthID Text', usual: synthid(), small: synthid({ layers: 2 }) },
  { file: 'sta1', title: 'STA-1', usual: sta1() },
  { file: 'its-edit', title: 'ITS-Edit', usual: itsEdit() },
  { file: 'exp-edit', title: 'EXP-Edit', usual: expEdit() },
  { file: 'christ', title: 'Christ, Gunn and Zamir', usual: christ() },
  { file: 'kgw', title: 'KGW', usual: kgw({ delta: 2 }) },
  { file: 'unigram', title: 'Unigram', usual: unigram({ delta: 2 }) },
  { file: 'unwatermarked', title: 'No watermark', usual: unwatermarked() },
]

const code = (text: string): string => `\`${text}\``
const methodOf = (id: string): string => id.replace(/\(.*/, '')
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

/** What the declaration says, and the options of the factory. */
export function declaration({ file, usual }: Page): string {
  const method = methodOf(usual.id)
  const rows = paperWatermarks().filter(({ id }) => methodOf(id) === method)
  const options = membersOf(
    `src/watermarks/${file}.ts`,
    `${method[0]!.toUpperCase()}${method.slice(1)}Options`,
  )
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
  const parameters = options.map(({ name, type, optional, comment }) => [
    code(optional ? `${name}?` : name),
    code(type),
    comment || (name === 'context' ? `The context rule. Default ${code(usual.context.id)}.` : ''),
  ])
  return [
    table(['declared', ''], facts),
    ...(parameters.length > 0 ? [table([`option of ${code(`${method}()`)}`, 'type', ''], parameters)] : []),
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
export function example({ usual, small = usual }: Page): string {
  const { random, shared, key } = keySchedule('example', small.domain)
  const drawn = small.draw(random([1, 2]), P.length, { shared, context: [1, 2], key })
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
    pages.map((page) => [
      `[${page.title}](${page.file}.md)`,
      claimOf(page.usual),
      code(page.usual.context.id),
      nullLaw(page.usual),
      scores(page.usual),
    ]),
  )
