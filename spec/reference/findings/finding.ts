/** One way in which a published code is not what its paper assumes, with what was measured. */
export interface Finding {
  /** Whose code. */
  readonly code: string
  readonly title: string
  /** Repository, file and commit where this was read. */
  readonly source: string
  /** True where nothing follows from it for anybody's numbers. */
  readonly note?: true
  /** What the paper assumes. */
  readonly assumed: string
  /** What the code does. */
  readonly found: string
  /** The law that shows it, and whether its check is exact or sampled. */
  readonly law: string
  /** How large it is. */
  readonly effect: string
  /** What does not fit a line. */
  readonly table?: string
}

/** Three significant digits. */
export const sig = (x: number, digits = 3): string => {
  const text = x.toPrecision(digits)
  return text.includes('e') ? text : String(Number(text))
}

export const percent = (x: number, digits = 3): string => `${sig(100 * x, digits)}%`

/** The report, a section per finding. */
export function render(findings: readonly Finding[]): string {
  const section = ({ code, title, source, assumed, found, law, effect, table }: Finding, i: number) =>
    `## ${i + 1}. ${code}: ${title}

- Source: ${source}
- Assumed: ${assumed}
- Found: ${found}
- Law: ${law}
- Effect: ${effect}
${table === undefined ? '' : `\n${table}\n`}`
  const serious = findings.filter(({ note }) => !note)
  const notes = findings.filter(({ note }) => note)
  return `# Where published codes differ from what their papers assume

Written by \`spec/reference/findings.spec.ts\`, which computes every number below with the codes of \`uwbench/reference\`
(they reproduce the published implementations bit for bit, see \`fixtures/reference/\`) and fails when this file says
something else. "Exact" means computed by enumeration or in closed form; "sampled" gives the false-alarm rate of the
claim that there is an effect at all. Nothing here was measured on a language model.

The first ${serious.length} are of consequence: a false-alarm rate, a law of texts or a secret is not what it should be. The notes after
them are differences by whose own numbers nothing changes.

${serious.map(section).join('\n')}
# Notes

${notes.map((one, i) => section(one, serious.length + i)).join('\n')}`
}
