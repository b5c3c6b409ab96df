/** Servers for tests, on this machine. */
import OpenAI from 'openai'
import { afterAll } from 'vitest'
import { type RunningServer, type ServeOptions, startServer } from '../../src/cli/serve/start.ts'
import { gumbel } from '../../src/index.ts'
import type { LanguageModel } from '../../src/text/decode/language-model.ts'
import { markovModel } from '../../src/text/decode/toy.ts'

export const key = 'the secret key of this server'
export const toy = markovModel({ vocabSize: 50, entropy: 2 })

/** A toy model with a chat template: the words of all messages, one after the other. */
export const chatty: LanguageModel = {
  ...toy,
  tokenizer: {
    ...toy.tokenizer,
    encodeChat: (messages) => messages.flatMap(({ content }) => toy.tokenizer.encode(content)),
  },
}

/** A model that waits before every step. */
export const slow = (milliseconds: number): LanguageModel => ({
  ...toy,
  async begin(prompts) {
    const session = await toy.begin(prompts)
    const step = session.step.bind(session)
    session.step = async (tokens) => {
      await new Promise((resolve) => setTimeout(resolve, milliseconds))
      await step(tokens)
    }
    return session
  },
})

/** A model that takes no step before `release` is called. */
export function gated(): { model: LanguageModel; release: () => void } {
  let release!: () => void
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const model = {
    ...toy,
    async begin(prompts: readonly ArrayLike<number>[]) {
      await gate
      return toy.begin(prompts)
    },
  }
  return { model, release }
}

/** Starts a server that is closed after the tests of the file. */
export async function started(options: Partial<ServeOptions> = {}): Promise<RunningServer> {
  const server = await startServer({ model: toy, name: 'toy', watermark: gumbel(), key, ...options })
  afterAll(() => server.close())
  return server
}

/** The client of the npm package `openai`. */
export const clientOf = ({ url }: RunningServer): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 })

/** Sends JSON and returns the status and the answer. */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; answer: Record<string, unknown> }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> }
}
