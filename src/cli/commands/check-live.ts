/** Verdicts on a terminal, each as its law finishes: the promise of the law, the evidence, and the time left. */
import { duration } from '../../bench/cells/index.ts'
import type { LawResult } from '../../gate/laws/index.ts'
import { MAX_COLUMNS, wrap } from './output.ts'

/** The promise of each law, in words for newcomers. */
const promises: Readonly<Record<string, string>> = {
  'reweight gives a distribution': 'The reweighted probabilities are a distribution: none negative, sum 1.',
  'same key, same result': 'The same key gives the same result every time; detection depends on it.',
  'unbiased, exactly':
    'Averaged over the codes that a key could draw, tokens keep their probabilities. Computed.',
  'the orbit is honest': 'The codes declared equally likely are equally likely, so the exact test counts.',
  'unbiased over keys': 'The same with real secret keys and large vocabularies, sampled.',
  'unbiased over texts': 'Whole texts keep their probabilities, not only single tokens.',
  'equal pairs': 'Tokens of long texts do not agree with each other more often than the model says.',
  'warped first, then marked':
    'Top-k and temperature come before the watermark; after it they would bias it.',
  'the null law is right': 'Text without the watermark gets a small p-value as rarely as the p-value says.',
  detectable: 'Watermarked text is detected.',
  drift: 'A detectable watermark shows if you ask one prompt often under one key.',
  'an edit reaches as far as declared':
    'Changing one token touches only as many scores as the method declares.',
  'the certificate holds': 'Texts within the certified number of edits are still detected.',
  'unbiased for every message': 'Tokens keep their probabilities whatever message the text carries.',
  "speculation keeps the target's law":
    'Drafts of a small model do not change the probabilities of the large one.',
  'a message is decoded': 'Marked text gives its message back.',
  'no message in unmarked text': 'Text without the mark is not said to carry a message.',
  'shown biased': 'A method that declares a bias has one, and the suite sees it.',
}

/** Returns the promise of a law; empty for a law without one. */
export const promiseOf = (law: string): string => promises[law] ?? ''

/** Seconds in a check of a shipped method on one core, where not 0.1. Only their ratios matter, for the time left. */
const typicalSeconds: Readonly<Record<string, number>> = {
  'the orbit is honest': 0.5,
  'unbiased over keys': 5,
  'unbiased over texts': 0.6,
  'equal pairs': 3,
  'warped first, then marked': 1,
  'the null law is right': 2,
  drift: 1,
  'the certificate holds': 0.8,
}

const secondsOf = (law: string): number => typicalSeconds[law] ?? 0.1

const marks = { holds: ['32', '\u2713'], fails: ['31', '\u2717'], 'not applicable': ['90', '-'] } as const

export interface LiveOptions {
  readonly colours: boolean
  /** Names of the laws to check, in order. */
  readonly laws: readonly string[]
  readonly now?: () => number
}

/** Renders a live check: a block per result, then a status line, which the next block replaces. */
export function liveCheck({ colours, laws, now = () => performance.now() }: LiveOptions) {
  const paint = (code: string, text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text)
  const began = now()
  let finished = 0
  const total = laws.reduce((sum, law) => sum + secondsOf(law), 0)
  // a terminal without colours may not know how to clear a line either
  const clear = colours ? '\r\u001b[2K' : ''
  const status = (done: number): string => {
    const next = laws[done]
    if (next === undefined || !colours) return ''
    const left = finished > 0 ? ((now() - began) / 1000 / finished) * (total - finished) : undefined
    const time = left === undefined ? '' : `, about ${duration(left)} left`
    return paint('90', `  law ${done + 1} of ${laws.length}: ${next}${time}`.slice(0, MAX_COLUMNS - 1))
  }
  return {
    result({ law, verdict, detail }: LawResult, evidence: string, done: number): string {
      finished += secondsOf(law)
      const [code, mark] = marks[verdict]
      const why = verdict === 'not applicable' ? detail : verdict === 'holds' ? evidence : 'broken, see below'
      const promise = promiseOf(law)
      const parts = [
        `${paint(code, `  ${mark} ${law}`)}`,
        ...(promise === '' ? [] : [wrap(promise, '    ', '    ')]),
        ...(why === '' ? [] : [paint('90', wrap(why, '    ', '    '))]),
      ]
      return `${clear}${parts.join('\n')}\n${status(done)}`
    },
    end: (): string => clear,
  }
}

/** Fits a message of labelled lines into the terminal; labels stay in their column. */
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
