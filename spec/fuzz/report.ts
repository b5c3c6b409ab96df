/** reports/hardening.md: each part is written by the suite that measured it, and replaces what that suite wrote before. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const REPORT = new URL('../../reports/hardening.md', import.meta.url)

const TITLE = `# Hardening

What hostile inputs and long runs did, as measured. Each part names the command that writes it.
`

/** The parts, in the order of the report. */
const PARTS = [
  'Public functions',
  'Command line',
  'Memory of detections',
  'Memory of generations',
  'Memory of empty steps',
  'JSON Lines through detect',
] as const

/** Replaces one part of the report. */
export function writePart(part: (typeof PARTS)[number], body: string): void {
  const text = existsSync(REPORT) ? readFileSync(REPORT, 'utf8') : ''
  const bodies = new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((section): [string, string] => [
        section.slice(0, section.indexOf('\n')),
        section.slice(section.indexOf('\n')).trim(),
      ]),
  ).set(part, body.trim())
  const sections = PARTS.filter((name) => bodies.has(name)).map(
    (name) => `## ${name}\n\n${bodies.get(name)}\n`,
  )
  writeFileSync(REPORT, [TITLE, ...sections].join('\n'))
}
