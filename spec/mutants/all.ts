/** Every wrong watermark, and which of them made the gate what it is. */
import { claims } from './claims.ts'
import { collisions } from './collisions.ts'
import { detection } from './detection.ts'
import { drift } from './drift.ts'
import { messages } from './messages.ts'
import type { Mutant } from './mutant.ts'
import { orbits } from './orbits.ts'
import { orders } from './orders.ts'
import { pValues } from './p-values.ts'
import { positions } from './positions.ts'
import { randomness } from './randomness.ts'
import { reweighting } from './reweighting.ts'
import { robustness } from './robustness.ts'
import { scores } from './scores.ts'
import { sequence } from './sequence.ts'
import { shapes } from './shapes.ts'
import { sizes } from './sizes.ts'
import { smallBiases } from './small-biases.ts'
import { speculation } from './speculation.ts'
import { survivors } from './survivors.ts'
import { texts } from './texts.ts'
import { oneToken, stateful, wideMutants } from './wide.ts'

/** Those that must be rejected. */
export const allMutants: readonly Mutant[] = [
  ...orders,
  ...reweighting,
  ...sizes,
  ...shapes,
  ...positions,
  ...orbits,
  ...randomness,
  ...collisions,
  ...sequence,
  ...texts,
  ...detection,
  ...pValues,
  ...scores,
  ...claims,
  ...drift,
  ...robustness,
  ...messages,
  ...speculation,
  ...smallBiases,
  ...wideMutants,
  ...oneToken,
  ...stateful,
]

/** Those that must be rejected, then those that the default settings need not see. */
export const tried: readonly Mutant[] = [...allMutants, ...survivors]

/** Gross mistakes that an earlier gate, which looked at a few tokens only, let pass: rejected in every run. */
const gross: readonly string[] = [
  'race: among the 50 most probable tokens',
  'race: tokens with p < 1e-3 dropped',
  'race: randomness by token & 255',
  'race: uniforms of 11 bits',
  'kgw(2) where entropy exceeds 2.2 nats',
  'dip: a poor shuffle (each place takes any other), orbit averages to p',
  '0.4 min(q0, q1) moved one way at even positions, the other way at odd ones',
  'kgw(2) from the 13th position on',
  'race: contexts hashed to 64 values',
  'race: only the last 3 contexts remembered',
  'race: only the last 8 contexts remembered',
  'dip: the position modulo five as the context',
  'below 1e-4 squared',
  '1e-9 with probability 1/256',
  'another rate above 700 tokens',
  'ceil(V / 4) green against a rate of 1/4',
  // and what passed the gate of version 0.2
  'kgw(0.4) declared unbiased, its green sets not listed',
  'kgw(0.3) declared unbiased, its green sets not listed',
  'race: logit and noise added in float16',
  "race: a speculative residual drawn with the draft's noise",
  'race: the most probable token where it exceeds 0.98',
  'race: ids kept in 16 bits',
  'race: words indexed by 16 bits',
  'race: ids beyond 100,000 never win',
  'race: probabilities clipped at 1e-6',
  'race: integer frequencies of 20 bits with a floor of 1',
  'race: the end token 50,256 never drawn',
  'dip: a newline banned after the mark and renormalised',
  'race: ln p cached by the first probability and the size',
  "race: tail ids from the sampler's own noise",
]
export const grossMistakes: readonly Mutant[] = gross.map((name) => {
  const found = allMutants.find((mutant) => mutant.name === name)
  if (found === undefined) throw new Error(`there is no mutant '${name}'`)
  return found
})
