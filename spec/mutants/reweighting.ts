/** Mistakes in q = F(p, code). */
import {
  arrival,
  bit,
  CHANNELS,
  channelMass,
  channels,
  first,
  greenMass,
  inverse,
  isGreen,
  LAYERS,
  landing,
  orderOf,
  type Place,
  race,
  sta,
  tournament,
} from './bases.ts'
import { changed, family, law } from './mutant.ts'

const { mutants, add } = family('reweighting')

export { mutants as reweighting }

export const normalise = (q: Float64Array): void => {
  const sum = q.reduce((a, b) => a + b, 0)
  for (let i = 0; i < q.length; i++) q[i]! /= sum
}
// --- green sets
add(
  'sta: the red mass in place of the green',
  changed(sta(), {
    reweight: (p, code, q) => {
      const rest = greenMass(p, code)
      for (let i = 0; i < p.length; i++) q[i] = p[i]! * (isGreen(i, code) ? 1 + rest : rest)
    },
  }),
  [law.distribution],
)
add(
  'sta: the red mass in place of the green, renormalised',
  changed(sta(), {
    reweight: (p, code, q) => {
      const rest = greenMass(p, code)
      for (let i = 0; i < p.length; i++) q[i] = p[i]! * (isGreen(i, code) ? 1 + rest : rest)
      normalise(q)
    },
  }),
  [law.orbit],
)
add(
  'sta: samples twice more, not once',
  changed(sta(), {
    reweight: (p, code, q) => {
      const rest = Math.max(0, 1 - greenMass(p, code))
      for (let i = 0; i < p.length; i++) q[i] = p[i]! * (isGreen(i, code) ? 1 + rest + rest ** 2 : rest ** 2)
    },
  }),
  [law.orbit, law.keys],
)
add(
  'sta: keeps green tokens only',
  changed(sta(), {
    reweight: (p, code, q) => {
      const mass = greenMass(p, code)
      for (let i = 0; i < p.length; i++) q[i] = mass === 0 ? p[i]! : isGreen(i, code) ? p[i]! / mass : 0
    },
  }),
  [law.orbit, law.keys],
)
add(
  'sta: green mass of the wrong set (shifted by one token)',
  changed(sta(), {
    reweight: (p, code, q) => {
      const mass = p.reduce((sum, m, i) => sum + (isGreen(i + 1, code) ? m : 0), 0)
      for (let i = 0; i < p.length; i++) q[i] = p[i]! * (isGreen(i, code) ? 2 - mass : 1 - mass)
      normalise(q)
    },
  }),
  [law.keys],
)

// --- tournaments
add(
  'tournament: stale mass in later layers',
  changed(tournament(), {
    reweight: (p, code, q) => {
      q.set(p)
      for (let layer = 0; layer < LAYERS; layer++) {
        const ones = p.reduce((sum, mass, i) => sum + mass * bit(i, layer, code), 0)
        for (let i = 0; i < q.length; i++) q[i]! *= 1 + bit(i, layer, code) - ones
      }
    },
  }),
  [law.distribution],
)
add(
  'tournament: stale mass, renormalised',
  changed(tournament(), {
    reweight: (p, code, q) => {
      q.set(p)
      for (let layer = 0; layer < LAYERS; layer++) {
        const ones = p.reduce((sum, mass, i) => sum + mass * bit(i, layer, code), 0)
        for (let i = 0; i < q.length; i++) q[i]! *= 1 + bit(i, layer, code) - ones
      }
      normalise(q)
    },
  }),
  [law.orbit],
)
add(
  'tournament: three leaves',
  changed(tournament(), {
    reweight: (p, code, q) => {
      q.set(p)
      for (let layer = 0; layer < LAYERS; layer++) {
        const zeros = q.reduce((sum, mass, i) => sum + mass * (1 - bit(i, layer, code)), 0)
        for (let i = 0; i < q.length; i++)
          q[i]! *= bit(i, layer, code) === 1 ? 1 + zeros + zeros ** 2 : zeros ** 2
      }
    },
  }),
  [law.orbit],
)
add(
  'tournament: twice the step, clamped and renormalised',
  changed(tournament(), {
    reweight: (p, code, q) => {
      q.set(p)
      for (let layer = 0; layer < LAYERS; layer++) {
        const ones = q.reduce((sum, mass, i) => sum + mass * bit(i, layer, code), 0)
        for (let i = 0; i < q.length; i++) q[i]! *= Math.max(0, 1 + 2 * (bit(i, layer, code) - ones))
        normalise(q)
      }
    },
  }),
  [law.orbit],
)

// --- channels
add(
  'channels: no overflow term',
  changed(channels(), {
    reweight: (p, code, q) => {
      const mass = channelMass(p, code)
      for (let i = 0; i < p.length; i++)
        q[i] = code.channel(i) === code.chosen ? p[i]! * Math.min(CHANNELS, 1 / (mass[code.chosen]! || 1)) : 0
    },
  }),
  [law.distribution],
)
add(
  'channels: the chosen channel takes everything it can',
  changed(channels(), {
    reweight: (p, code, q) => {
      const mass = channelMass(p, code)[code.chosen]!
      for (let i = 0; i < p.length; i++)
        q[i] = mass === 0 ? p[i]! : code.channel(i) === code.chosen ? p[i]! / mass : 0
    },
  }),
  [law.orbit, law.keys],
)
add(
  'channels: overflow in proportion to p, not to the surplus',
  changed(channels(), {
    reweight: (p, code, q) => {
      const mass = channelMass(p, code)[code.chosen]!
      const inside = Math.min(1, CHANNELS * mass)
      for (let i = 0; i < p.length; i++)
        q[i] =
          code.channel(i) === code.chosen
            ? mass === 0
              ? 0
              : (p[i]! / mass) * inside
            : mass === 1
              ? 0
              : (p[i]! / (1 - mass)) * (1 - inside)
    },
  }),
  [law.orbit],
)

// --- races and places
add(
  'race: largest u p instead of u^(1/p)',
  changed(race(), { choose: (p, { u }) => first(p, (i) => -u(i) * p[i]!) }),
  [law.keys],
)
add(
  'race: noise on the logits scaled by two',
  changed(race(), {
    choose: (p, { u }) => first(p, (i) => -(Math.log(p[i]!) - 2 * Math.log(-Math.log(u(i))))),
  }),
  [law.keys],
)
add(
  'race: a temperature of 0.9 inside',
  changed(race(), { choose: (p, { u }) => first(p, (i) => -Math.log(u(i)) / p[i]! ** (1 / 0.9)) }),
  [law.keys],
)
add(
  'race: probabilities floored at 5%',
  changed(race(), { choose: (p, { u }) => first(p, (i) => arrival(Math.max(p[i]!, 0.05), u(i))) }),
  [law.keys],
)
add(
  'race: never picks the last token',
  changed(race(), {
    choose: (p, { u }) => {
      const others = p.map((mass, i) => (i === p.length - 1 && mass < 1 ? 0 : mass))
      return first(others, (i) => arrival(p[i]!, u(i)))
    },
  }),
  [law.keys],
)
add(
  'inverse: the scan stops one token early',
  changed(inverse(), {
    choose: (p, place) => {
      const order = orderOf(p.length, place).filter((token) => p[token]! > 0)
      let s = 0
      for (const token of order.slice(0, -1)) {
        s += p[token]!
        if (place.u < s) return token
      }
      return order[Math.max(0, order.length - 2)]!
    },
  }),
  [law.orbit, law.keys],
)
add(
  'inverse: u compared with the square of the running mass',
  changed(inverse(), {
    choose: (p, place: Place) => landing(p, { ...place, u: Math.sqrt(place.u) }),
  }),
  [law.orbit],
)
