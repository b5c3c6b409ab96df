/**
 * A picture of one step of a method, from its declaration: a distribution p over six tokens, its reweighted versions q under three
 * keys, and the average over all codes that the key could have drawn. Mass that a token loses goes to the gaining tokens in proportion.
 */
import { keySchedule } from '../src/core/keys/schedule.ts'
import type { AnyMethod } from '../src/core/method/define-method.ts'
import { totalVariation } from '../src/core/stats/total-variation.ts'
import { type AnyWatermark, codeAt, weightedOrbit } from '../src/watermark.ts'

const P = Float64Array.of(0.3, 0.24, 0.18, 0.13, 0.09, 0.06)
const NAMES = ['A', 'B', 'C', 'D', 'E', 'F']
const SHOWN = 3
const CONTEXT = [1, 2]
const WIDTH = 640
const LEFT = 96
const BAR = 26
const FLOW = 54
const STEP = 2 * BAR + FLOW + 30

interface Result {
  readonly q: Float64Array
  /** Scores of the tokens under the code, from 0 for the smallest to 1 for the largest. */
  readonly scores: readonly number[]
}

function step(watermark: AnyWatermark, key: string): Result {
  const code = codeAt(watermark, keySchedule(key, watermark.domain), P.length, CONTEXT)
  const q = new Float64Array(P.length)
  watermark.reweight(P, code, q)
  const scores = NAMES.map((_, token) => watermark.score(token, code))
  const [low, high] = [Math.min(...scores), Math.max(...scores)]
  return { q, scores: scores.map((score) => (high > low ? (score - low) / (high - low) : 0)) }
}

interface Flow {
  readonly from: number
  readonly to: number
  readonly mass: number
}

/** Returns the mass that stays and the mass that moves: losers give to gainers in proportion to their gains. */
function flows(p: Float64Array, q: Float64Array): Flow[] {
  const gains = q.map((mass, i) => Math.max(0, mass - p[i]!))
  const gained = gains.reduce((sum, gain) => sum + gain, 0)
  const found: Flow[] = []
  for (let i = 0; i < p.length; i++)
    for (let j = 0; j < p.length; j++) {
      const mass = i === j ? Math.min(p[i]!, q[i]!) : (Math.max(0, p[i]! - q[i]!) * gains[j]!) / (gained || 1)
      if (mass > 1e-6) found.push({ from: i, to: j, mass })
    }
  return found
}

const x = (mass: number): number => LEFT + mass * (WIDTH - LEFT - 2)
const n = (value: number): string => value.toFixed(1)

/** Draws a bar of six tokens, shaded by their scores. */
function bar(masses: Float64Array, y: number, scores?: readonly number[]): string {
  let at = 0
  return Array.from(masses, (mass, i) => {
    const [from, to] = [x(at), x(at + mass)]
    at += mass
    if (mass < 1e-6) return ''
    const shade = scores === undefined ? 'p' : `q${Math.min(4, Math.floor(scores[i]! * 5))}`
    const name =
      to - from > 18
        ? `<text x="${n((from + to) / 2)}" y="${y + 18}" text-anchor="middle">${NAMES[i]}</text>`
        : ''
    return `<rect class="${shade}" x="${n(from)}" y="${y}" width="${n(to - from)}" height="${BAR}"/>${name}`
  }).join('')
}

function ribbons(p: Float64Array, q: Float64Array, y: number): string {
  const [out, into] = [startsOf(p), startsOf(q)]
  return flows(p, q)
    .map(({ from, to, mass }) => {
      const [a, b] = [x(out[from]!), x(out[from]! + mass)]
      const [c, d] = [x(into[to]!), x(into[to]! + mass)]
      out[from]! += mass
      into[to]! += mass
      const [top, bottom, middle] = [y, y + FLOW, y + FLOW / 2]
      const path = `M${n(a)} ${top}C${n(a)} ${middle} ${n(c)} ${middle} ${n(c)} ${bottom}L${n(d)} ${bottom}C${n(d)} ${middle} ${n(b)} ${middle} ${n(b)} ${top}Z`
      return `<path class="${from === to ? 'stays' : 'moves'}" d="${path}"/>`
    })
    .join('')
}

const startsOf = (masses: Float64Array): number[] => {
  let sum = 0
  return Array.from(masses, (mass) => {
    sum += mass
    return sum - mass
  })
}

/** Keys that an average is over, of methods with neither an orbit nor a list of codes. */
const KEYS = 20_000

/** Averages q over the orbit of a drawn code, over all codes of a method without orbits, or over sampled keys where codes cannot be listed. */
function average(watermark: AnyWatermark): Float64Array {
  const drawn = codeAt(watermark, keySchedule('key 1', watermark.domain), P.length, CONTEXT)
  const sampled = () =>
    Array.from({ length: KEYS }, (_, i) => {
      const code = codeAt(watermark, keySchedule(`key ${i}`, watermark.domain), P.length, CONTEXT)
      return { code, weight: 1 }
    })
  const listed = watermark.enumerate && (() => [...watermark.enumerate!(P.length)])
  const members = weightedOrbit(watermark, drawn, P) ?? (listed ?? sampled)()
  const total = members.reduce((sum, { weight }) => sum + weight, 0)
  const mean = new Float64Array(P.length)
  const q = new Float64Array(P.length)
  for (const { code, weight } of members) {
    watermark.reweight(P, code, q)
    for (let i = 0; i < q.length; i++) mean[i]! += (weight / total) * q[i]!
  }
  return mean
}

const inWords = (q: Float64Array): string =>
  Array.from(q, (mass, i) => `${NAMES[i]} ${mass.toFixed(2)}`).join(', ')
const label = (y: number, text: string): string => `<text class="label" x="0" y="${y + 18}">${text}</text>`

function verdict({ orbit, enumerate, target }: AnyWatermark, away: number): string {
  if (target) return `The last bar is the average, the law of the decoder ${target} without a watermark.`
  if (!orbit && !enumerate) return `The last bar is the average over ${KEYS.toLocaleString('en')} keys.`
  const over = orbit
    ? 'The last bar is the average over the orbit of the first code: the codes that the key could equally have drawn'
    : 'The last bar is the average over all codes'
  return away < 1e-12
    ? `${over}: exactly p, so the step is unbiased.`
    : `${over}: ${away.toFixed(3)} away from p in total variation, a bias that no number of keys removes.`
}

/** Draws the figure; colours come from the site's style. */
export function mechanism(method: AnyMethod): string {
  const watermark: AnyWatermark = method.usual(method.small)
  const steps = Array.from({ length: SHOWN }, (_, i) => step(watermark, `key ${i + 1}`))
  const mean = average(watermark)
  const strips = steps.map(({ q, scores }, i) => {
    const y = i * STEP
    return `${label(y, 'model p')}${bar(P, y)}${ribbons(P, q, y + BAR)}${label(y + BAR + FLOW, `key ${i + 1}: q`)}${bar(q, y + BAR + FLOW, scores)}`
  })
  const last = SHOWN * STEP
  const words = [
    `One step of ${watermark.id}.`,
    `Under the model: ${inWords(P)}.`,
    ...steps.map(({ q }, i) => `Under key ${i + 1}: ${inWords(q)}.`),
    `On average: ${inWords(mean)}.`,
  ].join(' ')
  return `<figure class="mechanism">
<svg viewBox="0 0 ${WIDTH} ${last + BAR}" role="img" aria-label="${words}">${strips.join('')}${label(last, 'average')}${bar(mean, last)}</svg>
<figcaption>How one step of <code>${watermark.id}</code> moves mass between six tokens, under three keys: grey mass stays with its token, violet mass moves to tokens that gain. A stronger colour means a higher score. ${verdict(watermark, totalVariation(mean, P))}</figcaption>
</figure>
`
}
