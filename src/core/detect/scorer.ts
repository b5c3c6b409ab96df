import { codeAt, type Evidence, fastScores, type Watermark } from '../../watermark.ts'
import { Expansion } from '../keys/random.ts'
import type { Tokens } from '../keys/rule.ts'
import { type Context, type KeySchedule, keySchedule, type SecretKey, secretOf } from '../keys/schedule.ts'
import { warnOfShortKey } from '../keys/short-key.ts'

/** Codes and scores under a key (run 0), and under the independent keys of permutation runs. */
export interface Scorer<Code> extends Pick<Evidence, 'score' | 'scores' | 'scoresUnder'> {
  /** The code of a context. One randomness serves all positions: use a code before you ask for the next. */
  codeOf(context: Context, run?: number): Code
  /** The score of each token whose context is there, NaN elsewhere: all codes are seeded at once. */
  scoreEach(tokens: Tokens, contexts: readonly (Context | undefined)[]): Float64Array
}

/** The parts of a watermark that its scores depend on. */
export type Scored<Code> = Pick<Watermark<Code>, 'domain' | 'draw' | 'score' | 'needsKey' | 'keyOf' | 'fast'>

/** Makes codes of contexts and scores of tokens under one key, by the fast paths of the watermark where it has any. */
export function scorer<Code>(
  watermark: Scored<Code>,
  key: SecretKey | undefined,
  vocabSize: number,
): Scorer<Code> {
  const schedules: KeySchedule[] = []
  const random = new Expansion()
  const secret = secretOf(watermark, key)
  if (!watermark.needsKey) warnOfShortKey(secret) // published formats fix the length
  const { scoreMany, scoreEach } = fastScores(watermark)
  const scheduleOf = (run: number): KeySchedule => {
    schedules[run] ??= keySchedule(secret, watermark.domain, run)
    return schedules[run]
  }
  const codeOf = (context: Context, run = 0): Code => {
    const schedule = scheduleOf(run)
    return codeAt(watermark, schedule, vocabSize, context, schedule.random(context, random))
  }
  return {
    codeOf,
    score: (token, context, run) => watermark.score(token, codeOf(context, run)),
    scores(tokens, context, run, out) {
      const code = codeOf(context, run)
      if (scoreMany) scoreMany(tokens, code, out)
      else for (let i = 0; i < tokens.length; i++) out[i] = watermark.score(tokens[i]!, code)
      return out
    },
    scoresUnder(tokens, contexts, out) {
      const schedule = scheduleOf(0)
      const keys = schedule.roundKeys(contexts)
      const own = (i: number): Code =>
        codeAt(watermark, schedule, vocabSize, contexts[i]!, random.rekey(keys, 4 * i))
      if (scoreEach) scoreEach(tokens, own, out)
      else for (let i = 0; i < tokens.length; i++) out[i] = watermark.score(tokens[i]!, own(i))
      return out
    },
    scoreEach(tokens, contexts) {
      const out = new Float64Array(tokens.length).fill(Number.NaN)
      const schedule = scheduleOf(0)
      const keys = schedule.roundKeys(contexts)
      let at = 0
      let last: Context | undefined
      let code: Code
      for (let t = 0; t < tokens.length; t++) {
        const context = contexts[t]
        if (context === undefined) continue
        if (context !== last) {
          code = codeAt(watermark, schedule, vocabSize, context, random.rekey(keys, at))
          at += 4
          last = context
        }
        out[t] = watermark.score(tokens[t]!, code!)
      }
      return out
    },
  }
}
