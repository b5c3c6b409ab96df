/** The texts of a run: pairs with and without the mark, requests alone and in a crowd, and prompts that are asked again. */
import { ServerFailure } from '../../text/models/index.ts'
import type { Completion } from './answer.ts'
import { type Ask, type CollectOptions, Collector } from './collect.ts'
import type { Asked, Fields } from './server.ts'

/** A pair of texts of one prompt under one way to sample. */
export interface SampledPair {
  readonly setting: number
  /** True for the first pair of its prompt. */
  readonly isFirst: boolean
  readonly prompt: string
  readonly marked: Completion
  readonly plain: Completion
}

export interface Samples {
  readonly settings: readonly Fields[]
  /** Pairs in waves: those of one wave were written side by side. */
  readonly waves: readonly (readonly SampledPair[])[]
  /** Marked texts in a crowd, the same alone, and some of them alone once more. */
  readonly crowd: readonly Completion[]
  readonly alone: readonly Completion[]
  readonly again: readonly Completion[]
  /** Prompt by prompt: generations without the mark, with it, and without it again. */
  readonly repeated: readonly (readonly [
    readonly Completion[],
    readonly Completion[],
    readonly Completion[],
  ])[]
  /** Reported probabilities with the mark on beside those of the same prefix with the mark off. */
  readonly forced: readonly (readonly [Completion, number, Completion])[]
}

const CROWD = 64
const REPEATED_PROMPTS = 8
const GENERATIONS = 8
const FORCED = 8

/** Fields that ask for token ids and probabilities, richest first: servers differ in what they accept. */
const wishes = (chat: boolean): readonly Fields[] => {
  const ids = { return_token_ids: true, return_tokens_as_token_ids: true }
  const top = (n: number): Fields => (chat ? { logprobs: true, top_logprobs: n } : { logprobs: n })
  return [{ ...top(20), ...ids }, top(20), { ...top(5), ...ids }, top(5), ids, {}]
}

/** Returns no answers where the server refuses what was asked; other failures are passed on. */
function noneIfRefused(error: unknown): Completion[][] {
  if (error instanceof ServerFailure && /status 4(00|22)/.test(error.message)) return []
  throw error
}

export class Sampler {
  readonly collector: Collector
  readonly #asked: Asked
  #fields: Fields = {}
  #settings: readonly Fields[] = []

  constructor(asked: Asked, options: CollectOptions) {
    this.#asked = asked
    this.collector = new Collector(options)
  }

  #ask(id: string, isMarked: boolean, prompt: unknown, extra: Fields): Ask {
    const { model, url, plainUrl, off, maxTokens, chat } = this.#asked
    const said = chat ? { messages: [{ role: 'user', content: prompt }] } : { prompt }
    const body = { model, ...said, max_tokens: maxTokens, ...this.#fields, ...extra, ...(!isMarked && off) }
    return { id, url: isMarked ? url : plainUrl, body }
  }

  /** Tries what the server accepts: fields that ask for probabilities, then ways to sample. */
  async #negotiate(): Promise<void> {
    const tried = async (id: string, extra: Fields): Promise<ServerFailure | undefined> => {
      try {
        await this.collector.ask(this.#ask(id, false, this.#asked.prompt(0), { max_tokens: 1, ...extra }))
        return undefined
      } catch (error) {
        if (!(error instanceof ServerFailure) || !/status 4(00|22)/.test(error.message)) throw error
        return error
      }
    }
    let refused: ServerFailure | undefined
    for (const [i, wish] of wishes(this.#asked.chat).entries()) {
      this.#fields = wish
      refused = await tried(`accepts/${i}`, {})
      if (refused === undefined) break
    }
    if (refused !== undefined) throw refused
    const accepted: Fields[] = []
    for (const [i, setting] of this.#asked.sampling.entries()) {
      refused = await tried(`samples/${i}`, setting)
      if (refused === undefined) accepted.push(setting)
    }
    if (accepted.length === 0) throw refused!
    this.#settings = accepted
  }

  async #pairs(count: number): Promise<SampledPair[][]> {
    const { concurrency, prompts, prompt } = this.#asked
    const size = Math.max(1, concurrency >> 1)
    const waves: SampledPair[][] = []
    for (let from = 0; from < count && !this.collector.isOver; from += size) {
      const numbers = Array.from({ length: Math.min(size, count - from) }, (_, i) => from + i)
      const setting = waves.length % this.#settings.length
      const asks = numbers.flatMap((i) =>
        [true, false].map((isMarked) =>
          this.#ask(`pair/${i}/${isMarked ? 'on' : 'off'}`, isMarked, prompt(i), this.#settings[setting]!),
        ),
      )
      const answers = await this.collector.together(asks)
      const pairOf = (i: number, at: number): SampledPair => ({
        setting,
        isFirst: i < prompts,
        prompt: prompt(i),
        marked: answers[2 * at]![0]!,
        plain: answers[2 * at + 1]![0]!,
      })
      waves.push(numbers.map(pairOf))
    }
    return waves
  }

  /** The same requests with the same seeds, side by side and one by one. */
  async #crowd(size: number, from: number): Promise<Pick<Samples, 'crowd' | 'alone' | 'again'>> {
    const ask = (kind: string, i: number) =>
      this.#ask(`${kind}/${i}`, true, this.#asked.prompt(from + i), { ...this.#settings[0]!, seed: 1000 + i })
    const numbers = Array.from({ length: this.collector.isOver ? 0 : size }, (_, i) => i)
    const crowd = (await this.collector.together(numbers.map((i) => ask('crowd', i)))).map(([one]) => one!)
    const alone: Completion[] = []
    const again: Completion[] = []
    for (const i of numbers) {
      if (this.collector.isOver) break
      alone.push((await this.collector.together([ask('alone', i)]))[0]![0]!)
      if (i < size >> 2) again.push((await this.collector.together([ask('again', i)]))[0]![0]!)
    }
    return { crowd, alone, again }
  }

  async #repeated(prompts: number, from: number): Promise<Samples['repeated']> {
    const all: (readonly [Completion[], Completion[], Completion[]])[] = []
    for (let i = 0; i < prompts && !this.collector.isOver; i++) {
      const extra = { ...this.#settings[0]!, n: GENERATIONS }
      const ask = (kind: string) =>
        this.#ask(`repeated/${i}/${kind}`, kind === 'on', this.#asked.prompt(from + i), extra)
      const [plain, marked, clone] = await this.collector
        .together(['off', 'on', 'off again'].map(ask))
        .catch(noneIfRefused)
      if (plain?.length !== GENERATIONS || marked?.length !== GENERATIONS || clone?.length !== GENERATIONS)
        break
      all.push([plain, marked, clone])
    }
    return all
  }

  /** Asks with the mark off for what follows the beginning of marked texts. Needs token ids of prompts, and a server that takes them. */
  async #forced(waves: readonly (readonly SampledPair[])[]): Promise<Samples['forced']> {
    const pairs = waves.flat().filter(({ setting, marked }) => setting === 0 && marked.steps !== undefined)
    const texts = pairs
      .filter(({ marked: { ids, promptIds } }) => promptIds && ids !== undefined && ids.length > 0)
      .slice(0, FORCED)
    const found: (readonly [Completion, number, Completion])[] = []
    for (const [i, { marked }] of texts.entries()) {
      const t = (marked.tokens.length * 3) >> 2
      const prompt = [...marked.promptIds!, ...marked.ids!.slice(0, t)]
      const extra = { ...this.#settings[0]!, max_tokens: 1 }
      const [next] = await this.collector
        .together([this.#ask(`forced/${i}`, false, prompt, extra)])
        .catch(noneIfRefused)
      if (next?.[0]?.steps === undefined) break
      if (next[0].steps.length > 0) found.push([marked, t, next[0]])
    }
    return found
  }

  async run(): Promise<Samples> {
    await this.#negotiate()
    const { requests } = this.#asked
    const crowd = Math.min(CROWD, requests >> 4)
    const prompts = Math.min(REPEATED_PROMPTS, Math.floor(requests / 25))
    const others = 9 + 2 * crowd + (crowd >> 2) + 3 * prompts + FORCED
    const pairs = Math.max(1, (requests - others) >> 1)
    const waves = await this.#pairs(pairs)
    return {
      settings: this.#settings,
      waves,
      ...(await this.#crowd(crowd, pairs)),
      repeated: await this.#repeated(prompts, pairs + crowd),
      forced: this.#asked.chat ? [] : await this.#forced(waves),
    }
  }
}
