/** From a study to cells. All protocols get their cells here, so that equal work is the same cell. */
import { type Cell, cell } from '../cells/cell.ts'
import { cellCode } from '../cells/cell-code.ts'
import type { Keys } from '../steps/generate.ts'
import { steps } from '../steps/index.ts'
import type { ModelRef, Resources } from '../steps/resources.ts'
import { type Method, methodOf, none, publishedTest } from '../study/methods.ts'
import type { StudiedAttack, Study, Task } from '../study/study.ts'

/** Digests of models, data and code: part of the address of every cell that uses them. */
export interface Identities {
  /** Of models by {@link modelName}. */
  readonly models: ReadonlyMap<string, string>
  /** Of the code of watermarks, by id. */
  readonly watermarks: ReadonlyMap<string, string>
  readonly data: ReadonlyMap<string, { readonly limit: number; readonly digest: string }>
  /** Of the human-written text that false positives are counted on. */
  readonly human: { readonly limit: number; readonly digest: string }
  /** Of the second corpus, where the study has one that is here. */
  readonly corpus?: Identities['human']
}

/** A run of consecutive prompts and the cell of their texts. */
export interface Block {
  readonly from: number
  readonly to: number
  readonly per: number
  readonly cell: Cell
}

/** Texts of one method: where they come from and their blocks. */
export interface TextSet {
  readonly model: ModelRef
  readonly data: string
  readonly keys: Keys
  readonly blocks: readonly Block[]
}

/** Names a model: different number formats and revisions are different models, and so is a model used as an encoder. */
export const modelName = (
  { id, dtype, revision }: ModelRef,
  kind: 'decoder' | 'encoder' = 'decoder',
): string =>
  [id, dtype, revision, kind === 'encoder' ? 'encoder' : undefined]
    .filter((part) => part !== undefined)
    .join(' ')

function identity(known: ReadonlyMap<string, string>, what: string, name: string): string {
  const digest = known.get(name)
  if (!digest) throw new Error(`${what} ${name}: expected a digest, got none`)
  return digest
}

/** Lists a study's watermarks, each followed by the test of its published code on the same texts, where there is one. */
const testsOf = (study: Study): Method[] =>
  study.watermarks.flatMap((watermark) => {
    const own = methodOf(watermark)
    return own.alignment ? [own] : [own, publishedTest(watermark) ?? []].flat()
  })

/** The tests, the published tests of alignments where the study asks for them, and variants of methods that are among them. */
function detectedOf(study: Study): Method[] {
  const tests = testsOf(study)
  const slow = study.watermarks.filter((watermark) => methodOf(watermark).alignment)
  const variants = (study.variants ?? []).map(methodOf)
  return [
    ...tests,
    ...(study.alignment.published ? slow.flatMap((watermark) => publishedTest(watermark) ?? []) : []),
    ...variants.filter(({ family }) => tests.some((test) => test.family === family)),
  ]
}

/** Gives an attack the temperature of the study: a model rewrites its own texts as it wrote them, unless the attack states another. */
function atTemperature(attack: string, temperature: number): string {
  const [, name, list = ''] = /^(rewrite|reword)(?:\((.*)\))?$/.exec(attack) ?? []
  if (!name || list.includes('temperature=')) return attack
  return `${name}(${[...(list ? [list] : []), `temperature=${temperature}`].join()})`
}

export class Plan {
  readonly study: Study
  /** The study's watermarks. */
  readonly methods: readonly Method[]
  /** The same, each followed by its published test where there is one: the rows of tables about detection. */
  readonly tests: readonly Method[]
  /** The tests, published tests of alignments and variants: the rows of table 3, and but for the second of tables 4 to 6. */
  readonly detected: readonly Method[]
  readonly #ids: Identities
  /** Text sets by what determines them; tables share them. */
  readonly #sets = new Map<string, TextSet>()

  constructor(study: Study, ids: Identities) {
    this.study = study
    this.#ids = ids
    this.methods = study.watermarks.map(methodOf)
    this.tests = testsOf(study)
    this.detected = detectedOf(study)
  }

  /** Addresses a cell: its code is the code of its step and, where it uses one, of its watermark. */
  #cell(
    step: string,
    inputs: object & { readonly watermark?: string | null },
    label: string,
    needs: readonly Cell[] = [],
  ): Cell {
    const { watermark } = inputs
    const own = watermark ? identity(this.#ids.watermarks, 'watermark', watermark) : undefined
    return cell(step, inputs as Cell['inputs'], { label, needs, code: cellCode(steps[step]!, own) })
  }

  #data(name: string) {
    return { name, ...this.#ids.data.get(name)! }
  }

  /** Returns the model with the digest of its files, as cells refer to it. */
  #model(ref: ModelRef, kind?: 'encoder') {
    return { ...ref, digest: identity(this.#ids.models, 'model', modelName(ref, kind)) }
  }

  #texts(
    method: Method | undefined,
    set: string,
    keys: Keys,
    from: { model: ModelRef; data: string; prompts: number; tokens: number; stop: boolean; per: number },
  ): TextSet {
    const name = JSON.stringify([method?.writer ?? null, set, from.model, from.data])
    const kept = this.#sets.get(name)
    if (kept) return kept
    const { batch, block = batch, seed, temperature } = this.study
    const step = Math.max(1, Math.floor(block / from.per))
    // some datasets have fewer prompts than a study asks for
    const prompts = Math.min(from.prompts, this.#ids.data.get(from.data)!.limit)
    const starts = Array.from({ length: Math.ceil(prompts / step) }, (_, i) => i * step)
    const blocks = starts.map((start) => {
      const to = Math.min(prompts, start + step)
      const inputs = {
        model: this.#model(from.model),
        data: this.#data(from.data),
        from: start,
        to,
        per: from.per,
        watermark: method?.writer ?? null,
        keys,
        set,
        seed,
        tokens: from.tokens,
        temperature,
        stop: from.stop,
        batch,
      }
      const label = `${method?.label ?? 'no watermark'}, ${from.data} ${start + 1}-${to}`
      return { from: start, to, per: from.per, cell: this.#cell('generate', inputs, label) }
    })
    const texts = { model: from.model, data: from.data, keys, blocks }
    this.#sets.set(name, texts)
    return texts
  }

  /** Open-ended texts of a method (none: undefined), one per prompt, a fresh key each; fewer for slow detectors. */
  open(method: Method | undefined, model: ModelRef, data: string): TextSet {
    const { open, alignment } = this.study
    const { tokens } = open
    const prompts = method?.alignment ? Math.min(open.prompts, alignment.texts) : open.prompts
    const keys: Keys = { kind: 'fresh', seed: this.study.seed }
    return this.#texts(method, 'open', keys, { model, data, prompts, tokens, stop: false, per: 1 })
  }

  /** Pairs every model with every dataset. */
  openSources(): { model: ModelRef; data: string }[] {
    const { models, data } = this.study.open
    return models.flatMap((model) => data.map((name) => ({ model, data: name })))
  }

  /** Table 1: one text per prompt of a task, a fresh key each. */
  oneShot(method: Method | undefined, task: Task): TextSet {
    const keys: Keys = { kind: 'fresh', seed: this.study.seed }
    return this.#texts(method, 'one-shot', keys, { ...task, per: 1 })
  }

  /** Table 2: many texts per prompt, one key. `set` tells the model from its independent copy. */
  repeated(method: Method | undefined, task: Task, set: string): TextSet {
    const { prompts, generations } = this.study.repeated
    const keys: Keys = { kind: 'fixed', seed: this.study.seed }
    return this.#texts(method, `repeated ${set}`, keys, { ...task, prompts, per: generations })
  }

  measure(texts: TextSet, task: Task): Cell[] {
    return texts.blocks.map((block) => {
      const inputs = {
        model: this.#model(task.model),
        judge: task.judge ? this.#model(task.judge) : null,
        encoder: this.#model(encoderOf(task), 'encoder'),
        data: this.#data(task.data),
        from: block.from,
        per: block.per,
        texts: (block.to - block.from) * block.per,
        metrics: task.metrics,
        ...(task.referenceWords ? { referenceWords: task.referenceWords } : {}),
        perplexityBound: this.study.repeated.perplexityBound,
      }
      return this.#cell('measure', inputs, `metrics of ${block.cell.label}`, [block.cell])
    })
  }

  /** Numbers of generations at which the repeated-prompt test is tried: powers of two up to all. */
  repeatSizes(): number[] {
    const { generations } = this.study.repeated
    return [2, 4, 8, 16, 32, 64, 128, 256, 512].filter((size) => size < generations)
  }

  /** Statistics of table 2 for one method; without one, for a second copy of the model, as a baseline. */
  drift(method: Method | undefined, task: Task): Cell {
    const { prompts, generations } = this.study.repeated
    const sets = [
      this.repeated(undefined, task, 'model'),
      this.repeated(undefined, task, 'copy'),
      this.repeated(method, task, method ? 'method' : 'second copy'),
    ].map((texts) => this.measure(texts, task))
    const inputs = {
      metrics: task.metrics,
      prompts,
      generations,
      sizes: this.repeatSizes(),
      subsets: 20,
      blocks: sets.map((cells) => cells.length),
      seed: this.study.seed,
      runs: 9999,
    }
    return this.#cell(
      'repeat',
      inputs,
      `drift of ${method?.label ?? 'no watermark'}, ${task.data}`,
      sets.flat(),
    )
  }

  budget(method: Method): Cell {
    const inputs = { watermark: method.id, p: [0.5, 0.3, 0.2], distance: 0.5 }
    return this.#cell('budget', inputs, `query budget of ${method.label}`)
  }

  #tested({ id }: Method, { model, keys }: TextSet, { from }: Block) {
    return { model: this.#model(model), watermark: id, keys, from }
  }

  /** Makes a cell of each block with some of the first `most` texts of a set, or of fewer for alignment tests; `limit` says how many. */
  #first<T>(method: Method, texts: TextSet, most = Infinity, make: (block: Block, limit: number) => T): T[] {
    const share = method.alignment ? Math.min(most, this.study.alignment.texts) : most
    return texts.blocks.flatMap((block) => {
      const limit = Math.min(block.to, share) - block.from
      return limit > 0 ? [make(block, limit)] : []
    })
  }

  /** P-values of texts, written with or without the method, under the method's keys. */
  detect(
    method: Method,
    texts: TextSet,
    options: { lengths?: boolean; texts?: number | undefined; attacked?: boolean } = {},
  ): Cell[] {
    const { alignment } = this.study
    const { tokens, lengths } = this.study.open
    // An alignment test per prefix would take most of the time of a run: it gets the shortest and a middle one.
    const some = lengths.filter((_, i) => !method.alignment || i % 3 === 0)
    return this.#first(method, texts, options.texts, (block, limit) => {
      const inputs = {
        ...this.#tested(method, texts, block),
        per: block.per,
        limit: limit * block.per,
        lengths: options.lengths && method.id === method.writer ? some.filter((n) => n < tokens) : [],
        ...(method.alignment ? { runs: options.attacked ? alignment.attackedRuns : alignment.runs } : {}),
      }
      return this.#cell('detect', inputs, `${method.label} tested on ${block.cell.label}`, [block.cell])
    })
  }

  /** Shows the first texts of a set, with a method's scores. */
  sample(method: Method, texts: TextSet, most: number): Cell {
    const block = texts.blocks[0]!
    const inputs = {
      ...this.#tested(method, texts, block),
      data: this.#data(texts.data),
      limit: Math.min(most, block.to - block.from),
    }
    return this.#cell('sample', inputs, `samples of ${block.cell.label} for ${method.label}`, [block.cell])
  }

  /** Counts false positives on human-written text: passages as they are, or joined, or another corpus. Alignment tests would take hours. */
  human(method: Method, kind: 'whole' | 'joined' | 'corpus'): Cell[] {
    const { data, keys, joined, corpus } = this.study.human
    const other = corpus?.missing || !corpus ? undefined : { passages: 1, tokens: null, keys: corpus.keys }
    const how = { whole: { passages: 1, tokens: null, keys }, joined, corpus: other }[kind]
    if (method.alignment || !how) return []
    const texts =
      kind === 'corpus' ? { name: corpus!.data, ...this.#ids.corpus! } : { name: data, ...this.#ids.human }
    return this.study.open.models.map((model) => {
      const inputs = {
        model: this.#model(model),
        data: texts,
        watermark: method.id,
        joined: how.passages,
        tokens: how.tokens,
        keys: how.keys,
        seed: this.study.seed,
      }
      return this.#cell('human', inputs, `${method.label} tested on human-written text`)
    })
  }

  /** Certified radii of a method's first texts; alignment tests have no certificate. */
  certify(method: Method, texts: TextSet, alpha: number): Cell[] {
    const { texts: most, step } = this.study.certify
    return this.#first(method, texts, method.alignment ? 0 : most, (block, limit) => {
      const inputs = {
        ...this.#tested(method, texts, block),
        limit,
        alpha,
        seed: this.study.seed,
        step,
      }
      return this.#cell('certify', inputs, `certificates of ${block.cell.label}`, [block.cell])
    })
  }

  /**
   * Returns the texts after an attack; at least the first `most` of them, where that is given: the first trial of one of the study's own attacks
   * is the one that tables 4 to 6 need for more texts.
   */
  attacked(method: Method, texts: TextSet, attack: StudiedAttack, trial: number, most?: number): TextSet {
    const own = trial === 0 && this.study.attacks.includes(attack)
    const [task] = this.study.tasks
    const first = Math.min(own ? Infinity : (most ?? Infinity), attack.texts ?? Infinity)
    const blocks = this.#first(method, texts, first, (block, limit) => {
      const inputs = {
        model: this.#model(texts.model),
        data: this.#data(texts.data),
        from: block.from,
        attack: atTemperature(attack.id, this.study.temperature),
        ...(attack.model ? { paraphraser: this.#model(attack.model) } : {}),
        // what is left of the meaning is measured once, on texts without a watermark
        ...(own && method === none && task ? { encoder: this.#model(encoderOf(task), 'encoder') } : {}),
        seed: this.study.seed,
        trial,
        limit,
      }
      const label = `${attack.label} on ${block.cell.label}`
      return { ...block, to: block.from + limit, cell: this.#cell('attack', inputs, label, [block.cell]) }
    })
    return { ...texts, blocks }
  }
}

/** Returns the model that BERTScore compares with. */
const encoderOf = ({ encoder, judge, model }: Task): ModelRef => encoder ?? judge ?? model

/** The most prompts of a study whose texts are kept. */
const MAX_KEPT = 1000

/** Reads the digests of all models, data and watermarks of a study. */
export async function identify(study: Study, resources: Resources): Promise<Identities> {
  const { tasks, open, attacks, repeated } = study
  const models = new Map<string, string>()
  const note = async (ref: ModelRef | undefined, kind?: 'encoder') => {
    if (ref && !models.has(modelName(ref, kind)))
      models.set(modelName(ref, kind), await resources.modelDigest(ref, kind))
  }
  for (const ref of [...open.models, ...tasks.flatMap(({ model, judge }) => [model, judge])]) await note(ref)
  for (const { model } of attacks) await note(model)
  for (const task of tasks) await note(encoderOf(task), 'encoder')
  const watermarks = new Map<string, string>()
  for (const { id } of detectedOf(study)) watermarks.set(id, await resources.watermarkCode(id))
  const data = new Map<string, { limit: number; digest: string }>()
  // the digest of kept texts must not depend on how many there are yet
  const most = (name: string) =>
    Math.max(
      ...(study.kept ? [MAX_KEPT] : []),
      ...tasks.filter((task) => task.data === name).map((task) => Math.max(task.prompts, repeated.prompts)),
      ...(open.data.includes(name) ? [open.prompts] : []),
    )
  for (const name of [...open.data, ...tasks.map((task) => task.data)]) {
    const reading = await resources.data(name, most(name))
    const limit = reading.examples.length
    if (tasks.some((task) => task.data === name) && limit < repeated.prompts)
      throw new RangeError(
        `${name}: expected at least ${repeated.prompts} prompts, as study.repeated asks for, got ${limit}`,
      )
    data.set(name, { limit, digest: reading.digest })
  }
  const { corpus } = study.human
  const people = async (name: string, most: number) => {
    const { examples, digest } = await resources.data(name, most)
    return { limit: examples.length, digest }
  }
  const human = await people(study.human.data, study.human.passages)
  if (!corpus || corpus.missing) return { models, watermarks, data, human }
  return { models, watermarks, data, human, corpus: await people(corpus.data, corpus.texts) }
}
