/** A vitest reporter with one line at the end of a run: which tests were skipped for want of a component, and what installs it. */
import type { Reporter, TestModule } from 'vitest/node'

export interface Missing {
  readonly install: string
  /** Files with the number of their tests that were skipped. */
  readonly files: ReadonlyMap<string, number>
}

/** The line; empty where nothing was missing. */
export function closingLine(missing: ReadonlyMap<string, Missing>): string {
  const parts = [...missing].map(([component, { install, files }]) => {
    const names = [...files].map(([file, count]) => `${file} (${count})`).join(', ')
    return `without ${component}: ${names}; to run them: ${install}`
  })
  return parts.length === 0 ? '' : `Skipped ${parts.join('. Skipped ')}`
}

export default class MissingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const missing = new Map<string, { install: string; files: Map<string, number> }>()
    for (const module of modules)
      for (const test of module.children.allTests()) {
        const found = test.meta().missing
        if (found === undefined) continue
        const entry = missing.get(found.component) ?? { install: found.install, files: new Map() }
        const file = module.relativeModuleId
        entry.files.set(file, (entry.files.get(file) ?? 0) + 1)
        missing.set(found.component, entry)
      }
    const line = closingLine(missing)
    // after what the default reporter prints at the same event
    if (line !== '') process.once('exit', () => process.stderr.write(`\n${line}\n`))
  }
}
