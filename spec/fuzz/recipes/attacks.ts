/** The entry `uwbench/attacks`. */
import * as attacks from '../../../src/text/attacks/entry.ts'
import * as models from '../../../src/text/models/entry.ts'
import { attackOptions, model, plain, type Recipe, tokens } from '../recipe.ts'

const randomEdits = { insert: attacks.insert, remove: attacks.remove, replace: attacks.replace }

const textModel = () => models.ngramModel('the cat sat on the mat and the cat ran', { order: 2 })

const stealOptions = () => ({ vocabSize: 8, reference: [[1, 2]], width: 1, prior: 1 })
const stolen = () => attacks.steal([[1, 2, 3]], stealOptions())
const oracleOptions = () => ({ budget: 20, vocabSize: 8, alpha: 0.01, seed: 1 })

export const attackRecipes: Recipe[] = [
  ...(['insert', 'remove', 'replace'] as const).map(
    (name): Recipe => ({
      name: `attacks.${name}`,
      args: () => [{ rate: 0.3 }, tokens(), attackOptions()],
      call: (options, text, more) => randomEdits[name](options).apply(text, more),
    }),
  ),
  {
    name: 'attacks.truncate',
    args: () => [{ keep: 0.5 }, tokens(), attackOptions()],
    call: (options, text, more) => attacks.truncate(options).apply(text, more),
  },
  {
    name: 'attacks.copyPaste',
    args: () => [{ share: 0.5, pieces: 2 }, tokens(), attackOptions()],
    call: (options, text, more) => attacks.copyPaste(options).apply(text, more),
  },
  {
    name: 'attacks.noAttack',
    args: () => [tokens(), attackOptions()],
    call: (text, more) => attacks.noAttack().apply(text, more),
  },
  {
    name: 'attacks.rewrite',
    args: () => [
      model(),
      { strength: 0.3, span: 3, batchSize: 2, temperature: 1 },
      [1, 2, 3, 4, 5],
      { seed: 1, vocabSize: 8, prompt: [1] },
    ],
    call: (of, options, text, more) => attacks.rewrite(of, options).apply(text, more),
  },
  {
    name: 'attacks.reword',
    args: () => [
      model(),
      { keep: 0.5, batchSize: 2, temperature: 1 },
      [1, 2, 3, 4, 5],
      { seed: 1, vocabSize: 8, prompt: [1] },
    ],
    call: (of, options, text, more) => attacks.reword(of, options).apply(text, more),
  },
  plain('attacks', 'roundTrip', () => [{ through: 'spa' }]),
  {
    name: 'attacks.steal',
    args: () => [
      [
        [1, 2, 3],
        [1, 2],
      ],
      stealOptions(),
      [1],
    ],
    call: (texts, options, context) => attacks.steal(texts, options).preferences(context),
  },
  {
    name: 'attacks.stolenWatermark',
    args: () => [stolen(), { strength: 1 }],
    call: (of, options) => attacks.stolenWatermark(of, options),
  },
  {
    name: 'attacks.scrub',
    args: () => [
      model(),
      stolen(),
      { share: 0.3, strength: 1, batchSize: 2, temperature: 1 },
      [1, 2, 3, 4, 5],
      { seed: 1, vocabSize: 8, prompt: [1] },
    ],
    call: (of, from, options, text, more) => attacks.scrub(of, from, options).apply(text, more),
  },
  plain('attacks', 'oracleRemove', () => [[1, 2, 3], () => 0.001, oracleOptions()]),
  plain('attacks', 'oracleForge', () => [[1, 2, 3], () => false, { ...oracleOptions(), from: [3, 2, 1] }]),
  plain('attacks', 'redGreenTest', () => [
    [
      [
        [1, 1],
        [2, 2],
      ],
      [[1], [2]],
    ],
    { runs: 9, seed: 1 },
  ]),
  plain('attacks', 'cacheTest', () => [[[1, 1]], [[2, 2]], { runs: 9, seed: 1 }]),
  plain('attacks', 'fixedSamplingTest', () => [
    [
      [1, 2],
      [1, 2],
    ],
    { collision: 0.01 },
  ]),
  plain('attacks', 'serverOracle', () => ['http://127.0.0.1:9', 'token']),
  plain('attacks', 'survivingNgrams', () => [[1, 2, 3, 4], [1, 2, 3, 9], 3]),
  {
    name: 'attacks.paraphrase',
    args: () => [
      { ...textModel(), kind: 'seq2seq' },
      { lexical: 60, order: 0, sentences: 1, maxNewTokens: 3, temperature: 1, topP: 0.9, topK: 0 },
      'the cat sat. the cat ran.',
      { seed: 1, prompt: 'on the mat' },
    ],
    call: (of, options, text, more) => attacks.paraphrase(of, options).apply(text, more),
  },
  {
    name: 'attacks.synonyms',
    args: () => [{ synonyms: () => undefined }, { rate: 0.5 }, 'the big cat', { seed: 1 }],
    call: (words, options, text, more) => attacks.synonyms(words, options).apply(text, more),
  },
  {
    name: 'attacks.characterEdit',
    args: () => ['typos', { rate: 0.5 }, 'The big cat was here.', { seed: 1, prompt: 'a' }],
    call: (name, options, text, more) => attacks.characterEdit(name, options).apply(text, more),
  },
  {
    name: 'attacks.throughText',
    args: () => [
      { id: 'mine', apply: async (text: string) => text },
      textModel().tokenizer,
      [1, 2],
      { seed: 1, vocabSize: 9 },
    ],
    call: (attack, tokenizer, text, more) => attacks.throughText(attack, tokenizer).apply(text, more),
  },
]
