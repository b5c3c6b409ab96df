import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { show } from '../input.ts'
import type { Effort } from '../laws/law.ts'
import { isMethod } from '../method/define-method.ts'
import type { Watermark } from '../watermark.ts'
import { type AnyWatermark, parseWatermark } from '../watermarks/index.ts'
import { type Command, UsageError } from './command.ts'
import { print, printJson } from './output.ts'

const isWatermark = (value: unknown): value is Watermark =>
  typeof value === 'object' && value !== null && 'id' in value && 'draw' in value && 'context' in value

/** Watermarks that a module exports and the shipped variants of its methods, or a shipped watermark by its id. */
async function watermarksOf(name: string): Promise<AnyWatermark[]> {
  if (!/[./\\]/.test(name.replace(/\(.*\)/, ''))) return [parseWatermark(name)]
  if (!existsSync(name)) throw new UsageError(`${name}: no such file`)
  let module: Record<string, unknown>
  try {
    module = (await import(pathToFileURL(resolve(name)).href)) as Record<string, unknown>
  } catch (error) {
    throw new UsageError(`${name}: ${show(error)}`)
  }
  const found = Object.values(module).flatMap((value) =>
    isMethod(value) ? value.shipped.map((options) => value(options)) : isWatermark(value) ? [value] : [],
  )
  if (found.length === 0)
    throw new UsageError(
      `${name}: exports no watermark; export what defineWatermark or defineMethod returns (found: ${Object.keys(module).join(', ') || 'nothing'})`,
    )
  return found
}

export const check: Command = {
  usage: 'MODULE.js | ID',
  summary: 'Checks that a watermark obeys the laws. Exit code 0: all laws hold, 1: a law fails.',
  words: 1,
  flags: {
    'false-alarm': {
      value: 'A',
      help: 'chance that a correct watermark fails, for the whole run; 1e-9 by default',
    },
    bias: { value: 'B', help: 'the bias, in total variation, that must be found; 0.02 by default' },
    miss: { value: 'M', help: 'chance that such a bias is missed; 1e-3 by default' },
    effort: {
      value: 'E',
      help: 'quick, usual (the default) or thorough: how small biases are seen, and on what sizes',
    },
    seed: { value: 'S', help: 'repeat the run of this seed' },
    path: { value: 'P', help: 'with --law and --seed: repeat the case of this path' },
    law: { value: 'NAME', help: 'check this law only' },
    json: { help: 'print JSON' },
  },
  async run(input, output) {
    const [name] = input.words
    if (name === undefined) throw new UsageError('no watermark: give a module such as ./my-watermark.js')
    const { checkWatermark, renderVerdicts } = await import('../laws/index.ts')
    const law = input.flag('law')
    const seed = input.number('seed') ?? crypto.getRandomValues(new Uint32Array(1))[0]! >>> 1
    const options = {
      falseAlarm: input.number('false-alarm'),
      bias: input.number('bias'),
      miss: input.number('miss'),
      effort: input.flag('effort') as Effort | undefined,
      seed,
      path: input.flag('path'),
      laws: law === undefined ? undefined : [law],
    }
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
    let fails = 0
    for (const watermark of await watermarksOf(name)) {
      const results = await checkWatermark(watermark, given)
      fails += results.filter(({ verdict }) => verdict === 'fails').length
      if (input.on('json')) printJson(output, { watermark: watermark.id, seed, results })
      else print(output, `${renderVerdicts(watermark, results)}\n\nseed ${seed}`)
    }
    return fails === 0 ? 0 : 1
  },
}
