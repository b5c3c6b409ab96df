/**
 * Every shipped method: one line each. Those with published codes are joined with them here; the calls are pure, so that
 * bundlers drop what is not used. `gumbel`, the smallest, is joined in published-gumbel.ts, which a bundle has only with
 * `asPublished` or the lists of methods.
 */
import { synthidCodes } from '../reference/codes/bits.ts'
import { channelCodes } from '../reference/codes/channels.ts'
import { vllmDualCodes } from '../reference/codes/dual-uniforms.ts'
import { sta1Codes } from '../reference/codes/green.ts'
import { kgwCodes } from '../reference/codes/kgw.ts'
import { maskCodes } from '../reference/codes/mask.ts'
import { orderCodes } from '../reference/codes/order.ts'
import { placeCodes } from '../reference/codes/places.ts'
import { rowCodes } from '../reference/codes/rows.ts'
import { withPublished } from '../reference/published.ts'
import { dipmark as ownDipmark } from './dipmark.ts'
import { dualKeyGumbel as ownDualKeyGumbel } from './dual-key-gumbel.ts'
import { expEdit as ownExpEdit } from './exp-edit.ts'
import { gammaReweight as ownGammaReweight } from './gamma-reweight.ts'
import { itsEdit as ownItsEdit } from './its-edit.ts'
import { kgw as ownKgw } from './kgw.ts'
import { mcmark as ownMcmark } from './mcmark.ts'
import { sta1 as ownSta1 } from './sta1.ts'
import { synthid as ownSynthid } from './synthid.ts'
import { unigram as ownUnigram } from './unigram.ts'

export { bimark } from './bimark.ts'
export { christ } from './christ.ts'
export { deltaReweight } from './delta-reweight.ts'
export { ens } from './ens.ts'
export { gumbel } from './gumbel.ts'
export { unwatermarked } from './unwatermarked.ts'

/**
 * DiPmark (Wu et al., 2024): permute-reweight with a strength; `alpha` 1/2 is gamma-reweight.
 * @example dipmark({ alpha: 0.4 }).id // 'dipmark(alpha=0.4)'
 */
export const dipmark = /* @__PURE__ */ withPublished(ownDipmark, orderCodes)
/**
 * The Gumbel watermark with two keys (vLLM, 2026): key B decides a token with probability alpha, so that answers vary.
 * @example dualKeyGumbel({ alpha: 0.25 }).id // 'dualKeyGumbel(alpha=0.25)'
 */
export const dualKeyGumbel = /* @__PURE__ */ withPublished(ownDualKeyGumbel, vllmDualCodes)
/**
 * EXP-Edit (Kuditipudi et al., 2023): a list of keys, exponential sampling, detection by alignment.
 * @example expEdit({ keyLength: 128 }).id // 'expEdit(keyLength=128)'
 */
export const expEdit = /* @__PURE__ */ withPublished(ownExpEdit, rowCodes)
/**
 * Gamma-reweight (Hu et al., 2023): the lower half of the mass, in a secret order, moves to the upper half.
 * @example gammaReweight().unbiased // true
 */
export const gammaReweight = /* @__PURE__ */ withPublished(ownGammaReweight, orderCodes)
/**
 * ITS-Edit (Kuditipudi et al., 2023): a list of keys, inverse transform sampling, detection by alignment.
 * @example itsEdit({ keyLength: 128 }).id // 'itsEdit(keyLength=128)'
 */
export const itsEdit = /* @__PURE__ */ withPublished(ownItsEdit, placeCodes)
/**
 * KGW (Kirchenbauer et al., 2023): adds delta to the logits of green tokens. Biased: a control.
 * @example kgw({ delta: 2 }).unbiased // false
 */
export const kgw = /* @__PURE__ */ withPublished(ownKgw, kgwCodes)
/**
 * MCmark (Chen et al., 2025): a secret partition of the vocabulary into channels, one of which is preferred.
 * @example mcmark({ channels: 20 }).id // 'mcmark(channels=20)'
 */
export const mcmark = /* @__PURE__ */ withPublished(ownMcmark, channelCodes)
/**
 * STA-1 (Mao et al., 2024): sample, keep a green token, else sample once more.
 * @example sta1().unbiased // true
 */
export const sta1 = /* @__PURE__ */ withPublished(ownSta1, sta1Codes)
/**
 * SynthID Text (Dathathri et al., 2024): a tournament of secret bits, layer by layer.
 * @example synthid({ layers: 20 }).unbiased // true
 */
export const synthid = /* @__PURE__ */ withPublished(ownSynthid, synthidCodes)
/**
 * Unigram (Zhao et al., 2023): KGW with one green set for all positions. Biased: a control.
 * @example unigram({ delta: 2 }).context.id // 'fixed()'
 */
export const unigram = /* @__PURE__ */ withPublished(ownUnigram, maskCodes)
