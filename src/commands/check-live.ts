/** Verdicts on a terminal, each as its law finishes: what it promises, on what the verdict rests, and how long the rest takes. */
import { duration } from '../bench/progress.ts'
import type { LawResult } from '../laws/law.ts'
import { promiseOf, usualSeconds } from './promises.ts'

/** Columns of a terminal that every line fits. */
export const MAX_COLUMNS = 80

/** Words on lines of at most 80 columns, each line after the first with an indent. */
export function wrap(text: string, first: string, indent: string): string {
  const lines: string[] = []
  let line = first
  for (const word of text.split(' ').filter(Boolean)) {
    const joined = line.trim() === '' || line.endsWith(' ') ? `${line}${word}` : `${line} ${word}`
    if (joined.length <= MAX_COLUMNS || line.trim() === '') line = joined
    else {
      lines.push(line)
      line = `${indent}${word}`
    }
  }
  return [...lines, line].join('\n')
}

const marks = { holds: ['32', '\u2713'], fails: ['31', '\u2717'], 'not applicable': ['90', '-'] } as const

export interface LiveOptions {
  readonly colours: boolean
  /** Names of the laws that will be checked, in order. */
  readonly laws: readonly string[]
  readonly now?: () => number
}

/** Text of a live check: a block per result, and a line about what is going on, which the next block replaces. */
export function liveCheck({ colours, laws, now = () => performance.now() }: LiveOptions) {
  const paint = (code: string, text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text)
  const began = now()
  let paid = 0
  const whole = laws.reduce((sum, law) => sum + usualSeconds(law), 0)
  // a terminal without colours may not know how to clear a line either
  const clear = colours ? '\r\u001b[2K' : ''
  const status = (done: number): string => {
    const next = laws[done]
    if (next === undefined || !colours) return ''
    const left = paid > 0 ? ((now() - began) / 1000 / paid) * (whole - paid) : undefined
    const time = left === undefined ? '' : `, about ${duration(left)} left`
    return paint('90', `  law ${done + 1} of ${laws.length}: ${next}${time}`.slice(0, MAX_COLUMNS - 1))
  }
  return {
    result({ law, verdict, detail }: LawResult, evidence: string, done: number): string {
      paid += usualSeconds(law)
      const [code, mark] = marks[verdict]
      const why = verdict === 'not applicable' ? detail : verdict === 'holds' ? evidence : 'broken, see below'
      const promise = promiseOf(law)
      const parts = [
        `${paint(code, `  ${mark} ${law}`)}`,
        ...(promise === '' ? [] : [wrap(promise, '    ', '    ')]),
        ...(why === '' ? [] : [paint('90', wrap(why, '    ', '    '))]),
      ]
      // the line about what was going on is overwritten
      return `${clear}${parts.join('\n')}\n${status(done)}`
    },
    end: (): string => clear,
  }
}

/** A message of labelled lines that fits the terminal; labels stay in their column. */
export const fitted = (message: string): string =>
  message
    .split('\n')
    .map((line) => {
      const labelled = /^( {2}[a-z ]+: +)(.*)$/.exec(line)
      if (line.length <= MAX_COLUMNS) return line
      return labelled
        ? wrap(labelled[2]!, labelled[1]!, ' '.repeat(labelled[1]!.length))
        : wrap(line.trim(), '', '  ')
    })
    .join('\n')
