/** The entry `uwbench/bench`: experiments, the runner, the store, tables and charts. */
export type { TextDetection } from '../detect/detect-many.ts'
export { type CompareOptions, type Comparison, compareReports } from '../report/compare.ts'
export { readReports } from '../report/read.ts'
export type { Chart, Column, Report, Row, Table, Value } from '../report/report.ts'
export { writeIndex, writeReport } from '../report/write.ts'
export { type Cell, type CellOptions, cell, type Json } from './cell.ts'
export { type CorpusOptions, detectCorpus } from './detect-pool.ts'
export {
  defineExperiment,
  type Experiment,
  type ExperimentDeclaration,
  type ExperimentOptions,
  type ExperimentRun,
  runExperiment,
} from './experiment.ts'
export { paperExperiments } from './experiments.ts'
export type { ModelRef, ResourceOptions } from './resources.ts'
export { type RunOptions, type RunResult, runCells } from './runner.ts'
export { embeddedStudy, paperStudy, smallStudy, smokeStudy, studyOf } from './scales.ts'
export type { Shard } from './shard.ts'
export type { SharedCells } from './shared-cells.ts'
export { defineStep, type Step, type Steps } from './step.ts'
export { openStore, type Store, type StoreOptions, storePath } from './store.ts'
export type { StudiedAttack, Study, Task } from './study.ts'
