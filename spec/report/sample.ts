/** A report with every kind of value and chart, for the tests of the formats. */

import type { Report, Row } from '../../src/bench/report/report.ts'
import type { Sample } from '../../src/bench/report/samples.ts'

const methods: [id: string, label: string, family: string, tpr: number, bleu: number, robust: number][] = [
  ['unwatermarked', 'No watermark', 'unwatermarked', 0.05, 20.2, 0],
  ['kgw(delta=0.5,gamma=0.5)', 'KGW(δ=0.5)', 'kgw', 0.46, 20.1, 0.05],
  ['kgw(delta=2,gamma=0.5)', 'KGW(δ=2.0)', 'kgw', 0.97, 17.9, 0.53],
  ['unigram(delta=2,gamma=0.5)', 'Unigram(δ=2.0)', 'unigram', 0.98, 18.5, 0.86],
  ['dipmark(alpha=0.4)', 'DIP(α=0.4)', 'dipmark', 0.74, 20.4, 0.06],
  ['mcmark(channels=20)', 'MCmark(n=20)', 'mcmark', 0.96, 20.1, 0.39],
  ['synthid(layers=20)', 'SynthID', 'synthid', 0.97, 20.4, 0.1],
]

const rows: Row[] = methods.map(([id, label, family, tpr, bleu]) => {
  const hits = Math.round(200 * tpr)
  return {
    id,
    label,
    family,
    cells: {
      tpr: {
        kind: 'proportion',
        value: hits / 200,
        hits,
        n: 200,
        low: Math.max(0, tpr - 0.05),
        high: Math.min(1, tpr + 0.05),
        ...(family === 'unwatermarked' ? {} : { paper: tpr + 0.01 }),
      },
      p: {
        kind: 'median',
        value: 10 ** (-8 * tpr),
        n: 200,
        low: 10 ** (-9 * tpr),
        high: 10 ** (-7 * tpr),
        guard: [10 ** (-11 * tpr), 10 ** (-5 * tpr)],
      },
      auroc: {
        kind: 'estimate',
        value: 0.5 + tpr / 2,
        se: 0.01,
        n: 400,
        low: 0.48 + tpr / 2,
        high: Math.min(1, 0.52 + tpr / 2),
      },
      bleu: { kind: 'mean', value: bleu, sd: 9, n: 300, low: bleu - 1, high: bleu + 1, paper: bleu },
      budget: family === 'unwatermarked' ? null : { kind: 'exact', value: Math.round(100 / tpr) },
      remark: { kind: 'text', value: family === 'kgw' ? 'biased, 100% & "loud" | <b>' : 'fine' },
    },
  }
})

/** Two prompts of one method: as written, and after what the column `tpr` counts. */
const texts: Sample[] = ['Once upon a time', 'It was a <b>dark</b> night'].map((prompt) => ({
  row: 'synthid(layers=20)',
  label: 'SynthID',
  family: 'synthid',
  prompt,
  texts: [
    { id: 'written', label: 'as written', pValue: 1e-9, text: ' a <i>b', lengths: '2 5', shades: 'u.' },
    { id: 'tpr', label: 'after Random 30%', pValue: 0.25, text: ' a c', lengths: '2 2', shades: 'ak' },
  ],
}))

export const sample: Report = {
  name: 'sample',
  title: 'Sample: a report with everything',
  order: 1,
  headline: { sentence: 'SynthID and MCmark are detected best.', chart: 'axes' },
  methods: [
    { family: 'kgw', label: 'KGW' },
    { family: 'unigram', label: 'Unigram' },
    { family: 'dipmark', label: 'DIP' },
    { family: 'mcmark', label: 'MCmark' },
    { family: 'synthid', label: 'SynthID' },
  ],
  summary: ['SynthID and MCmark are detected best.', 'Nothing here was measured.'],
  scale: 'smoke',
  standIns: [{ paper: 'WMT16 ro-en', here: 'KJV to modern English' }],
  notes: ['Made up for the tests of the formats.'],
  tables: [
    {
      id: 'sample-table',
      title: 'Everything',
      caption: 'Every kind of value.',
      columns: [
        { id: 'tpr', label: 'TPR@1%', group: 'Detection', unit: 'percent', better: 'higher' },
        { id: 'p', label: 'median p', group: 'Detection', unit: 'p-value', better: 'lower' },
        { id: 'auroc', label: 'AUROC', group: 'Detection', unit: 'number', better: 'higher' },
        { id: 'bleu', label: 'BLEU', group: 'Quality', unit: 'number', digits: 2, better: 'higher' },
        { id: 'budget', label: 'query budget', unit: 'count' },
        { id: 'remark', label: 'remark', unit: 'text', first: true },
      ],
      rows,
    },
  ],
  samples: texts,
  charts: [
    {
      id: 'axes',
      kind: 'scatter',
      title: 'Three axes',
      caption: 'Further right and higher is better; larger marks are more robust.',
      x: { label: 'unbiasedness' },
      y: { label: 'detectability' },
      sizeLabel: 'robustness',
      points: methods.slice(1).flatMap(([, label, family, tpr, bleu, size]) => [
        {
          label,
          family,
          x: 1 - Math.abs(20.2 - bleu) / 20.2,
          y: tpr,
          size,
          layer: 'ours',
          xRange: [0.97 - Math.abs(20.2 - bleu) / 20.2, 1],
          yRange: [tpr - 0.03, Math.min(1, tpr + 0.02)],
        },
        { label, family, x: 0.99 - Math.abs(20.2 - bleu) / 20.2, y: tpr - 0.02, size, layer: 'paper' },
      ]),
    },
    {
      id: 'length',
      kind: 'lines',
      title: 'Detection against length',
      x: { label: 'tokens' },
      y: { label: 'TPR at FPR 1%', percent: true, domain: [0, 1] },
      series: methods.slice(1).map(([, label, family, tpr]) => ({
        label,
        family,
        points: [25, 50, 100, 200, 300].map((x) => {
          const y = 1 - Math.exp((-x * tpr) / 80)
          return [x, y, Math.max(0, y - 0.07), Math.min(1, y + 0.05)] as const
        }),
      })),
    },
    {
      id: 'spread',
      kind: 'boxes',
      title: 'Spread of p-values',
      x: { label: 'attack' },
      y: { label: 'p-value', scale: 'log', domain: [1e-12, 1] },
      boxes: ['Random 10%', 'Random 30%', 'LM rewrite'].flatMap((series, i) =>
        methods.slice(1).map(([, label, family, tpr]) => ({
          series,
          label,
          family,
          five: [12, 8, 6, 4, 1].map((k) => 10 ** ((-k * tpr) / (i + 1))) as [
            number,
            number,
            number,
            number,
            number,
          ],
        })),
      ),
    },
    {
      id: 'budget',
      kind: 'bars',
      title: 'Query budget',
      x: { label: 'queries until seen' },
      y: { label: 'queries', scale: 'log' },
      bars: methods.slice(1).map(([, label, family, tpr]) => ({
        label,
        family,
        value: 100 / tpr,
        range: [80 / tpr, 130 / tpr],
        paper: 90 / tpr,
      })),
    },
  ],
  provenance: { seed: 1, model: 'none' },
}
