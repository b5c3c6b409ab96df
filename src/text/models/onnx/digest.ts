/** The identity of a model: a digest over every file that determines what it computes. */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Settings and tokenizer: what text becomes which tokens, where texts end, how a chat is written. */
const SETTINGS = [
  'config.json',
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'chat_template.jinja',
  'chat_template.json',
]

/** Weights outside of a graph: the files beside it that it names, such as `model.onnx_data`. */
async function externalWeights(graph: string): Promise<string[]> {
  const beside = readdirSync(dirname(graph), { withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .filter((name) => !SETTINGS.includes(name) && !/\.(onnx|md|txt)$/.test(name))
    .sort()
  if (beside.length === 0) return []
  const bytes = await readFile(graph)
  return beside.filter((name) => bytes.includes(name)).map((name) => join(dirname(graph), name))
}

/** Returns the SHA-256 in hexadecimal of a model's graphs, their weights, its settings and its tokenizer: names, lengths and contents. */
export async function digestModel(folder: string, graphs: readonly string[]): Promise<string> {
  const weights = await Promise.all(graphs.map(externalWeights))
  const settings = SETTINGS.map((name) => join(folder, name)).filter(existsSync)
  const hash = createHash('sha256')
  for (const path of new Set([...graphs, ...weights.flat(), ...settings])) {
    hash.update(`${basename(path)};`)
    let bytes = 0
    for await (const chunk of createReadStream(path)) {
      hash.update(chunk)
      bytes += chunk.length
    }
    hash.update(`;${bytes};`)
  }
  return hash.digest('hex')
}
