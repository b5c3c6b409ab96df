// Resolves package-lock.json anew and removes its marks `hasInstallScript`. No dependency needs its install script; that of
// onnxruntime-node downloads GPU libraries, or fails where there is no network. Newer versions of npm read `allowScripts` in
// package.json; older ones have no such setting, but `npm ci` runs no script that the lock file does not mention.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const lock = fileURLToPath(new URL('../package-lock.json', import.meta.url))
execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], { stdio: 'inherit' })
const text = readFileSync(lock, 'utf8')
writeFileSync(lock, text.replaceAll(/^ *"hasInstallScript": true,\n/gm, ''))
