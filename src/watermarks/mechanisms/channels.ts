/**
 * The reweight of MCmark (Chen et al. 2025): a secret partition into l channels and one chosen channel k. With S_j the mass of channel j,
 * the chosen channel is scaled by min(l, 1 / S_k); what is left over goes to the channels with more than their share 1/l:
 *
 *   inside k:   q_i = p_i min(l, 1 / S_k)
 *   outside:    q_i = (p_i / S_j) (1 - l S_k)^+ (l S_j - 1)^+ / sum_j (l S_j - 1)^+
 *
 * Averaged over the l choices of k, with the partition held, q is p.
 */
import { active, reweightWords, scratchClasses } from '../../core/kernels/index.ts'
import type { Words } from '../../core/keys/index.ts'
import { below, OWN } from '../../core/keys/index.ts'

/** A partition by one exactly uniform channel per token, and the chosen channel. */
export interface Channels {
  readonly random: Words
  readonly chosen: number
}

const positive = (x: number): number => Math.max(x, 0)

/** Turns the masses of channels into what q scales each by; `mass` may end in channels that do not exist. */
function channelFactors(mass: Float64Array, chosen: number, channels: number): void {
  const left = positive(1 - channels * mass[chosen]!)
  let total = 0
  for (let j = 0; j < channels; j++) total += positive(channels * mass[j]! - 1)
  for (let j = 0; j < channels; j++) {
    const s = mass[j]!
    if (s === 0) continue
    if (j === chosen) mass[j] = Math.min(channels, 1 / s)
    else mass[j] = total === 0 ? 0 : (left * (positive(channels * s - 1) / total)) / s
  }
}

/** Writes q for the given partition and choice. */
export function channelReweight(
  p: Float64Array,
  { random, chosen }: Channels,
  channels: number,
  q: Float64Array,
): void {
  const mass = new Float64Array(2 ** Math.ceil(Math.log2(channels)))
  reweightWords(p, random, q, (p, words, q, token) => {
    const channel = scratchClasses(p.length)
    const thrownAway = active(words).remainders(words, channels, channel)
    // once in millions of vocabularies a word is past the last full multiple: those tokens take their next word
    if (thrownAway > 0) for (let i = 0; i < p.length; i++) channel[i] = below(random, token(i), channels)
    active(p, mass).classMass(p, channel, 0, mass)
    channelFactors(mass, chosen, channels)
    active(p, mass).classScale(p, channel, 0, mass, q)
  })
}

/** Scores 1 for tokens of the chosen channel, else 0. */
export const channelScore =
  (channels: number) =>
  (token: number, { random, chosen }: Channels): number =>
    below(random, token, channels) === chosen ? 1 : 0

/** The code of a position with own randomness. */
export const drawChannels =
  (channels: number) =>
  (random: Words): Channels => ({ random, chosen: below(random, OWN, channels) })
