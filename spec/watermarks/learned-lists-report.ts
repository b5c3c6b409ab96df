/** The report on the networks of UPV and SIR. */
import { percent } from '../reference/findings/finding.ts'

interface SirMeasured {
  readonly correlation: number
  readonly meanCosine: number
  readonly green: number
  readonly fixedClasses: number
}

/** What scripts/train-networks.mjs notes. */
export interface Training {
  readonly upv: Readonly<
    Record<
      'bits' | 'hidden' | 'depth' | 'windows' | 'epochs' | 'labelsKept' | 'parameters' | 'loss' | 'seconds',
      number
    >
  >
  readonly sir: Readonly<
    Record<
      'inputs' | 'hidden' | 'classes' | 'sentences' | 'batch' | 'steps' | 'parameters' | 'loss' | 'seconds',
      number
    >
  > & {
    readonly minilm: SirMeasured
    readonly tokens: SirMeasured
  }
}

/** What the spec computes. */
export interface Measured {
  readonly rates: readonly number[]
  readonly contexts: readonly number[]
  readonly overall: number
  readonly explained: number
  /** For each method, of the exact and of the published test: shares of p-values at 5%, 1% and 0.1%. */
  readonly alarms: readonly (readonly (readonly number[])[])[]
  readonly power: readonly number[]
}

const shares = (values: readonly number[]): string => values.map((x) => percent(x)).join(', ')

const power = (logP: number): string => `1e${Math.round(logP / Math.LN10)}`

export const renderLists = ({ upv, sir }: Training, m: Measured): string => `# Networks of UPV and SIR

Written by \`spec/watermarks/learned-lists.spec.ts\`. The networks were trained by \`scripts/train-networks.mjs\` and ship with weights of 8 bits; they are ours, not those of the authors or of MarkLLM.

## Why the p-values are valid

In the published methods the network is the key, and no law is known of a text's score under it. Here the network is public, and the key is a table: every token has a secret class,
uniform and independent of all others. The network makes a list of green classes of the context, and a context is text. For a text that was written without the key,
lists are therefore fixed and classes random: each token type adds a number whose law is counted over all classes, types are independent, and the tail of the sum is a convolution. It
is exact, whatever the network learnt, for texts that repeat themselves too.

## UPV

- Network: ${upv.bits} bits of a code, ${upv.depth + 1} layers of ${upv.hidden}, joined for the token before and the candidate; ${upv.parameters} parameters. Published: 16 bits. Ten are enough for
  all ${2 ** upv.bits} lists to be made once and kept.
- Training: ${upv.windows} random windows with two candidates each, one labelled green and one red; ${upv.epochs} epochs in ${upv.seconds} s of one core. Last loss ${upv.loss}; in 8 bits the network keeps ${percent(upv.labelsKept, 4)} of
  the labels.
- **Leaning to a Unigram list**: over all contexts, 5% of the classes are green in at most ${percent(m.rates[0]!)} and 5% in at least ${percent(m.rates[1]!)} of them (${percent(m.overall)} overall). The candidate
  alone explains ${percent(m.explained, 2)} of the variance of colours; if contexts decided it would be 0.1%. On the networks that MarkLLM ships, with 16 bits, 1.7% and 99.7% were measured elsewhere (window 5): one
  list for nearly all contexts. Those networks were not run here.
- Contexts have between ${percent(m.contexts[0]!)} and ${percent(m.contexts[1]!)} green classes.
- The public detector, a network that answers yes or no, is left out: it has no p-value.

## SIR

- Network: ${sir.inputs} inputs, ${sir.hidden}, two residual layers, ${sir.classes} signs; ${sir.parameters} parameters (published: 1024 inputs, layers of 500). Loss of the paper, Adam, ${sir.steps} steps of pairs of batches of ${sir.batch} in ${sir.seconds} s of
  one core. Half of the batches are embeddings by MiniLM of ${sir.sentences} sentences of the embedded datasets, the other half those of \`sirEmbedding\`.
- **The stand-in**: codes are drawn at once and from token ids, so \`sir()\` cannot call an encoder. It uses \`sirEmbedding\`: every id has eight random coordinates, a text is their sum. It knows which
  tokens two texts share, and nothing of their meaning: a paraphrase in other words gets another list, where MiniLM would give a similar one.

| on held-out texts | MiniLM | stand-in |
| --- | --- | --- |
| correlation of cosines before and after the network | ${sir.minilm.correlation} | ${sir.tokens.correlation} |
| mean cosine of lists of two texts | ${sir.minilm.meanCosine} | ${sir.tokens.meanCosine} |
| green classes | ${percent(sir.minilm.green)} | ${percent(sir.tokens.green)} |
| classes with the same sign in 95% of texts | ${percent(sir.minilm.fixedClasses)} | ${percent(sir.tokens.fixedClasses)} |

## False alarms

1,000 unmarked texts of 200 tokens with Zipf's law (V = 5,000), each under a key of its own: shares with p at most 5%, 1% and 0.1%.

| method | exact tail | published |
| --- | --- | --- |
| UPV: z of green tokens | ${shares(m.alarms[0]![0]!)} | ${shares(m.alarms[0]![1]!)} |
| SIR: mean sign, as if signs were independent and fair | ${shares(m.alarms[1]![0]!)} | ${shares(m.alarms[1]![1]!)} |

Marked texts of 100 tokens, uniform before the mark (V = 5,000): median p ${power(m.power[0]!)} for \`upv()\` and ${power(m.power[1]!)} for \`sir()\`.
`
