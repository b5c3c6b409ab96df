/** The entries `uwbench/bench` and `uwbench/paper`. */
import * as bench from '../../../src/bench/index.ts'
import * as paper from '../../../src/paper/index.ts'
import { plain, type Recipe } from '../recipe.ts'

const rates = () => ({ at5: 1, at1: 0.5, at01: 0 })

const report = () => ({
  name: 'mine',
  title: 'Mine',
  summary: [],
  scale: 'mine',
  standIns: [],
  notes: [],
  tables: [],
  charts: [],
  provenance: {},
})

export const benchRecipes: Recipe[] = [
  plain('paper', 'audit', () => [paper.publishedTables]),
  plain('paper', 'publishedRow', () => [paper.publishedTables.detection, 'synthid']),
  plain('paper', 'detectabilityScore', () => [{ tpr5: 1, tpr1: 1, tpr01: 1, medianP: 1e-30, auroc: 1 }]),
  plain('bench', 'cell', () => ['double', { n: 3 }, {}]),
  plain('paper', 'robustnessScore', () => [
    { DIPPER: rates(), 'Random 30%': rates(), 'Random 20%': rates(), 'Random 10%': rates() },
  ]),
  plain('paper', 'unbiasednessScore', () => [
    { oneShot: [0.45], repeated: [0.02], none: { oneShot: [0.5], repeated: [0.01] } },
  ]),
  plain('paper', 'auditJson', () => [paper.audit()]),
  plain('paper', 'auditMarkdown', () => [paper.audit()]),
  plain('bench', 'compareReports', () => [report(), report(), { falseAlarm: 1e-4 }]),
  plain('bench', 'defineExperiment', () => [{ ...bench.paperExperiments(bench.smokeStudy()).table3 }]),
  plain('bench', 'defineStep', () => [
    { module: 'file:///steps.js', cost: () => 1, run: ({ n }: { n: number }) => 2 * n },
  ]),
  plain('bench', 'paperExperiments', () => [bench.smokeStudy()]),
  plain('bench', 'smallStudy', () => [[{ id: 'embedded' }]]),
  plain('bench', 'storePath', () => [{}]),
  plain('bench', 'studyOf', () => ['smoke']),
]
