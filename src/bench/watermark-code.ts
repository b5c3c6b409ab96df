/**
 * The identity of a watermark's code. Its id says what it is called, not what it does: whoever edits a method and reruns must not
 * get the old numbers.
 */
import { madeBy } from '../method/define-method.ts'
import type { AnyWatermark } from '../watermarks/index.ts'
import { digestOf } from './cell.ts'
import { codeOf, reached } from './code.ts'

const methodsUrl = new URL(`../watermarks/methods${import.meta.url.slice(-3)}`, import.meta.url).href

/** The file that declares each shipped method, by the method's name. */
function declarations(): Map<string, string> {
  const found = new Map<string, string>()
  for (const [url, source] of reached(methodsUrl).sources)
    for (const [, name] of source.matchAll(/\bdefineMethod\(\s*'(\w+)'/g)) found.set(name!, url)
  return found
}

let files: Map<string, string> | undefined

/**
 * The digest of the code behind a shipped watermark: the file of its method and all that it reaches. With published codes it is that
 * of all methods, since they are joined in one file.
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
