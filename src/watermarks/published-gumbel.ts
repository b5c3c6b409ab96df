/**
 * Gumbel with the codes of vLLM. A page that detects with own codes need not carry those, so `gumbel` is told of this method when
 * this file is loaded: always in Node; in a bundle, with whatever imports it.
 */
import { vllmCodes } from '../reference/codes/uniforms.ts'
import { withPublished } from '../reference/published.ts'
import { gumbel } from './gumbel.ts'

export const publishedGumbel = withPublished(gumbel, vllmCodes)

gumbel.codes = publishedGumbel
