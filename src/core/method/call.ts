/** Reads `name(value,name=value,...)`: the form of ids of watermarks, of context rules and of attacks. */
import { outOfRange, wrongType } from '../../input.ts'

type Value = number | string | boolean

export interface Call {
  readonly name: string
  /** The argument without a name, as in `ngram(2)`. */
  readonly first?: Value
  readonly options: Readonly<Record<string, Value>>
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

/** The longest id that is read. */
const MAX_ID = 10_000

/**
 * Reads an id; `what` is its name in errors.
 * @example parseCall('watermark', 'dipmark(alpha=0.4)').options // { alpha: 0.4 }
 */
export function parseCall(what: string, text: unknown, example = 'dipmark(alpha=0.4)'): Call {
  if (typeof text !== 'string') throw wrongType(what, `a string such as ${example}`, text)
  if (text.length > MAX_ID) throw outOfRange(what, `at most ${MAX_ID} characters`, `${text.length} of them`)
  const match = /^([A-Za-z]\w*)\s*(?:\(([\s\S]*)\))?$/.exec(text.trim())
  if (match === null) throw outOfRange(what, `a name such as ${example}`, text)
  const options: Record<string, Value> = Object.create(null)
  let first: Value | undefined
  for (const part of splitArguments(match[2] ?? '')) {
    const equals = part.indexOf('=')
    if (equals < 0 || (part.indexOf('(') < equals && part.includes('('))) {
      if (first !== undefined) throw outOfRange(what, 'at most one parameter without a name', text)
      first = value(part)
      continue
    }
    const name = part.slice(0, equals).trim()
    if (Object.hasOwn(options, name)) throw outOfRange(what, `${name} once`, text)
    options[name] = value(part.slice(equals + 1).trim())
  }
  return { name: match[1]!, first, options }
}
