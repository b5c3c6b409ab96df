/** `checkTestee`: every law that applies to a testee, without a test runner. */
import { printable } from '../../input.ts'
import { allLaws } from '../laws/all-laws.ts'
import { type CheckOptions, checkLaw, type Settings, settingsOf } from '../laws/check.ts'
import { type Law, type LawResult, notApplicable } from '../laws/law.ts'
import { quoted, replayedBy } from '../laws/render.ts'
import { LARGEST } from '../laws/sizes.ts'
import { Connection } from './connection.ts'
import { afterSomeTokens, testeeWatermark } from './declaration.ts'
import { type TesteeCommand, TesteeFailure } from './process.ts'
import type { TesteeInfo } from './protocol.ts'

/** A testee with state is told every text from its beginning: larger vocabularies would take hours. */
const MAX_WITH_STATE = 1500

/** Laws about what only a declaration says. */
const ABOUT_DECLARATIONS = new Map([
  ['unbiased, exactly', 'a testee has no orbit; tested over keys instead'],
  ['the orbit is honest', 'a testee has no orbit'],
  ['an edit reaches as far as declared', 'a testee declares no reach'],
  ['the certificate holds', 'a testee declares no bound of scores'],
])
/** A law that looks at one position of a text. */
const OF_ONE_POSITION = 'reweight gives a distribution'
/** Laws that need the testee's marks, and those that need its detector as well. */
const OF_MARKS = [
  OF_ONE_POSITION,
  'same key, same result',
  'unbiased over keys',
  'unbiased over texts',
  'equal pairs',
  'warped first, then marked',
  'shown biased',
]
const OF_BOTH = ['detectable', 'drift']

/** Why a law does not apply to a testee; undefined where it does. */
function inapplicable({ name }: Law, { capabilities }: TesteeInfo): string | undefined {
  const [reweights, samples, detects] = (['reweight', 'sample', 'detect'] as const).map((one) =>
    capabilities.includes(one),
  )
  const marks = reweights || samples
  if (ABOUT_DECLARATIONS.has(name)) return ABOUT_DECLARATIONS.get(name)
  if (!marks && (OF_MARKS.includes(name) || OF_BOTH.includes(name)))
    return 'the testee can neither reweight nor sample'
  if (!detects && OF_BOTH.includes(name)) return 'the testee cannot detect'
  if (!reweights && name === 'drift') return 'the testee samples; this law needs q'
  return undefined
}

export interface OpenTestee {
  readonly info: TesteeInfo
  /** A law's verdict on the testee; counterexamples come with a command that replays them. */
  check(law: Law, settings: Settings): Promise<LawResult>
  /** Ends the testee. */
  close(): void
}

/** Starts a testee; a TesteeFailure where it cannot be started or breaks the protocol. */
export function openTestee(testee: TesteeCommand): OpenTestee {
  const connection = new Connection(testee)
  const { info } = connection
  const watermark = testeeWatermark(connection)
  const largest =
    info.state === 'text' ? MAX_WITH_STATE : info.vocabSizes ? Number.POSITIVE_INFINITY : LARGEST
  const maxVocabSize = Math.min(largest, ...(info.vocabSizes ? [Math.max(...info.vocabSizes)] : []))
  const line = quoted(testee.command.map((word) => quoted(printable(word))).join(' '))
  return {
    info,
    async check(law, settings) {
      const reason = inapplicable(law, info)
      if (reason !== undefined) return { law: law.name, ...notApplicable(reason) }
      connection.skipped = undefined
      const limited = Number.isFinite(maxVocabSize) ? { ...settings, maxVocabSize } : settings
      const subject = law.name === OF_ONE_POSITION ? afterSomeTokens(watermark) : watermark
      const result = await checkLaw(law, subject, limited)
      if (connection.failure !== undefined) throw connection.failure
      if (connection.skipped !== undefined)
        return { law: law.name, ...notApplicable(`skipped by the testee: ${connection.skipped}`) }
      return replayedBy(`uwbench check --testee ${line}`, result)
    },
    close: () => connection.close(),
  }
}

/** The results of checking a testee. */
export interface TesteeResults {
  /** The testee's description of itself. */
  readonly info: TesteeInfo
  readonly results: readonly LawResult[]
}

/**
 * Checks a watermark in any language: starts it as a process that speaks the testee protocol (docs/testee.md), runs every law that
 * applies, and ends it. Throws a {@link TesteeFailure} if the process dies, hangs or breaks the protocol.
 * @example
 * const laws = ['reweight gives a distribution', 'detectable']
 * const { results } = await checkTestee({ command: ['node', 'my-watermark.mjs'] }, { laws })
 * results.map(({ verdict }) => verdict) // ['holds', 'not applicable']
 */
export async function checkTestee(testee: TesteeCommand, options: CheckOptions = {}): Promise<TesteeResults> {
  const settings = settingsOf(options)
  const open = openTestee(testee)
  try {
    const results: LawResult[] = []
    for (const law of settings.laws) {
      const result = await open.check(law, settings)
      results.push(result)
      options.onProgress?.(result, results.length, settings.laws.length)
    }
    if (settings.laws.length === allLaws.length && results.every((one) => one.verdict === 'not applicable'))
      throw new TesteeFailure(`testee '${open.info.id}' gave nothing to check: no law applies`)
    return { info: open.info, results }
  } finally {
    open.close()
  }
}
