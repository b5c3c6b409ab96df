/** Writes the conformance page. */
import { percent, sig } from '../reference/findings/finding.ts'
import { levels, type Row } from './compute.ts'

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** The first step that is biased. */
const biased = ({ steps }: Row) => steps.find(({ unbiased }) => !unbiased)

function perStep(row: Row): string {
  const step = biased(row)
  return step === undefined
    ? 'not rejected'
    : `**no**: ${step.head} with ${step.others} other${step.others === 1 ? '' : 's'} comes out ${sig(step.mean)}`
}

const repeats = ({ markedAgain: [first] }: Row): string =>
  first === undefined
    ? 'left alone'
    : first === 6
      ? '**marked again**'
      : `left alone, **marked again** in a loop of ${first.toLocaleString('en')}`

const perText = (row: Row): string =>
  biased(row) || row.markedAgain[0] === 6
    ? '**no**'
    : row.markedAgain.length === 0
      ? 'not rejected'
      : `up to the memory, below ${row.markedAgain[0]!.toLocaleString('en')} tokens`

const valid = ({ alarms }: Row): string =>
  alarms === undefined
    ? 'no p-value'
    : `${alarms.valid.every(Boolean) ? 'not rejected' : '**no**'}: ${alarms.rates.map((rate) => percent(rate, 2)).join(', ')}`

function key({ key: { given, twins, idle } }: Row): string {
  const twin = twins && `**fewer**: \`${twins[0]}\` and \`${twins[1]}\` draw the same`
  const bits = given === 0 ? 'a constant' : String(given)
  return [
    bits,
    ...(twin ? [twin] : []),
    ...(idle > 0 ? [`${idle} of 31 bits that were flipped change nothing`] : []),
  ].join('; ')
}

const others = ({ name, foundBy }: Row): string => {
  const found = foundBy.filter((other) => other !== name)
  return `${foundBy.includes(name) ? '' : '**not itself** '}${found.length === 0 ? 'none' : found.join(', ')}`
}

export const page = (rows: readonly Row[]): string => `# Conformance of watermark implementations

Written by \`spec/conformance\` (\`npm run conformance\` renews it), which computes every cell from the codes of \`uwbench/reference\`, except the last table, which
is read in the sources; "not rejected" is as much as a test can say. These codes reproduce vectors of the implementations ([texts of published implementations](../docs/published.md)); no engine was run. The numbers are in [conformance.json](conformance.json),
and [engine-findings.md](engine-findings.md) has more about some cells.

## Laws

- *Per step*: the mean of q over keys is p, in two cases: tokens of 3/4 and 1/4 (10,000 keys), and one token of 1/2 before a tail of 5,000 (600 keys; 50 for HMAC). An unbiased code fails
  one of them with probability 1e-9, and biases of 0.066 and 0.27 are seen but for 1e-9. Smaller ones may pass: the [findings](reference-findings.md) have some. TGI has one key, so its mean is over contexts.
- *Repeated contexts*: a text that repeats itself after 6, 1,100 and 8,300 tokens; exact.
- *Per text*: unbiased per step, and no context is marked twice.
- *p-values*: the published test on 1,000 unmarked texts of 100 tokens (green lists: 200) with Zipf's law, each under a key of its own, at most ${levels.map((level) => percent(level)).join(', ')}. "No" where a
  valid p-value would give as many with probability below 1e-9. For scores of 24 or 32 bits p is the one of \`detect\`, which exceeds the published one by less than 1e-4 of it.

${table(
  [
    'implementation',
    'source',
    'unbiased per step',
    'repeated contexts',
    'unbiased per text',
    'p-values valid',
  ],
  rows.map((row) => [row.name, row.source, perStep(row), repeats(row), perText(row), valid(row)]),
)}

## Keys, and who detects whose text

A text of 150 tokens under the key 15485863, or layer keys made of it, is given to every detector of the same kind (Gumbel, green list, bits) with the same integer; "none" where no other one has p at most 1e-9.

${table(
  ['implementation', 'key bits', 'its texts are also found by'],
  rows.map((row) => [row.name, key(row), others(row)]),
)}

## Read in the sources

${table(
  ['implementation', 'speculative decoding', 'batches'],
  rows.map(({ name, speculation, batches }) => [name, speculation, batches]),
)}
`
