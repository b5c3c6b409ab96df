/**
 * What reports say in words: functions of a few facts each, so that they are right for any number of methods, none and one
 * included, and can be tested on all of them.
 */
import { counted, listed, verb } from '../report/sentence.ts'
import { median } from '../stats/index.ts'

/** Lists of more names than this become a count. */
const MAX_NAMES = 4

export interface Finding {
  readonly label: string
  readonly unbiased: boolean
  /** Whether the effect was found: a difference, a drift. */
  readonly seen: boolean
}

export interface Rate {
  readonly label: string
  /** Share of texts that are detected. */
  readonly rate: number
}

interface Does {
  readonly one: string
  readonly many: string
  readonly not: string
}

/** `none of the 11 unbiased methods differs`, `2 of the 11 unbiased methods differ (A and B)`; undefined where there are none. */
function shareOf(found: readonly Finding[], kind: string, does: Does): string | undefined {
  const seen = found.filter((one) => one.seen)
  const [count, all] = [seen.length, found.length]
  if (all === 0) return undefined
  if (all === 1) return `the ${kind} method ${found[0]!.label} ${count === 1 ? does.one : does.not}`
  if (count === 0) return `none of the ${all} ${kind} methods ${does.one}`
  if (count === all) return `${all === 2 ? 'both' : `all ${all}`} ${kind} methods ${does.many}`
  const names = listed(seen.map(({ label }) => label))
  return `${count} of the ${all} ${kind} methods ${verb(count, does.one, does.many)} (${names})`
}

const split = (found: readonly Finding[]) => ({
  unbiased: found.filter((one) => one.unbiased),
  biased: found.filter((one) => !one.unbiased),
})

/** Methods that claim to be unbiased on texts up to a length only, shortest first: a sentence for each length, none where there are none. */
export function limitedClaims(
  methods: readonly { label: string; unbiased: boolean; unbiasedUpTo?: number | undefined }[],
): string[] {
  const limited = methods.filter(({ unbiased, unbiasedUpTo }) => unbiased && unbiasedUpTo !== undefined)
  const lengths = [...new Set(limited.map(({ unbiasedUpTo }) => unbiasedUpTo!))].sort((a, b) => a - b)
  return lengths.map((length) => {
    const labels = limited.filter(({ unbiasedUpTo }) => unbiasedUpTo === length).map(({ label }) => label)
    return `${listed(labels)} ${verb(labels.length, 'claims', 'claim')} to be unbiased on texts of at most ${counted(length, 'token')}: beyond that codes are used again.`
  })
}

/** Table 1: which methods differ from no watermark. */
export function oneShotSentence(found: readonly Finding[], falseAlarm: number): string {
  const does = { one: 'differs', many: 'differ', not: 'does not differ' }
  const { unbiased, biased } = split(found)
  const parts = [shareOf(unbiased, 'unbiased', does), shareOf(biased, 'biased', does)]
  const said = parts.filter((part) => part !== undefined).join('; ')
  return `One-shot quality, against no watermark at a family-wise rate of ${falseAlarm.toExponential()}: ${said || 'no methods were compared'}.`
}

/** Table 2: which methods drift. Only a drift that was seen speaks for Theorem 1. */
export function repeatedSentence(found: readonly Finding[], prompts: number, texts: number): string {
  const does = { one: 'drifts visibly', many: 'drift visibly', not: 'does not drift visibly' }
  const { unbiased, biased } = split(found)
  const theorem = unbiased.some(({ seen }) => seen)
    ? ', as Theorem 1 says that detectable ones do in the end'
    : ''
  const first = shareOf(unbiased, 'unbiased', does)
  const parts = [first && `${first}${theorem}`, shareOf(biased, 'biased', does)]
  const said = parts.filter((part) => part !== undefined).join('; ')
  const design = `${counted(prompts, 'prompt')}, ${counted(texts, 'text')} each, one key, 1% per method`
  return `Repeated prompts (${design}): ${said || 'no methods were measured'}.`
}

const percent = (rate: number): string => `${(100 * rate).toFixed(0)}%`

/** `A and B`, or `7 methods` where that would be a long list. */
const names = (list: readonly { readonly label: string }[]): string =>
  list.length > MAX_NAMES ? counted(list.length, 'method') : listed(list.map(({ label }) => label))

/** `90%`, or `90% to 80%`. */
function span(list: readonly Rate[]): string {
  const rates = list.map(({ rate }) => rate)
  const [high, low] = [percent(Math.max(...rates)), percent(Math.min(...rates))]
  return high === low ? high : `${high} to ${low}`
}

/** The methods with the highest and with the lowest rates: never one in both, equals never apart. */
function extremes(list: readonly Rate[]): { best: readonly Rate[]; least: readonly Rate[] } {
  const sorted = [...list].sort((a, b) => b.rate - a.rate)
  const from = sorted[Math.min(3, Math.ceil(sorted.length / 2)) - 1]!.rate
  const to = sorted.at(-Math.min(2, Math.floor(sorted.length / 2)))!.rate
  const [top, bottom] = from > to ? [from, to] : [sorted[0]!.rate, sorted.at(-1)!.rate]
  return {
    best: sorted.filter(({ rate }) => rate >= top),
    least: sorted.filter(({ rate }) => rate <= bottom),
  }
}

/** What there is to say of rates that are all the same; undefined where they are not. */
function allAlike(list: readonly Rate[], still: string): string | undefined {
  const [first] = list
  if (!first) return 'no methods were tested'
  if (list.some(({ rate }) => rate !== first.rate)) return undefined
  const who = list.length > 2 ? `all ${list.length} methods` : listed(list.map(({ label }) => label))
  return `${who} ${verb(list.length, 'is', 'are')} ${still}detected in ${percent(first.rate)} of texts`
}

/** Table 3: who is detected most often and who least. */
export function detectabilitySentence(list: readonly Rate[], fpr: string): string {
  const head = `Detectability at FPR ${fpr}`
  const alike = allAlike(list, '')
  if (alike) return `${head}: ${alike}.`
  const { best, least } = extremes(list)
  const most = `${names(best)} ${verb(best.length, 'is', 'are')} detected most often (in ${span(best)} of texts)`
  return `${head}: ${most}, ${names(least)} least often (in ${span(least)}).`
}

/** Tables 4 to 6: who survives an attack. */
export function robustnessSentence(list: readonly Rate[], fpr: string, attack: string): string {
  const head = `Robustness at FPR ${fpr}, after ${attack}`
  const alike = allAlike(list, 'still ')
  if (alike) return `${head}: ${alike}.`
  const top = Math.max(...list.map(({ rate }) => rate))
  const best = list.filter(({ rate }) => rate === top)
  const middle = percent(median(list.map(({ rate }) => rate)))
  return `${head}: ${names(best)} ${verb(best.length, 'is', 'are')} still detected in ${percent(top)} of texts; the median over ${counted(list.length, 'method')} is ${middle}.`
}

export interface Scored {
  readonly label: string
  readonly scores: Readonly<Record<string, number>>
}

/** The methods with the highest score of an axis. */
function leaders(list: readonly Scored[], axis: string): { best: readonly Scored[]; score: string } {
  const top = Math.max(...list.map(({ scores }) => scores[axis]!))
  return { best: list.filter(({ scores }) => scores[axis] === top), score: top.toFixed(3) }
}

const ownScores = ({ scores }: Scored, axes: readonly string[]): string =>
  listed(axes.map((axis) => `${axis} ${scores[axis]!.toFixed(3)}`))

/** Table 7: the highest scores. */
export function scoresSentence(list: readonly Scored[], axes: readonly string[]): string {
  if (list.length === 0) return 'Scores: no methods were measured.'
  if (list.length === 1) return `Scores of ${list[0]!.label}: ${ownScores(list[0]!, axes)}.`
  const parts = axes.map((axis) => {
    const { best, score } = leaders(list, axis)
    return `${axis} ${score} (${names(best)})`
  })
  return `Highest scores: ${listed(parts)}.`
}

/** Figure 1: whether one method leads on all axes. */
export function axesSentence(list: readonly Scored[], axes: readonly string[]): string {
  if (list.length === 0) return 'No methods were measured.'
  if (list.length === 1) return `Only ${list[0]!.label} was measured: ${ownScores(list[0]!, axes)}.`
  const led = axes.map((axis) => ({ axis, ...leaders(list, axis) }))
  const everywhere = list.filter((one) => led.every(({ best }) => best.includes(one)))
  if (everywhere.length > 0)
    return `${names(everywhere)} ${verb(everywhere.length, 'leads', 'lead')} on all axes: ${ownScores(everywhere[0]!, axes)}.`
  const parts = led.map(
    ({ axis, best, score }, i) =>
      `${names(best)} ${i === 0 ? `${verb(best.length, 'has', 'have')} ` : ''}the highest ${axis} (${score})`,
  )
  return `No method leads on all axes: ${listed(parts)}.`
}

interface Deviation {
  readonly label: string
  readonly value: number
}

/** Figure 2: how much p-values vary under rewriting and under the strongest replacement. */
export function spreadSentence(rewriting: Deviation | undefined, replacement: Deviation | undefined): string {
  const known = [rewriting, replacement].filter((one): one is Deviation => Number.isFinite(one?.value))
  if (known.length === 0) return 'Spread of p-values: nothing was measured.'
  const said = known.map(
    ({ label, value }, i) =>
      `${i === 0 ? 'p-values have a standard deviation of ' : ''}${value.toFixed(3)} under ${label}`,
  )
  // a ratio to what is printed as 0.000 would say nothing
  const ratio = known.length === 2 && known[1]!.value >= 5e-4 ? known[0]!.value / known[1]!.value : undefined
  return `Spread: ${listed(said)}${ratio === undefined ? '' : `, a ratio of ${ratio.toFixed(1)}; the paper says about four`}.`
}

export interface Agreement {
  readonly label: string
  readonly rho?: { readonly rho: number; readonly low: number; readonly high: number }
}

/** How well the ranking of each axis agrees with the paper's. */
export function agreementSentence(list: readonly Agreement[]): string {
  const head = "Agreement with the paper's ranking of methods"
  if (list.every(({ rho }) => rho === undefined))
    return `${head}: not computed, since too few of the methods are in the paper or their scores do not differ.`
  const said = list.map(({ label, rho }) =>
    rho
      ? `${label} ρ = ${rho.rho.toFixed(2)} [${rho.low.toFixed(2)}, ${rho.high.toFixed(2)}]`
      : `${label}: not computed`,
  )
  return `${head}: ${said.join('; ')}.`
}

interface FalsePositives {
  readonly label: string
  readonly guaranteed: boolean
  /** Measured at a nominal 5% on prose by people, by kind of text. */
  readonly shares: readonly {
    readonly label: string
    readonly value: number
    readonly low: number
    readonly high: number
  }[]
  /** Measured at a nominal 5% on unwatermarked texts of the model. */
  readonly unmarked: number
}

/** How often tests are wrong at a nominal 5%: the worst published one, then the worst guaranteed one. */
export function falsePositivesSentence(list: readonly FalsePositives[]): string[] {
  const head = 'False positives at a nominal 5%'
  const worst = (some: readonly FalsePositives[]) =>
    some.reduce<FalsePositives | undefined>(
      (most, one) => ((one.shares[0]?.value ?? 0) > (most?.shares[0]?.value ?? -1) ? one : most),
      undefined,
    )
  const one = (x: number) => `${(100 * x).toFixed(1)}%`
  const said = ({ label, shares, unmarked }: FalsePositives): string =>
    `${label}: ${[
      ...shares.map(
        (share) =>
          `${one(share.value)} [${one(share.low)}, ${one(share.high)}] on prose by people (${share.label})`,
      ),
      `${one(unmarked)} on unwatermarked texts of the model`,
    ].join(', ')}`
  const published = worst(list.filter(({ guaranteed }) => !guaranteed))
  const guaranteed = worst(list.filter((test) => test.guaranteed))
  if (!guaranteed) return [`${head}: no methods were tested.`]
  const highest = `Of the guaranteed detectors the highest is ${said(guaranteed)}.`
  return published ? [`${head}. ${said(published)}.`, highest] : [`${head}. ${highest}`]
}

interface Counts {
  readonly agree: number
  readonly all: number
}

/** The audit: which published scores follow from the published figures, and what else does not fit. */
export function auditSentences(
  scores: readonly (Counts & { readonly axis: string })[],
  broken: number,
  claims: { readonly fail: number; readonly all: number },
): string[] {
  const said = scores.map(({ axis, agree, all }) => `${agree} of ${all} ${axis} scores`)
  const pairs = `${broken === 0 ? 'No' : broken} ${verb(broken, 'pair of rates is', 'pairs of rates are')} in an impossible order`
  const refuted = `${claims.fail} of ${counted(claims.all, 'sentence')} that the tables can decide ${verb(claims.fail, 'fails', 'fail')}, as printed or recomputed`
  return [
    `Audit of the published tables: recomputed from the paper's own figures, ${listed(said)} agree with table 7.`,
    `${claims.all === 0 ? pairs : `${pairs}; ${refuted}`}.`,
  ]
}
