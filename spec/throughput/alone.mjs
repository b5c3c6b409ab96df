// Times detection with one watermark in a process of its own: node alone.mjs ID one|many. Prints what `measure` gave as JSON.
import { register } from 'node:module'

register(new URL('../../scripts/typescript-hook.mjs', import.meta.url))
const { measureDetection } = await import('./detection.ts')
const [id, texts] = process.argv.slice(2)
console.log(JSON.stringify(measureDetection(id, texts)))
