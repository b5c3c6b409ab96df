/** Reports in parts: each part is written by the suite that measured it, and replaces what that suite wrote before. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** Returns the function that replaces one part of a report. `parts` are their names in order. */
function partsOf<Part extends string>(name: string, title: string, parts: readonly Part[]) {
  const file = new URL(`../../reports/${name}`, import.meta.url)
  return (part: Part, body: string): void => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    const bodies = new Map(
      text
        .split(/^## /m)
        .slice(1)
        .map((section): [string, string] => [
          section.slice(0, section.indexOf('\n')),
          section.slice(section.indexOf('\n')).trim(),
        ]),
    ).set(part, body.trim())
    const sections = parts.filter((one) => bodies.has(one)).map((one) => `## ${one}\n\n${bodies.get(one)}\n`)
    writeFileSync(file, [title, ...sections].join('\n'))
  }
}

export const writePart = partsOf(
  'hardening.md',
  `# Hardening

What hostile inputs and long runs did, as measured. Each part names the command that writes it.
`,
  [
    'Public functions',
    'Command line',
    'Memory of detections',
    'Memory of generations',
    'Memory of empty steps',
    'JSON Lines through detect',
  ] as const,
)

export const writeServerPart = partsOf(
  'server.md',
  `# The running server

What \`uwbench check --server\` sees and what \`uwbench serve\` holds, as measured. Each part names the command that writes it.
`,
  ['Planted mistakes', 'Streams'] as const,
)
