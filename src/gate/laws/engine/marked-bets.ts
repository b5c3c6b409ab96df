/**
 * Bets that know which positions are marked, and under which contexts: where codes are shared, that is where it shows.
 *
 * As in `context-bets.ts` each bet is on the next token given the past, by a distribution r that depends on the past only:
 *
 * - *same context*: tokens at positions of the text that had the very same context, `r(a) = (N(a) + c p_a) / (N + c)`;
 * - *marked*: the same with all marked positions before, since a code shared by any of them makes their tokens alike;
 * - *learned*: contexts whose tokens agreed too often in earlier texts, under other keys. They collide, and their tokens in this
 *   text are likely again: `r = (1 - W) p + sum_j w_j [a = x_j]`, w_j from the share of agreements so far.
 */

const SAME = [0.3, 3, 30] as const
const MARKED = [30, 300, 3000] as const
const BETS = SAME.length + MARKED.length + 1
const LEARNED = BETS - 1

/** Contexts beyond these are not compared with each other. */
const MAX_CONTEXTS = 300
/** Two contexts are believed to agree above this many deviations and `FEW` agreements more: thousands of pairs are looked at. */
const CONVINCED = 3.3
const FEW = 3
/** Earlier texts that count as if they had shown nothing, and the most that is staked on contexts that agree. */
const DOUBT = 60
const MOST = 0.9

/** The subject of one of the bets, and the share of equal pairs. */
interface MarkedFinding {
  readonly subject: string
  readonly share: number
}

export interface MarkedBets {
  /** ln wealth of each bet. */
  readonly logs: Float64Array
  /** Takes a text and the context of each position, undefined where it was not marked. */
  add(text: Uint8Array, contexts: readonly (string | undefined)[]): void
  about(index: number): MarkedFinding
}

/** Pairs seen, and the equal ones among them. */
interface Agreement {
  pairs: number
  equal: number
}

/** Counts of contexts that met in earlier texts, and of how often their tokens were equal. */
class Meetings {
  readonly #share: number
  readonly #numbers = new Map<string, number>()
  readonly #met = new Uint32Array(MAX_CONTEXTS ** 2)
  readonly #agreed = new Uint32Array(MAX_CONTEXTS ** 2)
  /** The contexts of the text at hand and their tokens. */
  readonly #contexts = new Int32Array(MAX_CONTEXTS)
  readonly #tokens = new Int32Array(MAX_CONTEXTS)
  #count = 0

  constructor(share: number) {
    this.#share = share
  }

  /** ln of the bet on token x, of probability p, at a context that is new in this text. */
  bet(name: string, x: number, p: number): number {
    let own = this.#numbers.get(name)
    if (own === undefined) {
      if (this.#numbers.size === MAX_CONTEXTS) return 0
      own = this.#numbers.size
      this.#numbers.set(name, own)
    }
    let total = 0
    let right = 0
    for (let j = 0; j < this.#count; j++) {
      const weight = this.#weight(this.#cell(own, this.#contexts[j]!))
      total += weight
      if (this.#tokens[j] === x) right += weight
    }
    this.#contexts[this.#count] = own
    this.#tokens[this.#count++] = x
    return total === 0 ? 0 : Math.log1p((total > MOST ? MOST / total : 1) * (right / p - total))
  }

  /** Remembers the contexts that met in this text. */
  end(): void {
    for (let i = 0; i < this.#count; i++)
      for (let j = 0; j < i; j++) {
        const cell = this.#cell(this.#contexts[i]!, this.#contexts[j]!)
        this.#met[cell]!++
        if (this.#tokens[i] === this.#tokens[j]) this.#agreed[cell]!++
      }
    this.#count = 0
  }

  /** The two contexts that agree most surprisingly. */
  finding(): MarkedFinding {
    let best = 0
    const surprise = (cell: number): number => {
      const n = this.#met[cell]!
      return n === 0 ? 0 : (this.#agreed[cell]! - n * this.#share) / Math.sqrt(n)
    }
    for (let cell = 1; cell < this.#met.length; cell++) if (surprise(cell) > surprise(best)) best = cell
    const names = [...this.#numbers.keys()]
    const [one, two] = [names[Math.floor(best / MAX_CONTEXTS)], names[best % MAX_CONTEXTS]]
    return {
      subject: `tokens after contexts [${one}] and [${two}]`,
      share: this.#agreed[best]! / this.#met[best]!,
    }
  }

  #cell(one: number, two: number): number {
    return one > two ? one * MAX_CONTEXTS + two : two * MAX_CONTEXTS + one
  }

  /** The share of the next token that is foretold by a context that agreed with its own in earlier texts. */
  #weight(cell: number): number {
    const n = this.#met[cell]!
    const share = this.#share
    const excess = this.#agreed[cell]! - n * share
    if (excess <= FEW + CONVINCED * Math.sqrt(n * share * (1 - share))) return 0
    return excess / ((n + DOUBT) * (1 - share))
  }
}

/** Tokens so far, and pairs of them over all texts. */
interface Class {
  readonly counts: Float64Array
  total: number
}

/** Starts bets for texts of independent tokens from p. */
export function markedBets(p: Float64Array): MarkedBets {
  const logs = new Float64Array(BETS)
  const same: Agreement = { pairs: 0, equal: 0 }
  const marked: Agreement = { pairs: 0, equal: 0 }
  const meetings = new Meetings(p.reduce((sum, mass) => sum + mass * mass, 0))
  const newClass = (): Class => ({ counts: new Float64Array(p.length), total: 0 })

  /** Bets on x with each of the concentrations, and adds it to its class. */
  const follow = (
    own: Class,
    x: number,
    concentrations: readonly number[],
    from: number,
    seen: Agreement,
  ) => {
    const { counts, total } = own
    if (total > 0)
      for (let j = 0; j < concentrations.length; j++) {
        const c = concentrations[j]!
        logs[from + j]! += Math.log((counts[x]! / p[x]! + c) / (total + c))
      }
    seen.pairs += total
    seen.equal += counts[x]!
    counts[x]!++
    own.total++
  }

  return {
    logs,
    about(index) {
      if (index === LEARNED) return meetings.finding()
      const [subject, { pairs, equal }] =
        index < SAME.length
          ? (['positions with the same context', same] as const)
          : (['marked positions', marked] as const)
      return { subject, share: equal / pairs }
    },
    add(text, contexts) {
      const byContext = new Map<string, Class>()
      const all = newClass()
      for (let t = 0; t < text.length; t++) {
        const name = contexts[t]
        if (name === undefined) continue
        const x = text[t]!
        let own = byContext.get(name)
        if (own === undefined) {
          logs[LEARNED]! += meetings.bet(name, x, p[x]!)
          own = newClass()
          byContext.set(name, own)
        }
        follow(own, x, SAME, 0, same)
        follow(all, x, MARKED, SAME.length, marked)
      }
      meetings.end()
    },
  }
}
