// Tests the texts of a file of token ids with detectMany, already in memory, and prints the milliseconds of processor time that this
// took: node json-lines.mjs FILE WATERMARK VOCABULARY KEY. Parts of the size that the command line has, again and again.
import { readFileSync } from 'node:fs'
import { detectMany, parseWatermark } from '../../dist/index.js'

const [file, id, vocabSize, key] = process.argv.slice(2)
const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
const texts = lines.map((line) => Int32Array.from(JSON.parse(line).tokens))
const watermark = parseWatermark(id)
const { user, system } = process.cpuUsage()
for (let i = 0; i < texts.length; i += 256)
  detectMany(watermark, texts.slice(i, i + 256), { key, vocabSize: Number(vocabSize) })
const spent = process.cpuUsage({ user, system })
console.log(JSON.stringify({ milliseconds: (spent.user + spent.system) / 1000 }))
