/** Reads the ids of context rules. */

import type { ContextRule } from '../core/keys/index.ts'
import { fixed, ngram, prefix, sequence } from '../core/keys/index.ts'
import { type Call, parseCall } from '../core/method/index.ts'
import { didYouMean, outOfRange, refuseUnknown } from '../input.ts'
import { sglangContexts, synthidContexts, textsealContexts, vllmContexts } from './published/context.ts'

interface ReadableRule {
  /** Parameters that have a name. */
  readonly takes: readonly string[]
  /** True if the first parameter has no name. */
  readonly first?: boolean
  make(first: Call['first'], options: Call['options']): ContextRule
}

/** The shipped context rules by name. */
const rules: Readonly<Record<string, ReadableRule>> = {
  ngram: {
    first: true,
    takes: ['repeated', 'short'],
    make: (first, options) => ngram(first as number, options),
  },
  fixed: { takes: [], make: () => fixed() },
  sequence: { takes: ['length'], make: (_, options) => sequence(options as { length: number }) },
  prefix: { takes: ['entropy'], make: (_, options) => prefix(options as { entropy: number }) },
  synthidContexts: {
    takes: ['ngramLength', 'history', 'skipFirst', 'prompt'],
    make: (_, options) => synthidContexts(options),
  },
  sglangContexts: { takes: ['window'], make: (_, options) => sglangContexts(options) },
  textsealContexts: { takes: ['ngram'], make: (_, options) => textsealContexts(options) },
  vllmContexts: { takes: ['width', 'history'], make: (_, options) => vllmContexts(options) },
}

/** @example parseRule('ngram(4,repeated=reuse)').id // 'ngram(4,repeated=reuse)' */
export function parseRule(text: unknown): ContextRule {
  const { name, first, options } = parseCall('context', text)
  const rule = Object.hasOwn(rules, name) ? rules[name]! : undefined
  if (rule === undefined) {
    const known = Object.keys(rules)
    const { message } = outOfRange('context', `one of ${known.join(', ')}`, text)
    throw new RangeError(`${message}${didYouMean(name, known)}`)
  }
  if (first !== undefined && !rule.first)
    throw outOfRange('context', `${name} with named parameters${rule.takes.map((p) => ` ${p}`)}`, text)
  refuseUnknown(name, options, rule.takes, 'parameter')
  return rule.make(first, options)
}
