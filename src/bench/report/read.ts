/** Reads reports back from their JSON files. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text as checkText, show } from '../../input.ts'
import type { Report } from './report.ts'
import { misfitOf } from './shape.ts'

/** A report from the text of its file; undefined for JSON that is something else. */
function parse(file: string, text: string): Report | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new SyntaxError(`${file}: expected JSON (${(error as Error).message})`)
  }
  if (value === null || typeof value !== 'object' || !('tables' in value && 'charts' in value))
    return undefined
  const misfit = misfitOf(value)
  if (misfit) {
    const got = misfit.value === undefined ? 'nothing' : show(misfit.value)
    throw new TypeError(`${file}: ${misfit.at}: expected ${misfit.expected}, got ${got}`)
  }
  return value as Report
}

/** The text of a file in a folder of reports. */
function textIn(file: string): string {
  if (!statSync(file).isFile()) throw new TypeError(`${file}: expected a file, found something else`)
  return readFileSync(file, 'utf8')
}

/** The report of one file. */
export function readReport(file: string): Report {
  const report = parse(file, readFileSync(file, 'utf8'))
  if (report === undefined) throw new TypeError(`${file}: expected a report, found other JSON`)
  return report
}

/**
 * All reports of a folder, in the order that they declare; those without one follow by name.
 * @example
 * await writeReport({ name: 'mine', title: 'Mine', summary: [], scale: 'mine', standIns: [], notes: [], tables: [], charts: [], provenance: {} }, './reports')
 * readReports('./reports').map(({ name }) => name) // ['mine']
 */
export function readReports(folder = 'reports'): Report[] {
  checkText('folder', folder)
  const place = ({ order = Number.POSITIVE_INFINITY }: Report) => order
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => parse(join(folder, file), textIn(join(folder, file))) ?? [])
    .sort((a, b) => {
      const [x, y] = [place(a), place(b)]
      return x === y ? (a.name < b.name ? -1 : 1) : x - y
    })
}
