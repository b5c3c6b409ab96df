/** The time that one cell may take, so that a step without end fails with its name instead of stopping the whole run. */
import { wrongType } from '../../input.ts'

/** Four hours: a cell of the embedded scale takes seconds; those of the paper's scale have never been timed. */
const CELL_SECONDS = 4 * 3600

/** The longest time of a timer in seconds (2^31 - 1 milliseconds, 24 days); longer limits are not set. */
const MAX_TIMER_SECONDS = 2_147_483

/**
 * Seconds that one cell may take: `UWBENCH_CELL_SECONDS`, four hours by default, 0 for no limit.
 * @example cellSeconds({ UWBENCH_CELL_SECONDS: '60' }) // 60
 */
export function cellSeconds(env: Readonly<Record<string, string | undefined>> = process.env): number {
  const text = env.UWBENCH_CELL_SECONDS
  if (!text) return CELL_SECONDS
  const seconds = Number(text)
  if (!(seconds >= 0)) throw wrongType('UWBENCH_CELL_SECONDS', 'a number of seconds, or 0 for no limit', text)
  return seconds === 0 ? Number.POSITIVE_INFINITY : seconds
}

const tooLong = (seconds: number): string =>
  `no result within ${seconds} s; raise UWBENCH_CELL_SECONDS if it needs longer`

/** Calls `expired` after `seconds`, unless cleared before. */
export class TimeLimit {
  readonly #timer: NodeJS.Timeout | undefined

  constructor(seconds: number, expired: (error: Error) => void, message = tooLong(seconds)) {
    if (seconds > MAX_TIMER_SECONDS) return
    this.#timer = setTimeout(() => expired(new Error(message)), 1000 * seconds)
  }

  clear(): void {
    clearTimeout(this.#timer)
  }
}

/** Returns the value of a promise, or fails after `seconds`. Code that never yields to the event loop cannot be interrupted. */
export async function within<T>(seconds: number, work: Promise<T> | T, message?: string): Promise<T> {
  let limit: TimeLimit | undefined
  const expired = new Promise<never>((_, reject) => {
    limit = new TimeLimit(seconds, reject, message)
  })
  try {
    return await Promise.race([work, expired])
  } finally {
    limit?.clear()
  }
}
