import { resolve } from 'node:path'
import { packageVersion as version } from '../../bench/cells/index.ts'
import type { Column, Report, Row, Table, Value } from '../../bench/report/index.ts'
import {
  counted,
  exact,
  levels,
  mean,
  medianP,
  rateAt,
  rates,
  writeIndex,
  writeReport,
} from '../../bench/report/index.ts'
import { detectMany } from '../../core/detect/index.ts'
import { oneOf, show as shown } from '../../input.ts'
import { type Attack, isCharacterEdit, parseAttack } from '../../text/attacks/index.ts'
import { expand } from '../../text/corpus/index.ts'
import type { Tokenizer } from '../../text/decode/index.ts'
import type { AnyWatermark } from '../../watermarks/index.ts'
import { type Command, type Input, UsageError } from './command.ts'
import { keysOf, type TextKeys, underKeys } from './eval-keys.ts'
import {
  notAsked,
  type Published,
  paperAttacks,
  paperNote,
  paperSentence,
  published,
  taskColumn,
} from './eval-paper.ts'
import { repeatedPrompts } from './eval-repeated.ts'
import { type EvaluatedText, type Group, readEvaluated } from './eval-texts.ts'
import { keyFlags } from './key.ts'
import { type Output, print } from './output.ts'
import { isModule, watermarksOf } from './own-watermark.ts'
import { metricsNamed } from './text-metrics.ts'
import { tableToText } from './text-table.ts'
import { tokenizerOf } from './tokenizer.ts'

/** ln p of texts under a watermark; vocabularies and keys may differ between texts. */
type Test = (watermark: AnyWatermark, texts: readonly EvaluatedText[]) => number[]

const testerOf =
  (keys: TextKeys): Test =>
  (watermark, texts) => {
    const out = new Array<number>(texts.length)
    const alike = new Map<string, number[]>()
    for (const [i, { vocabSize, keyId }] of texts.entries()) {
      const name = JSON.stringify([vocabSize, keyId])
      alike.set(name, [...(alike.get(name) ?? []), i])
    }
    for (const own of alike.values()) {
      const { [own[0]!]: first } = texts
      const options = {
        key: keys.of(first!),
        vocabSize: first!.vocabSize,
        alpha: Math.min(...levels.map(({ rate }) => rate)),
      }
      const found = detectMany(
        watermark,
        own.map((i) => texts[i]!.tokens),
        options,
      )
      for (const [k, i] of own.entries()) out[i] = found[k]!.logPValue
    }
    return out
  }

const row = (id: string, cells: Row['cells']): Row => ({
  id,
  label: id,
  family: id.split('(')[0]!,
  cells,
})

function detectability(groups: readonly Group[], test: Test, paperOf: Published): Table {
  const columns = (name: string, group: string): Column[] =>
    levels.map(({ rate, label }) => ({
      id: `${name}${rate}`,
      label: `${name} at ${label}`,
      unit: 'percent',
      group,
    }))
  return {
    id: 'detectability',
    title: 'Detectability',
    caption:
      'Thresholds are those of the test. False positives: texts without a watermark, tested for this one under the same keys.',
    columns: [
      { id: 'n', label: 'texts', unit: 'count' },
      ...columns('TPR', 'watermarked'),
      { id: 'median', label: 'median p', unit: 'p-value', group: 'watermarked' },
      { id: 'auroc', label: 'AUROC', unit: 'number' },
      ...columns('FPR', 'unmarked'),
    ],
    rows: groups.map(({ watermark, marked, plain }) => {
      const [own, others] = [test(watermark, marked), test(watermark, plain)]
      const paper = (column: string) => paperOf(watermark, 'detection', column)
      const { tpr, fpr, auroc } = rates(own, others, paper)
      const cells: Record<string, Value | null> = { n: exact(own.length) }
      for (const [i, { rate }] of levels.entries()) {
        cells[`TPR${rate}`] = tpr[i]!
        cells[`FPR${rate}`] = fpr[i]!
      }
      return row(watermark.id, { ...cells, median: medianP(own, paper('median p-value')), auroc })
    }),
  }
}

/** The attacks of a run, and the tokenizer where one of them edits characters. */
interface Attackers {
  readonly attacks: readonly Attack[]
  readonly tokenizer?: Tokenizer
}

async function attackersOf(input: Input): Promise<Attackers> {
  const ids = input.flag('attacks') ?? 'replace(rate=0.1),replace(rate=0.2),replace(rate=0.3)'
  const attacks = ids.split(/,(?![^(]*\))/).map(parseAttack)
  return attacks.some(isCharacterEdit) ? { attacks, ...(await tokenizerOf(input)) } : { attacks }
}

async function robustness(
  groups: readonly Group[],
  test: Test,
  { attacks, tokenizer }: Attackers,
  seed: string,
  paperOf: Published,
): Promise<Table> {
  const rows: Row[] = []
  for (const { watermark, marked } of groups) {
    const cells: Record<string, Value | null> = { none: rateAt(test(watermark, marked), 0.01) }
    for (const attack of attacks) {
      const edited: EvaluatedText[] = []
      for (const [i, text] of marked.entries()) {
        const { tokens } = await attack.apply(text.tokens, {
          seed: `${seed}/${i}`,
          vocabSize: text.vocabSize,
          tokenizer,
        })
        edited.push({ ...text, tokens })
      }
      const paper = paperOf(watermark, 'attackedAt1', paperAttacks[attack.id] ?? '')
      cells[attack.id] = rateAt(test(watermark, edited), 0.01, paper)
    }
    rows.push(row(watermark.id, cells))
  }
  const columns = [...new Set(['none', ...attacks.map(({ id }) => id)])].map(
    (id): Column => ({ id, label: id, unit: 'percent' }),
  )
  return { id: 'robustness', title: 'Robustness: TPR at 1% after an attack', columns, rows }
}

async function quality(groups: readonly Group[], paperOf: Published): Promise<Table> {
  const all = groups.flatMap(({ marked, plain }) => [...marked, ...plain])
  const compared = all.every(({ text, reference }) => text !== undefined && reference !== undefined)
  const names = ['length', 'distinct2', 'repetition', ...(compared ? ['bleu', 'rouge1', 'rougeL'] : [])]
  const metrics = metricsNamed(names)
  const rowOf = async (watermark: AnyWatermark | null, texts: readonly EvaluatedText[]): Promise<Row> => {
    const cells: Record<string, Value | null> = {}
    for (const metric of metrics) {
      const values: number[] = []
      for (const text of texts) values.push((await metric.score(text))[0]!)
      const paper = paperOf(watermark, 'oneShot', taskColumn(metric.id, texts))
      cells[metric.id] = values.length < 2 ? null : mean(values, { paper })
    }
    return row(watermark?.id ?? 'no watermark', cells)
  }
  const plain = groups[0]!.plain
  return {
    id: 'quality',
    title: 'Quality of the texts',
    columns: metrics.map(({ id }): Column => ({ id, label: id, unit: 'number' })),
    rows: [
      ...(plain.length > 0 ? [await rowOf(null, plain)] : []),
      ...(await Promise.all(groups.map(({ watermark, marked }) => rowOf(watermark, marked)))),
    ],
  }
}

/** The texts of each watermark that a record names. */
async function groupsOf(input: Input, texts: readonly EvaluatedText[]): Promise<Group[]> {
  const named = input.flag('watermark')
  const own = named === undefined ? [] : (await watermarksOf(named)).watermarks
  const plain = texts.filter(({ watermark }) => watermark === null)
  const ids = [...new Set(texts.flatMap(({ watermark }) => watermark ?? []))]
  if (ids.length === 0)
    throw new UsageError(
      "no text is watermarked: records need a column 'watermark' with an id, or null for none",
    )
  // ids may be written in several ways: sta1 is sta1(gamma=0.5)
  const groups = new Map<string, Group>()
  for (const id of ids) {
    const watermark = own.find((one) => one.id === id) ?? (await shipped(id))
    const marked = texts.filter((text) => text.watermark === id)
    const before = groups.get(watermark.id)?.marked ?? []
    groups.set(watermark.id, { watermark, plain, marked: [...before, ...marked] })
  }
  return [...groups.values()]
}

/** A record may name a watermark, but not a module to load. */
async function shipped(id: string): Promise<AnyWatermark> {
  if (isModule(id))
    throw new UsageError(
      `watermark: expected an id, got ${shown(id)}; load watermarks of your own with --watermark MODULE`,
    )
  return (await watermarksOf(id)).watermarks[0]!
}

/** Notes on the keys of the records. */
function keyNotes(groups: readonly Group[], { byId }: TextKeys): string[] {
  const ids = new Set(groups.flatMap(({ marked }) => marked.map(({ keyId }) => keyId)))
  if (ids.size < 2) return []
  return [
    byId
      ? `Records name ${ids.size} keys; each text is tested under its own. Texts without a watermark that name none are tested under one of them each, in turn.`
      : `Records name ${ids.size} keys; detection tests all texts under the one that was given.`,
  ]
}

async function reportOf(input: Input, groups: readonly Group[], keys: TextKeys): Promise<Report> {
  const seed = input.flag('seed') ?? '1'
  const attackers = await attackersOf(input)
  const withPaper = input.flag('with') !== undefined
  if (withPaper) oneOf('--with', input.flag('with')!, ['paper'])
  const paperOf = withPaper ? published : notAsked
  const test = testerOf(keys)
  const texts = groups.reduce((sum, { marked }) => sum + marked.length, 0)
  const repeated = await repeatedPrompts(groups, seed, paperOf)
  return {
    name: 'eval',
    title: 'Texts from elsewhere',
    summary: [
      `${counted(texts, 'watermarked text')} of ${counted(groups.length, 'method')}, ${counted(groups[0]!.plain.length, 'text')} without a watermark.`,
      ...(withPaper ? [paperSentence(groups.map(({ watermark }) => watermark))] : []),
      repeated.sentence,
    ],
    methods: groups.map(({ watermark: { id } }) => ({ family: id.split('(')[0]!, label: id.split('(')[0]! })),
    scale: 'own texts',
    standIns: [],
    notes: [
      'Texts were written elsewhere; what is known of them is what their records say.',
      ...keyNotes(groups, keys),
      ...(withPaper ? [paperNote] : []),
    ],
    tables: [
      detectability(groups, test, paperOf),
      await robustness(groups, test, attackers, seed, paperOf),
      await quality(groups, paperOf),
      ...repeated.tables,
    ],
    charts: [],
    provenance: { files: input.words.join(', '), seed, uwbench: version() },
  }
}

function show(output: Output, report: Report, folder: string): void {
  print(
    output,
    [...report.summary, ...report.tables.map(tableToText), resolve(folder, 'index.html')].join('\n\n'),
  )
}

export const evaluate: Command = {
  usage: 'FILE... --key-file K',
  summary:
    'Evaluates texts that exist: detectability, robustness and quality by method, as tables and a page.',
  words: Number.POSITIVE_INFINITY,
  flags: {
    watermark: {
      value: 'MODULE',
      short: 'w',
      help: 'a module with watermarks of your own that records name',
    },
    ...keyFlags,
    tokenizer: {
      value: 'DIR_OR_ID',
      help: 'the tokenizer of texts without token ids; the embedded one by default',
    },
    'vocab-size': { value: 'N', help: "width of the model's logits, where records do not say" },
    field: { value: 'NAME', help: 'the column with the text or its token ids' },
    format: { value: 'F', help: 'the format of the files; by default from name or content' },
    attacks: {
      value: 'LIST',
      help: "token attacks and edits of characters; 'replace(rate=0.1)', 0.2 and 0.3 by default",
    },
    seed: { value: 'S', help: 'seed of the attacks; 1 by default' },
    with: { value: 'paper', help: "the paper's figures of the same methods beside" },
    out: { value: 'DIR', short: 'o', help: 'where the report goes; reports by default' },
  },
  async run(input, output) {
    if (input.words.length === 0) throw new UsageError('no texts: give a file such as texts.jsonl')
    const keys = await keysOf(input)
    const texts: EvaluatedText[] = []
    for (const file of input.words.flatMap(expand))
      for await (const text of readEvaluated(file, input)) texts.push(text)
    const groups = await groupsOf(input, texts)
    const own = groups.map((group) => ({ ...group, plain: underKeys(group.plain, group.marked) }))
    const report = await reportOf(input, keys.byId ? own : groups, keys)
    const folder = input.flag('out') ?? 'reports'
    await writeReport(report, folder)
    writeIndex(folder)
    const warning = keys.warning()
    if (warning !== undefined) output.error(warning)
    show(output, report, folder)
    return 0
  },
}
