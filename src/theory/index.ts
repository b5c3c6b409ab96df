/** The paper's statements as functions. */
export { detWmk, type Generations, promptMeans, spmgGap } from './spmg.ts'
export { type SpmgTest, type SpmgTestOptions, spmgTest } from './spmg-test.ts'
export {
  type SpmgDesign,
  type SpmgThreshold,
  spmgTailBound,
  spmgThreshold,
} from './spmg-threshold.ts'
