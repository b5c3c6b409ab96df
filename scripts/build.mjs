// Builds dist/ from src/: one tsc run. A fresh dist each time, so that a deleted source leaves nothing behind.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
rmSync(`${root}/dist`, { recursive: true, force: true })
execFileSync(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
})
// The report page's style and script are files, not modules.
cpSync(`${root}/src/report/page`, `${root}/dist/report/page`, { recursive: true })
if (existsSync(`${root}/dist/cli.js`)) chmodSync(`${root}/dist/cli.js`, 0o755)
