/**
 * Progress of a run: cells done, rate and time left. A terminal shows one line that updates in place; elsewhere a plain line is
 * printed at intervals. Time left is estimated from the declared cost of cells, not from their number.
 */
export interface Progress {
  done(label: string, cost: number): void
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
  const line = (label: string): string => {
    const seconds = (now() - began) / 1000
    const left = paid > 0 ? duration((seconds / paid) * (cost - paid)) : 'unknown time'
    const rate = seconds > 0 ? (finished / seconds).toFixed(finished / seconds < 10 ? 1 : 0) : '0'
    const percent = Math.floor((100 * paid) / (cost || 1))
    return `${title}: ${finished}/${cells} cells, ${percent}%, ${rate} cells/s, ${left} left${label && ` - ${label}`}`
  }
  const live = Boolean(stream.isTTY)
  return {
    done(label, spent) {
      finished++
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
