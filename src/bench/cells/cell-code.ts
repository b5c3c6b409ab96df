/**
 * The identity of the code behind a cell: its step and, where it uses one, its watermark. The id of a watermark says what it is called,
 * not what it does: after an edit of a method, a rerun must not return the old numbers.
 */
import { madeBy } from '../../core/method/index.ts'
import type { AnyWatermark } from '../../watermarks/index.ts'
import { digestOf } from './cell.ts'
import { codeOf, ownCode, reached } from './code.ts'
import type { Step } from './step.ts'

const ending = import.meta.url.slice(-3)

/** The code by which steps get models, data and watermarks; those have digests of their own. */
const resourcesCode = ownCode(new URL(`../steps/resources${ending}`, import.meta.url).href)

/** @param watermark the digest of the watermark's code */
export const cellCode = ({ module }: Pick<Step, 'module'>, watermark?: string): string =>
  `${codeOf(module)} ${resourcesCode}${watermark ? ` ${watermark}` : ''}`

/** The entry of all methods; the digest of code finds what it reaches. */
const methodsUrl = new URL(`../../watermarks/index${ending}`, import.meta.url).href

/** Finds the file that declares each shipped method, by the method's name. */
function declarations(): Map<string, string> {
  const found = new Map<string, string>()
  for (const [url, source] of reached(methodsUrl).sources)
    for (const [, name] of source.matchAll(/\bdefineMethod\(\s*'(\w+)'/g)) found.set(name!, url)
  return found
}

let files: Map<string, string> | undefined

/**
 * Returns the digest of the code behind a shipped watermark: the file of its method and all that it reaches. Published codes are joined
 * with all methods in one file, so with them all methods count.
 */
export function shippedCode(watermark: AnyWatermark): string {
  files ??= declarations()
  const origin = madeBy(watermark)
  const own = origin && files.get(origin.method.name)
  if (!own)
    throw new TypeError(
      `${watermark.id}: expected a shipped watermark, or one that a module of study.modules exports, so that workers can import it`,
    )
  const codes = origin.values.codes ?? 'own'
  return codes === 'own' ? codeOf(own) : digestOf(`${codeOf(own)} ${codeOf(methodsUrl)}`)
}
