/** The site: built once, looked at as a folder and in a browser. */
import { beforeAll } from 'vitest'
import { buildSite } from '../../site/build.ts'
import { build, temporaryFolder } from '../commands/program.ts'
import { type BuiltSite, describeBuilt } from './built.ts'
import { describePlayground } from './playground.ts'

const folder = temporaryFolder('site')
let files: ReadonlyMap<string, number>

beforeAll(async () => {
  build()
  files = await buildSite({ folder, level: 6, missing: 'This site was built without stories15M' })
})

const site: BuiltSite = { folder, files: () => files }
describeBuilt(site)
describePlayground(site)
