/** The entries `uwbench/bench` and `uwbench/paper`. */
import * as bench from '../../../src/bench/entry.ts'
import * as paper from '../../../src/bench/paper/entry.ts'
import { plain, type Recipe } from '../recipe.ts'

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
  plain('bench', 'cell', () => ['double', { n: 3 }, {}]),
  plain('bench', 'compareReports', () => [report(), report(), { falseAlarm: 1e-4 }]),
  plain('bench', 'defineStep', () => [
    { module: 'file:///steps.js', cost: () => 1, run: ({ n }: { n: number }) => 2 * n },
  ]),
  plain('bench', 'paperExperiments', () => [bench.smokeStudy()]),
]
