/**
 * Progress of a run: cells done, rate and time left. A terminal shows one line that updates in place; elsewhere a plain line is
 * printed at intervals. Time left is estimated from what cells of each kind have cost so far, not from their number.
 */
export interface Progress {
  /** A cell is done: what it cost, the seconds that the rest will take, where that is known, and a note on the workers. */
  done(label: string, cost: number, left?: number, note?: string): void
  warn(message: string): void
  end(): void
}

export interface ProgressOptions {
  readonly title: string
  readonly cells: number
  readonly cost: number
  readonly stream?: { isTTY?: boolean; columns?: number; write(text: string): unknown }
  readonly now?: () => number
  /** Milliseconds between plain lines. */
  readonly every?: number
  /** Seconds that other reports of the same run will take after this one, for the estimate of the whole. */
  readonly others?: () => number
}

/** `75 s` below two minutes, `12 min` above, `3.2 h` above two hours. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${Math.max(0, Math.round(seconds))} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}

export function progress(options: ProgressOptions): Progress {
  const { title, cells, cost, stream = process.stderr, now = Date.now, every = 15_000 } = options
  const began = now()
  let [finished, paid, printed] = [0, 0, began]
  let rest: number | undefined
  let workers = ''
  const line = (label: string): string => {
    const seconds = (now() - began) / 1000
    const own = rest ?? (paid > 0 ? (seconds / paid) * (cost - paid) : undefined)
    const whole =
      own === undefined || !options.others ? '' : `, ${duration(own + options.others())} for all reports`
    const left = own === undefined ? 'unknown time' : duration(own)
    const rate = seconds > 0 ? (finished / seconds).toFixed(finished / seconds < 10 ? 1 : 0) : '0'
    const share = rest === undefined ? paid / (cost || 1) : seconds / (seconds + rest || 1)
    const percent = Math.min(100, Math.floor(100 * (finished === cells ? 1 : share)))
    return `${title}: ${finished}/${cells} cells, ${percent}%, ${rate} cells/s, ${left} left${whole}${workers}${label && ` - ${label}`}`
  }
  const live = Boolean(stream.isTTY)
  return {
    done(label, spent, left, note = '') {
      finished++
      workers = note
      rest = left
      paid += spent
      if (live) stream.write(`\r\u001b[2K${line(label).slice(0, (stream.columns ?? 100) - 1)}`)
      else if (now() - printed >= every || finished === cells) {
        printed = now()
        stream.write(`${line('')}\n`)
      }
    },
    warn(message) {
      stream.write(`${live ? '\r\u001b[2K' : ''}${message}\n`)
    },
    end() {
      if (live) stream.write('\r\u001b[2K')
    },
  }
}
