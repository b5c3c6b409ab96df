/** Prompts of the user's own: a file with a column `prompt` and, where there are any, `reference`, `system` and `id`. */
import { basename } from 'node:path'
import type { DatasetDeclaration } from './dataset.ts'
import { textColumn } from './row.ts'

/** Whether the name of a dataset is that of a file. */
export const isPromptFile = (name: string): boolean => /\.(jsonl|json|csv)(\.gz)?$|\.parquet$/.test(name)

export function promptFile(path: string): DatasetDeclaration {
  const id = basename(path)
  return {
    id,
    files: /./,
    columns: ['prompt'],
    example(row, index) {
      const given = (name: string) =>
        row[name] === undefined || row[name] === null ? {} : { [name]: textColumn(row, name, id) }
      return {
        id: row.id === undefined ? `${index}` : String(row.id),
        prompt: textColumn(row, 'prompt', id),
        ...given('reference'),
        ...given('system'),
      }
    },
  }
}
