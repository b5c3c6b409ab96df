/**
 * Gumbel with published codes. A page that detects with own codes need not carry those, so `gumbel` is told of this method when
 * this file is loaded: always in Node; in a bundle, with whatever imports it.
 */
import { torchCodes } from '../reference/codes/torch-uniforms.ts'
import { vllmCodes } from '../reference/codes/uniforms.ts'
import { withPublished } from '../reference/published.ts'
import { gumbel } from './gumbel.ts'

export const publishedGumbel = withPublished(gumbel, vllmCodes, torchCodes)

gumbel.codes = publishedGumbel
