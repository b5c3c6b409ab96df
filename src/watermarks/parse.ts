/** Reads `method(name=value,...)` and `rule(value,name=value,...)`: the inverse of `id`. */
import { outOfRange, wrongType } from '../input.ts'
import { fixed } from '../keys/fixed.ts'
import { ngram } from '../keys/ngram.ts'
import { prefix } from '../keys/prefix.ts'
import type { ContextRule } from '../keys/rule.ts'
import { sequence } from '../keys/sequence.ts'
import { synthidContexts } from '../reference/context.ts'

type Value = number | string | boolean

interface Call {
  readonly name: string
  /** The argument without a name, as in `ngram(2)`. */
  readonly first?: Value
  readonly options: Record<string, Value>
}

const value = (text: string): Value => {
  if (text === 'true' || text === 'false') return text === 'true'
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}

/** Splits at commas that stand outside parentheses. */
function splitArguments(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let i = 0; i <= text.length; i++) {
    if (text[i] === '(') depth++
    if (text[i] === ')') depth--
    if (i === text.length || (text[i] === ',' && depth === 0)) {
      parts.push(text.slice(start, i).trim())
      start = i + 1
    }
  }
  return parts.filter((part) => part !== '')
}

export function parseCall(what: string, text: unknown): Call {
  if (typeof text !== 'string') throw wrongType(what, 'a string such as dipmark(alpha=0.4)', text)
  const match = /^\s*([A-Za-z]\w*)\s*(?:\(([\s\S]*)\))?\s*$/.exec(text)
  if (match === null) throw outOfRange(what, 'a name such as dipmark(alpha=0.4)', text)
  const options: Record<string, Value> = {}
  let first: Value | undefined
  for (const part of splitArguments(match[2] ?? '')) {
    const equals = part.indexOf('=')
    if (equals < 0 || (part.indexOf('(') < equals && part.includes('('))) first = value(part)
    else options[part.slice(0, equals).trim()] = value(part.slice(equals + 1).trim())
  }
  return { name: match[1]!, first, options }
}

/** The shipped context rules by name. */
const rules: Record<string, (call: Call) => ContextRule> = {
  ngram: ({ first, options }) => ngram(first as number, options),
  fixed: () => fixed(),
  sequence: ({ options }) => sequence(options as { length: number }),
  prefix: ({ options }) => prefix(options as { entropy: number }),
  synthidContexts: ({ options }) => synthidContexts(options),
}

/** @example parseRule('ngram(4,repeated=reuse)').id // 'ngram(4,repeated=reuse)' */
export function parseRule(text: unknown): ContextRule {
  const call = parseCall('context', text)
  const make = rules[call.name]
  if (make === undefined) throw outOfRange('context', `one of ${Object.keys(rules).join(', ')}`, text)
  return make(call)
}
