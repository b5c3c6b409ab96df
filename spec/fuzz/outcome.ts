/** What came of a call: a result, an error that helps, or one that does not. */
import { EndlessError, OwnError } from './hostile.ts'

export type Kind =
  | 'result'
  | 'clear error'
  | "the value's own error"
  | 'raw error'
  | 'not a number'
  | 'too slow'

export interface Outcome {
  readonly kind: Kind
  readonly detail: string
}

/** The longest that a call may take, in milliseconds of processor time. */
const MAX_MILLISECONDS = 2000

/** Messages of the language itself: they name no argument and no expectation. */
const RAW =
  /Cannot (read|set|mix|convert|destructure|perform|use|access|assign|define|freeze|create|delete|add)|is not (a function|iterable|defined|a constructor|extensible|an? (object|array))|not a function or its return|object is not|Maximum call stack|Invalid (array|typed array|count|string|Date|time|time value)|Reduce of empty|allocation failed|out of memory|is read.only|Class constructor|Derived|must be (an?|of)|called on (null|incompatible)|Found non-callable|cyclic|circular|Unexpected token|The number .* cannot be converted|wasm|unreachable|memory access/i

/** `argument: expected X, got Y`, or another sentence that says what is expected. */
const CLEAR =
  /: expected .*, got |unknown (option|parameter|law) |expected|needs|declares no detector|at least|at most|must not|no such|has no /

const textOf = (error: unknown): string => {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  } catch {
    return 'an error that cannot be shown'
  }
}

function classifyError(error: unknown): Outcome {
  if (error instanceof EndlessError) return { kind: 'too slow', detail: 'without an end' }
  if (error instanceof OwnError) return { kind: "the value's own error", detail: '' }
  const detail = textOf(error).slice(0, 300)
  // what a revoked proxy throws at the first touch is its own, too, and so is what a class says when it is called
  if (/on a proxy that has been revoked|Class constructors? .*invoked without 'new'/.test(detail))
    return { kind: "the value's own error", detail }
  const clear = error instanceof Error && CLEAR.test(error.message) && !RAW.test(error.message)
  return { kind: clear ? 'clear error' : 'raw error', detail }
}

/** The first NaN in a result, a few levels down; scores of tokens that are not scored are NaN by definition. */
function findNaN(value: unknown, allowed: ReadonlySet<string>, depth = 3): boolean {
  if (typeof value === 'number') return Number.isNaN(value)
  if (typeof value !== 'object' || value === null || depth === 0) return false
  if (ArrayBuffer.isView(value)) return value instanceof Float64Array && value.some(Number.isNaN)
  return Object.entries(value).some(
    ([name, inner]) => !allowed.has(name) && findNaN(inner, allowed, depth - 1),
  )
}

const MAY_BE_NAN = new Set(['perToken'])

interface CallTraits {
  readonly mayBeNaN?: boolean
  /** Whether the hostile value is a function in the place of one: what it computes or throws is the caller's. */
  readonly ownCode?: boolean
}

/** Calls, waits, and says what came of it. */
export async function outcomeOf(
  call: () => unknown,
  { mayBeNaN = false, ownCode = false }: CallTraits,
): Promise<Outcome> {
  const start = process.cpuUsage()
  let outcome: Outcome
  try {
    const result = await call()
    outcome =
      !mayBeNaN && findNaN(result, MAY_BE_NAN)
        ? { kind: 'not a number', detail: 'NaN in the result' }
        : { kind: 'result', detail: '' }
  } catch (error) {
    outcome = classifyError(error)
  }
  if (ownCode && (outcome.kind === 'raw error' || outcome.kind === 'not a number')) {
    outcome = { kind: "the value's own error", detail: outcome.detail }
  }
  const { user, system } = process.cpuUsage(start)
  const milliseconds = (user + system) / 1000
  return milliseconds > MAX_MILLISECONDS
    ? { kind: 'too slow', detail: `${Math.round(milliseconds)} ms, then ${outcome.kind}` }
    : outcome
}
