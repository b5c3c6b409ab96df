import { iterable, number, oneOf, refuseUnknown, wrongType } from '../../input.ts'
import { logMeanExp } from './e-process.ts'

export interface CombineOptions {
  /**
   * 'any' (the default): the parts may depend on each other in any way, and e-values are averaged. 'independent': e-values are multiplied. Texts
   * under different keys are independent; so are watermarks of different domains. Texts under one key are independent only if they share
   * no context.
   */
  readonly dependence?: 'any' | 'independent'
}

/** Evidence about one text, key or watermark: what `stream` and `combine` give, or `detect`. */
export type EvidencePart = { readonly logEValue: number } | { readonly logPValue: number }

/** Evidence of all parts together. */
export interface CombinedEvidence {
  /** Its mean is at most 1 if no part is marked. */
  readonly eValue: number
  readonly logEValue: number
  /** 1 / eValue, at most 1: P(pValue <= a) <= a if no part is marked. */
  readonly pValue: number
  readonly logPValue: number
}

/**
 * ln of the e-value of a p-value: the average of the calibrators k p^(k-1) over k in (0, 1), (1 - p + p ln p) / (p ln(p)^2).
 * Its mean is 1 for a uniform p, and at most 1 for every valid one.
 */
function logCalibrated(logP: number): number {
  // near p = 1 the formula is 0/0; the series of (1 - p + p ln p) / (p L^2) with L = -ln p is 1/2 + L/6 + L^2/24 + ...
  if (logP > -1e-3) return Math.log(1 / 2 - logP / 6 + logP ** 2 / 24)
  return Math.log(-Math.expm1(logP) + logP * Math.exp(logP)) - logP - 2 * Math.log(-logP)
}

function logEValueOf(part: unknown, i: number): number {
  if (typeof part !== 'object' || part === null)
    throw wrongType(`parts[${i}]`, 'what stream, detect or combine gives', part)
  const { logEValue, logPValue } = part as { logEValue?: unknown; logPValue?: unknown }
  if (logEValue !== undefined)
    return number(`parts[${i}].logEValue`, logEValue, Number.NEGATIVE_INFINITY, Number.MAX_VALUE)
  return logCalibrated(number(`parts[${i}].logPValue`, logPValue, -Number.MAX_VALUE, 0))
}

/**
 * Adds up evidence over texts, keys, watermarks or tenants: what p-values alone do not allow where they depend on each other. Results can be
 * combined again: average over the texts of each key, then multiply over keys.
 * @example
 * const options = { key: 'a secret of sixteen bytes', vocabSize: 50257 }
 * const texts = [1, 2, 3].map((i) => Array.from({ length: 100 }, (_, t) => (i * t * t) % 997))
 * combine(detectMany(gumbel(), texts, options)).pValue // 1: nothing is marked
 */
export function combine(parts: Iterable<EvidencePart>, options: CombineOptions = {}): CombinedEvidence {
  refuseUnknown('combine', options, ['dependence'])
  const dependence = oneOf('dependence', options.dependence ?? 'any', ['any', 'independent'])
  const expected = 'results of stream, detect or combine that can be iterated'
  const logs: number[] = []
  for (const part of iterable('parts', parts, expected)) logs.push(logEValueOf(part, logs.length))
  const product = (): number => logs.reduce((sum, log) => sum + log, 0)
  const logEValue = dependence === 'independent' || logs.length === 0 ? product() : logMeanExp(logs)
  const logPValue = Math.min(0, 0 - logEValue)
  return { eValue: Math.exp(logEValue), logEValue, pValue: Math.exp(logPValue), logPValue }
}
