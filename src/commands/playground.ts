import { integer } from '../input.ts'
import { madeBy } from '../method/define-method.ts'
import { type Command, type Input, UsageError } from './command.ts'
import { browserModule } from './modules.ts'
import { type Output, print } from './output.ts'
import { isModule, watermarkOf, watermarksOf } from './own-watermark.ts'

const PORT = 4321

function portOf(input: Input): number {
  const text = input.flag('port')
  if (text === undefined) return PORT
  return integer('port', text.trim() === '' ? Number.NaN : Number(text), 0, 65535)
}

/** A module of the user's own for the browser, or the shipped watermark to begin with. */
async function watermarkFor(name: string | undefined) {
  if (name === undefined) return {}
  if (isModule(name)) {
    await watermarksOf(name) // an error in it is said here, not in the browser's console
    return { own: await browserModule(name) }
  }
  const watermark = await watermarkOf(name)
  const { method, options } = madeBy(watermark)!
  if (options.codes !== undefined || options.context !== undefined)
    throw new UsageError(`--watermark: the playground has no field for codes and context rules: ${name}`)
  const values = Object.entries(options).map(([option, value]) => [option, `${value}`])
  return { first: { method: method.name, values: Object.fromEntries(values) as Record<string, string> } }
}

async function start(port: number, name: string | undefined, output: Output): Promise<void> {
  const chosen = await watermarkFor(name)
  const { playgroundFiles } = await import('../playground/files.ts')
  const { serve } = await import('../playground/serve.ts')
  const { isKept, keptFolder } = await import('../models/fetched-model.ts')
  const { stories15m } = await import('../models/stories15m.ts')
  const stories = isKept(stories15m) ? { stories: keptFolder(stories15m) } : {}
  // compressed for a cable of zero length
  const files = await playgroundFiles({ level: 1, ...stories, ...chosen })
  const { url } = await serve((path) => files.get(path), port)
  print(output, `playground at ${url} (Ctrl-C to stop)`)
}

export const playground: Command = {
  usage: '[--watermark ./mine.ts] [--port N]',
  summary: 'Serves the playground in your browser: write with a watermark and try to wash it out.',
  flags: {
    watermark: {
      value: 'ID',
      short: 'w',
      help: 'a module with watermarks of your own, such as ./mine.ts, or a shipped one to begin with',
    },
    port: { value: 'N', help: `port on this machine; ${PORT} by default, 0 for a free one` },
  },
  async run(input, output) {
    await start(portOf(input), input.flag('watermark'), output)
    return new Promise<number>(() => {}) // until it is interrupted
  },
}
