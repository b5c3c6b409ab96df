/** One way in which a published code is not what its paper assumes, with what was measured. */
export interface Finding {
  /** Whose code. */
  readonly code: string
  readonly title: string
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
  const sections = findings.map(
    ({ code, title, assumed, found, law, effect, table }, i) => `## ${i + 1}. ${code}: ${title}

- Assumed: ${assumed}
- Found: ${found}
- Law: ${law}
- Effect: ${effect}
${table === undefined ? '' : `\n${table}\n`}`,
  )
  return `# Where published codes differ from what their papers assume

Written by \`spec/reference/findings.spec.ts\`, which computes every number below with the codes of \`uwbench/reference\`
(they reproduce the published implementations bit for bit, see \`fixtures/reference/\`) and fails when this file says
something else. "Exact" means computed by enumeration or in closed form; "sampled" gives the false-alarm rate of the
claim that there is an effect at all. Nothing here was measured on a language model.

${sections.join('\n')}`
}
