import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The same from src/ and from dist/. */
const folder = fileURLToPath(new URL('../../fixtures/models/uwbench-lm', import.meta.url))

/** The folder of the model that ships with the package: see its card, `fixtures/models/uwbench-lm/README.md`. */
export function embeddedFolder(): string {
  if (!existsSync(folder)) throw new Error(`the embedded model is not in this installation: no ${folder}`)
  return folder
}
