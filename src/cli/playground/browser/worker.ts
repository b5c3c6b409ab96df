/** The worker of the playground: runs the model and the detection, so that the page never freezes. */
import { expectToyKeys } from '../../../core/keys/short-key.ts'
import { generateMany } from '../../../text/decode/generate.ts'
import type { LanguageModel } from '../../../text/decode/language-model.ts'
import { drift } from './drift.ts'
import { forgetOthers } from './kept-files.ts'
import { type Choice, choicesOf, watermarkOf } from './methods.ts'
import { follower, verdictOf } from './pieces.ts'
import {
  type Address,
  addressIn,
  type FromWorker,
  type Kind,
  type Manifest,
  type Requests,
  type Side,
  type ToWorker,
} from './protocol.ts'
import { webModel } from './web-model.ts'
import { type Runtime, webRuntime } from './web-runtime.ts'

const base = new URL('.', location.href).href
const post = (message: FromWorker): void => postMessage(message)

// keys of a playground need not be strong
expectToyKeys()

let choices: readonly Choice[] = []
let manifest: Manifest = { models: [], digests: {} }
let at: Address
let runtime: Promise<Runtime> | undefined
const models = new Map<string, Promise<LanguageModel>>()
let current: LanguageModel | undefined

interface Call<K extends Kind> {
  readonly report: (event: Requests[K]['event']) => void
  readonly signal: AbortSignal
}

type Handlers = {
  [K in Kind]: (input: Requests[K]['input'], call: Call<K>) => Promise<Requests[K]['output']>
}

function loaded(): LanguageModel {
  if (current === undefined) throw new Error('no model is loaded yet')
  return current
}

const handlers: Handlers = {
  async open() {
    manifest = (await (await fetch(new URL('playground.json', base))).json()) as Manifest
    at = addressIn(base, manifest)
    runtime = webRuntime(at)
    void forgetOthers(new Set(Object.keys(manifest.digests).map(at))).catch(() => undefined)
    const own = manifest.own ? await import(/* @vite-ignore */ new URL(manifest.own, base).href) : {}
    choices = choicesOf(own)
    return { methods: choices.map(({ info }) => info), manifest }
  },
  async load({ model: name }, { report }) {
    const info = manifest.models.find((model) => model.name === name)
    if (info === undefined) throw new RangeError(`no model '${name}'`)
    const opening = async () =>
      webModel(await runtime!, info, at, (bytes) => report({ loaded: bytes, total: info.bytes }))
    const model = models.get(name) ?? opening()
    models.set(name, model)
    current = await model.catch((error) => {
      models.delete(name)
      throw error
    })
    return null
  },
  async write({ prompt, tokens, temperature, seed, ...chosen }, { report, signal }) {
    const model = loaded()
    const watermark = watermarkOf(choices, chosen)
    const { key, message } = chosen
    const marked = { model, watermark, key, message }
    const writing = watermark.messages?.of(message) ?? watermark
    const followers = [follower(marked), follower(marked)]
    // both sides draw with the same randomness
    const requests = [{ prompt }, { prompt, watermark: writing, key }].map((one) => ({ ...one, index: 0 }))
    const texts = await generateMany(model, requests, {
      maxNewTokens: Math.min(tokens, model.maxLength - model.tokenizer.encodePrompt(prompt).length),
      stopTokens: [], // a text that ends early shows little; the model goes on with another one
      temperature,
      signal,
      ...(seed !== undefined && { seed }),
      onToken: ({ text, token }) => report({ side: text as Side, ...followers[text]!(token) }),
    })
    return texts.map((text) => verdictOf(marked, text.tokens)) as unknown as Requests['write']['output']
  },
  async detect({ text, original, ...chosen }) {
    const model = loaded()
    const { key, message } = chosen
    const marked = { model, watermark: watermarkOf(choices, chosen), key, message }
    return verdictOf(marked, model.tokenizer.encode(text), original)
  },
  async drift({ prompt, temperature, ...chosen }, { signal }) {
    const model = loaded()
    const tokens = model.tokenizer.encodePrompt(prompt)
    const watermark = watermarkOf(choices, { ...chosen, message: '' })
    return drift({ model, watermark, key: chosen.key, prompt: tokens, temperature, signal })
  },
}

const running = new Map<number, AbortController>()

addEventListener('message', async ({ data }: MessageEvent<ToWorker>) => {
  const { id, kind } = data
  if (kind === 'stop') return running.get(id)?.abort()
  const controller = new AbortController()
  running.set(id, controller)
  try {
    const handle = handlers[kind] as (input: unknown, call: Call<Kind>) => Promise<unknown>
    const report = (event: unknown) => post({ id, event })
    post({ id, output: await handle(data.input, { report, signal: controller.signal }) })
  } catch (error) {
    const { name, message } = error as Error
    post({ id, error: message, stopped: name === 'AbortError' })
  } finally {
    running.delete(id)
  }
})
