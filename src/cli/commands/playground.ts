import { madeBy } from '../../core/method/index.ts'
import { integer } from '../../input.ts'
import { type Command, UsageError } from './command.ts'
import { browserModule } from './modules.ts'
import { print } from './output.ts'
import { isModule, watermarkOf, watermarksOf } from './own-watermark.ts'

const PORT = 4321

/** Bundles the user's own module for the browser, or returns the shipped watermark that the form shows first. */
async function watermarkFor(name: string | undefined) {
  if (name === undefined) return {}
  if (isModule(name)) {
    await watermarksOf(name) // an error in it is printed here, not in the browser's console
    return { own: await browserModule(name) }
  }
  const watermark = await watermarkOf(name)
  const { method, options } = madeBy(watermark)!
  if (options.codes !== undefined || options.context !== undefined)
    throw new UsageError(
      `--watermark: the playground has no field for codes or context rules, got '${name}'; give it without them`,
    )
  const values = Object.entries(options).map(([option, value]) => [option, `${value}`])
  return { first: { method: method.name, values: Object.fromEntries(values) as Record<string, string> } }
}

export const playground: Command = {
  usage: '[--watermark ./mine.ts] [--port N]',
  summary: 'Serves the playground: write with a watermark in your browser and try to remove it.',
  flags: {
    watermark: {
      value: 'ID',
      short: 'w',
      help: 'a module with your own watermarks, such as ./mine.ts, or a shipped watermark to start with',
    },
    port: { value: 'N', help: `port on this machine; ${PORT} by default, 0 for a free one` },
  },
  async run(input, output) {
    const port = integer('--port', input.number('port') ?? PORT, 0, 65535)
    const chosen = await watermarkFor(input.flag('watermark'))
    if (output.isTerminal) output.error('collecting the files of the playground')
    const { playgroundFiles } = await import('../playground/files.ts')
    const { serve } = await import('../playground/serve.ts')
    const { isKept, keptFolder } = await import('../../text/models/index.ts')
    const { stories15m } = await import('../../text/models/index.ts')
    const stories = isKept(stories15m) ? { stories: keptFolder(stories15m) } : {}
    // served on this machine, so fast compression beats small files
    const files = await playgroundFiles({ level: 1, ...stories, ...chosen })
    const { url } = await serve((path) => files.get(path), port)
    print(output, `playground at ${url} (Ctrl-C to stop)`)
    return new Promise<number>(() => {}) // until it is interrupted
  },
}
