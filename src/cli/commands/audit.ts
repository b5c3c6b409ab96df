import { auditJson, auditMarkdown, audit as auditTables } from '../../bench/paper/index.ts'
import type { Command } from './command.ts'

export const audit: Command = {
  usage: '[--json]',
  summary:
    "Recomputes the three scores of the paper's last table from its other tables, and prints what was found.",
  flags: { json: { help: 'print JSON' } },
  async run(input, output) {
    const found = auditTables()
    output.raw(input.on('json') ? auditJson(found) : auditMarkdown(found))
    return 0
  },
}
