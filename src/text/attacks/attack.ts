/**
 * An attack edits a text to wash its watermark out. Each is a declaration like a watermark: a printable id and a function, seeded
 * so that a report can be repeated. It reports the edit distance it *really* made: a rewriting that happens to give back
 * the same words has attacked less than its parameters promise, and robustness is only comparable at equal distance.
 */

import { checkSeed, checkTokens, MAX_VOCAB, type Stream, seededRandom } from '../../core/keys/index.ts'
import { integer, iterable, requireOptions, wrongType } from '../../input.ts'
import { editDistance } from './edit-distance.ts'

/** Inputs of an attack besides the text itself. */
export interface AttackOptions {
  /** The randomness of this one text; the same seed gives the same edits. */
  readonly seed: number | string
  /** Replacing and inserting draw from `0 .. vocabSize - 1`. */
  readonly vocabSize: number
  /** Ids never drawn: special tokens, and ids of the logits that the tokenizer does not know. */
  readonly exclude?: Iterable<number>
  /** The prompt that the text continues; only attacks with a model look at it. */
  readonly prompt?: ArrayLike<number>
  /** Unmarked text to paste into; only `copyPaste` needs it. */
  readonly human?: ArrayLike<number>
  /** Turns tokens into text and back; only edits of characters that `parseAttack` made need it. */
  readonly tokenizer?: TextTokenizer | undefined
}

/** The part of a tokenizer that attacks on text use. */
export interface TextTokenizer {
  encode(text: string): number[]
  decode(tokens: ArrayLike<number>): string
}

/** A text after an attack. */
export interface Attacked {
  readonly tokens: number[]
  /** Insertions, deletions and substitutions of tokens between the text and the attacked text, the fewest possible. */
  readonly distance: number
}

/** Edits the tokens of a text to wash its watermark out. */
export interface Attack {
  /** Unique and printable, such as `replace(rate=0.3)`. */
  readonly id: string
  apply(tokens: ArrayLike<number>, options: AttackOptions): Promise<Attacked>
  /** Many texts at once, where that is faster than one by one; the same result. */
  applyAll?(texts: readonly { tokens: ArrayLike<number>; options: AttackOptions }[]): Promise<Attacked[]>
}

/** Inputs of a text attack besides the text itself. */
export interface TextAttackOptions {
  readonly seed: number | string
  /** The prompt that the text continues; a paraphraser may look at it. */
  readonly prompt?: string
}

/** A text attack works on words; `throughText` makes it an attack on tokens. */
export interface TextAttack {
  readonly id: string
  apply(text: string, options: TextAttackOptions): Promise<string>
  /** Many texts at once, where that is faster than one by one; the same result. */
  applyAll?(texts: readonly { text: string; options: TextAttackOptions }[]): Promise<string[]>
}

export const attacked = (before: ArrayLike<number>, tokens: number[]): Attacked => ({
  tokens,
  distance: editDistance(before, tokens),
})

/** Checks the options of `apply`; returns `exclude` as a set, since a generator can be read once only. */
export function checkAttackOptions(options: AttackOptions): AttackOptions {
  requireOptions('attack', options, ['seed', 'vocabSize', 'exclude', 'prompt', 'human', 'tokenizer'])
  checkSeed(options.seed)
  integer('vocabSize', options.vocabSize, 1, MAX_VOCAB)
  const exclude = new Set<number>()
  if (options.exclude !== undefined)
    for (const id of iterable('exclude', options.exclude, 'token ids that can be iterated'))
      exclude.add(integer('exclude', id, 0))
  for (const name of ['prompt', 'human'] as const)
    if (options[name] !== undefined) checkTokens(options[name], MAX_VOCAB, name)
  return { ...options, exclude }
}

/** Returns an attack that is a plain function of tokens and a stream of its own. */
export const tokenAttack = (
  id: string,
  edit: (tokens: ArrayLike<number>, stream: Stream, options: AttackOptions) => number[],
): Attack => ({
  id,
  async apply(tokens, given) {
    const options = checkAttackOptions(given)
    checkTokens(tokens, MAX_VOCAB)
    return attacked(tokens, edit(tokens, seededRandom(options.seed, 'attack', id), options))
  },
})

/**
 * Leaves the text alone: the baseline of every robustness table.
 * @example (await noAttack().apply([1, 2, 3], { seed: 1, vocabSize: 4 })).distance // 0
 */
export const noAttack = (): Attack => tokenAttack('none', (tokens) => Array.from(tokens))

function checkedAttack(attack: TextAttack, tokenizer: unknown): TextAttack {
  const { encode, decode } = (tokenizer ?? {}) as Record<string, unknown>
  if (typeof attack !== 'object' || typeof attack?.apply !== 'function')
    throw wrongType('attack', 'a text attack such as synonyms(...)', attack)
  if (typeof encode !== 'function' || typeof decode !== 'function')
    throw wrongType('tokenizer', 'an object with encode and decode', tokenizer)
  return attack
}

/**
 * Returns a text attack between decoding and encoding. The distance includes what encoding anew changes by itself, as it would for an
 * attacker.
 * @example
 * const { tokenizer } = await loadTokenizer('embedded')
 * throughText(synonyms(await loadWordNet(), { rate: 0.5 }), tokenizer).id // 'synonyms(rate=0.5)'
 */
export function throughText(attack: TextAttack, tokenizer: TextTokenizer): Attack {
  const { id } = checkedAttack(attack, tokenizer)
  const textOf = (tokens: ArrayLike<number>, options: AttackOptions) => {
    const { seed, prompt } = checkAttackOptions(options)
    checkTokens(tokens, MAX_VOCAB)
    const before = prompt === undefined ? {} : { prompt: tokenizer.decode(prompt) }
    return { text: tokenizer.decode(tokens), options: { seed, ...before } }
  }
  const apply: Attack['apply'] = async (tokens, given) => {
    const { text, options } = textOf(tokens, given)
    return attacked(tokens, tokenizer.encode(await attack.apply(text, options)))
  }
  if (attack.applyAll === undefined) return { id, apply }
  return {
    id,
    apply,
    async applyAll(texts) {
      const found = await attack.applyAll!(texts.map(({ tokens, options }) => textOf(tokens, options)))
      return found.map((text, i) => attacked(texts[i]!.tokens, tokenizer.encode(text)))
    },
  }
}
