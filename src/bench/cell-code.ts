/** The identity of the code behind a cell of the benchmark: that of its step and, where it uses one, of its watermark. */
import { codeOf, ownCode } from './code.ts'
import type { Step } from './step.ts'

/** How steps get models, data and watermarks; what those are has digests of its own. */
const resourcesCode = ownCode(new URL(`./resources${import.meta.url.slice(-3)}`, import.meta.url).href)

/** @param watermark the digest of the watermark's code */
export const cellCode = ({ module }: Pick<Step, 'module'>, watermark?: string): string =>
  `${codeOf(module)} ${resourcesCode}${watermark ? ` ${watermark}` : ''}`
