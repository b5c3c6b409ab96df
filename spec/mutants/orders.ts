/** Mistakes in q = F(p, code) of methods that walk along a permuted order. */
import { dip, dipBend, increments, orderOf, upperHalf } from './bases.ts'
import { changed, family, law } from './mutant.ts'

import { normalise } from './reweighting.ts'
import { entropyOf } from './shapes.ts'

const { mutants, add } = family('reweighting')

export { mutants as orders }

add(
  'dip: running mass one token late',
  changed(dip(), {
    reweight: (p, code, q) => {
      let s = 0
      let before = 0
      for (const token of orderOf(p.length, code)) {
        const bend = dipBend(0.4)(s)
        q[token] = bend - before
        before = bend
        s += p[token]!
      }
    },
  }),
  [law.distribution],
)
add(
  'dip: running mass in float32',
  changed(dip(), {
    reweight: (p, code, q) => {
      let s = 0
      for (const token of orderOf(p.length, code)) {
        const before = dipBend(0.4)(s)
        s = Math.fround(s + p[token]!)
        q[token] = Math.max(0, dipBend(0.4)(s) - before)
      }
    },
  }),
  [law.orbit],
)
add(
  'dip: float32 running mass, then renormalised',
  changed(dip(), {
    reweight: (p, code, q) => {
      let s = 0
      for (const token of orderOf(p.length, code)) {
        const before = dipBend(0.4)(s)
        s = Math.fround(s + p[token]!)
        q[token] = Math.max(0, dipBend(0.4)(s) - before)
      }
      normalise(q)
    },
  }),
  [law.orbit],
)
add(
  'dip: both bends at alpha, clamped at 1',
  changed(dip(), {
    reweight: (p, code, q) =>
      increments(p, orderOf(p.length, code), (s) => Math.min(1, 2 * Math.max(0, s - 0.4)), q),
  }),
  [law.orbit, law.keys],
)
add(
  'dip: lower part removed, the rest renormalised',
  changed(dip(), {
    reweight: (p, code, q) => {
      increments(p, orderOf(p.length, code), (s) => Math.max(0, s - 0.4), q)
      normalise(q)
    },
  }),
  [law.orbit, law.keys],
)
add(
  'dip: upper half of the words doubled and renormalised',
  changed(dip(), {
    reweight: (p, code, q) => {
      for (let i = 0; i < p.length; i++) q[i] = p[i]! * (1 + upperHalf(i, code))
      normalise(q)
    },
  }),
  [law.orbit, law.keys],
)
add(
  'dip: the boundary token goes up whole',
  changed(dip(), {
    reweight: (p, code, q) => {
      let s = 0
      for (const token of orderOf(p.length, code)) {
        s += p[token]!
        q[token] = s > 0.5 ? p[token]! : 0
      }
      normalise(q)
    },
  }),
  [law.orbit, law.keys],
)
add(
  'dip: uniform noise against zero mass',
  changed(dip(), {
    reweight: (p, code, q) => {
      increments(p, orderOf(p.length, code), dipBend(0.4), q)
      for (let i = 0; i < q.length; i++) q[i] = 0.999 * Math.max(0, q[i]!) + 0.001 / q.length
    },
  }),
  [law.distribution, law.orbit],
)
add(
  'dip: falls back to p where q is too certain',
  changed(dip(0.5), {
    reweight: (p, code, q) => {
      increments(p, orderOf(p.length, code), dipBend(0.5), q)
      if (entropyOf(q) < 0.5) q.set(p)
    },
  }),
  [law.orbit],
)
add(
  'dip: top-3 after the reweight',
  changed(dip(), {
    reweight: (p, code, q) => {
      increments(p, orderOf(p.length, code), dipBend(0.4), q)
      const least = q.toSorted()[Math.max(0, q.length - 3)]!
      for (let i = 0; i < q.length; i++) if (q[i]! < least) q[i] = 0
      normalise(q)
    },
  }),
  [law.orbit, law.warping],
)
add(
  'dip: sharpens q with a temperature of 0.8',
  changed(dip(), {
    reweight: (p, code, q) => {
      increments(p, orderOf(p.length, code), dipBend(0.4), q)
      for (let i = 0; i < q.length; i++) q[i] = Math.max(0, q[i]!) ** 1.25
      normalise(q)
    },
  }),
  [law.orbit, law.warping],
)
add(
  'dip: sorts p in place',
  changed(dip(), {
    reweight: (p, code, q) => {
      increments(p, orderOf(p.length, code), dipBend(0.4), q)
      for (let i = 0; i < q.length; i++) q[i] = Math.max(0, q[i]!)
      p.sort()
    },
  }),
  [law.distribution],
)
add(
  'dip: leaves tokens without mass unwritten',
  changed(dip(), {
    reweight: (p, code, q) => {
      let s = 0
      for (const token of orderOf(p.length, code)) {
        if (p[token] === 0) continue
        const before = dipBend(0.4)(s)
        s += p[token]!
        q[token] = Math.max(0, dipBend(0.4)(s) - before)
      }
    },
  }),
  [law.distribution],
)
