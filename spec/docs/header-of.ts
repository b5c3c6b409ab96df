/** What the comments of the source say. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../commands/program.ts'

/** The text of the comment at the top of a file. */
export const headerOf = (file: string): string =>
  (/^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(join(root, file), 'utf8'))?.[1] ?? '')
    .replaceAll(/^ ?\* ?/gm, '')
    .trim()
