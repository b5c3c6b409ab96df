import { outOfRange, printable, refuseUnknown, wrongType } from '../../input.ts'
import { type Declaration, type Detector, isFunction, type Watermark } from '../../watermark.ts'

const FIELDS = [
  'id',
  'domain',
  'unbiased',
  'unbiasedUpTo',
  'seedBits',
  'target',
  'needsKey',
  'keyOf',
  'context',
  'draw',
  'reweight',
  'choose',
  'score',
  'detector',
  'orbit',
  'enumerate',
  'markedScore',
  'speculative',
  'fast',
]

const isLengthOrNothing = (value: unknown): boolean =>
  value === undefined || (Number.isInteger(value) && Number(value) >= 1)

/** For each reweight that was made from a choose, that choose. */
const chosenBy = new WeakMap<object, unknown>()

/** Returns the reweight of a point mass. */
function pointMass<Code>(choose: (p: Float64Array, code: Code) => number): Watermark<Code>['reweight'] {
  const reweight: Watermark<Code>['reweight'] = (p, code, q) => {
    q.fill(0)
    q[choose(p, code)] = 1
  }
  chosenBy.set(reweight, choose)
  return reweight
}

function validate(d: Record<string, unknown>): void {
  const fail = (field: string, expected: string): never => {
    throw wrongType(`defineWatermark: ${field}`, expected, d[field])
  }
  if (typeof d.id !== 'string' || d.id.trim() === '') fail('id', 'a printable name')
  if (typeof d.unbiased !== 'boolean') fail('unbiased', 'true or false')
  if (d.seedBits !== undefined && !(Number(d.seedBits) > 0 && Number(d.seedBits) <= 1024))
    fail('seedBits', 'a number of bits, more than 0')
  const roles = d.speculative as Record<string, unknown> | undefined
  if (
    roles !== undefined &&
    !['draft', 'accept', 'recover', 'bonus'].every((role) => isFunction(roles?.[role]))
  )
    fail('speculative', 'functions draft, accept, recover and bonus')
  if (!isLengthOrNothing(d.unbiasedUpTo)) fail('unbiasedUpTo', 'an integer of at least 1')
  if (d.target !== undefined && d.target !== 'permute-and-flip') fail('target', "'permute-and-flip'")
  // NUL separates domains from what the key schedule adds to them
  for (const name of ['domain', 'id'])
    if (d[name] !== undefined && (typeof d[name] !== 'string' || d[name].includes('\0')))
      fail(name, 'a string without NUL characters')
  const rule = d.context as Record<string, unknown> | undefined
  if (!isFunction(rule?.begin) || !isFunction(rule?.scored))
    fail('context', 'a context rule such as ngram(2)')
  if (!isLengthOrNothing(rule?.freshUpTo))
    fail('context', 'a context rule whose freshUpTo is an integer of at least 1')
  if (!isFunction(d.draw)) fail('draw', 'a function (random, vocabSize, site) => code')
  if (!isFunction(d.score)) fail('score', 'a function (token, code) => number')
  // the reweight of a complete watermark that has both was made from its choose
  const written = isFunction(d.reweight) && !chosenBy.has(d.reweight as object)
  if (written === isFunction(d.choose))
    fail(
      d.reweight === undefined ? 'choose' : 'reweight',
      'either reweight(p, code, q) or choose(p, code), not both',
    )
  const detector = d.detector as Record<string, unknown> | undefined
  if (detector !== undefined && !isFunction(detector?.test))
    fail('detector', 'a detector such as sumDetector({ nullLaw: binomial(1 / 2) }), or undefined')
  const { context } = d as unknown as Watermark
  if (isFunction(detector?.follows) && !(detector as unknown as Detector).follows!(context))
    throw outOfRange(
      `${printable(d.id as string)}: context`,
      `a rule that a detector of the kind '${detector!.id}' can follow${context.foundBy ? ` (this one takes '${context.foundBy}')` : ''}`,
      context.id,
    )
  if (d.needsKey !== undefined && typeof d.needsKey !== 'boolean') fail('needsKey', 'true or false')
  const marked = d.markedScore as Record<string, unknown> | undefined
  if (marked !== undefined && !(isFunction(marked?.mean) && isFunction(marked.tail)))
    fail('markedScore', 'an object with the functions mean(p) and tail(p, s)')
  if (d.fast !== undefined && Object(d.fast) !== d.fast) fail('fast', 'an object or nothing')
  for (const field of ['orbit', 'enumerate', 'keyOf'])
    if (d[field] !== undefined && !isFunction(d[field])) fail(field, 'a function or nothing')
}

/** Checks a declaration and completes it: the rest of `defineWatermark`, and all of it for methods, whose fields are known. */
export function complete<Code>(declaration: Declaration<Code>): Watermark<Code> {
  validate(declaration as unknown as Record<string, unknown>)
  const { draw, score, choose, markedScore, fast } = declaration
  const reweight =
    choose === undefined || (declaration.reweight && chosenBy.get(declaration.reweight) === choose)
      ? declaration.reweight!
      : pointMass(choose)
  const of = { draw, reweight, score }
  return {
    ...declaration,
    domain: declaration.domain ?? declaration.id,
    reweight,
    ...(markedScore && { markedScore: { of, ...markedScore } }),
    ...(fast && { fast: { of, ...fast } }),
  }
}

/**
 * Declares a watermark.
 * @example
 * const isGreen = (token, random) => random.uint32(token) >>> 31
 * const mine = defineWatermark({
 *   id: 'mine',
 *   unbiased: true,
 *   context: ngram(2),
 *   draw: (random) => random,
 *   reweight(p, random, q) {
 *     const green = p.reduce((sum, mass, i) => sum + mass * isGreen(i, random), 0)
 *     for (let i = 0; i < p.length; i++) q[i] = p[i] * (isGreen(i, random) + 1 - green)
 *   },
 *   score: isGreen,
 *   detector: sumDetector({ nullLaw: binomial(1 / 2), bound: 1 }),
 * })
 * mine.domain // 'mine': separates its randomness from that of other methods
 */
export function defineWatermark<Code>(declaration: Declaration<Code>): Watermark<Code> {
  if (typeof declaration !== 'object' || declaration === null)
    throw wrongType('defineWatermark', 'a declaration', declaration)
  refuseUnknown('defineWatermark', declaration, FIELDS)
  return complete(declaration)
}
