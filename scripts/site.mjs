// Builds the documentation site with its playground into _site/, which any static host serves.
//   npm run site                   with stories15M if it is there or can be fetched
//   npm run site -- --no-fetch     without asking the registry for it
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runnerImport } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: { out: { type: 'string', default: join(root, '_site') }, 'no-fetch': { type: 'boolean' } },
})
execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' })

const load = async (file) => (await runnerImport(join(root, file))).module

/** The folder of stories15m, or why there is none. */
async function stories() {
  const { fetchModel, isKept, keptFolder } = await load('src/text/models/fetched-model.ts')
  const { stories15m } = await load('src/text/models/stories15m.ts')
  if (values['no-fetch'])
    return isKept(stories15m)
      ? { stories: keptFolder(stories15m) }
      : { missing: 'This site was built without stories15M' }
  try {
    return { stories: await fetchModel(stories15m) }
  } catch (error) {
    process.stderr.write(`without stories15M: ${error.message}\n`)
    return { missing: 'This site was built without stories15M, which could not be fetched' }
  }
}

const { buildSite } = await load('site/build.ts')
const files = await buildSite({ folder: values.out, level: 9, ...(await stories()) })
const total = [...files.values()].reduce((sum, bytes) => sum + bytes, 0)
console.log(`wrote ${files.size} files, ${(total / 1e6).toFixed(1)} MB, to ${values.out}`)
