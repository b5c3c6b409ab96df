/** The paper's experiments as declarations. Copy one and change its study: other models, data, watermarks, sizes. */

import { studyOf } from '../study/scales.ts'
import type { Study } from '../study/study.ts'
import { defineExperiment, type Experiment } from './experiment.ts'

/**
 * Declares all experiments on one study, in the best order to run them: those that generate most text first.
 * @example
 * const { table3 } = paperExperiments({ ...embeddedStudy(), watermarks: [kgw({ delta: 3 })] })
 * table3.protocol // 'detectability'
 */
export function paperExperiments(study: Study = studyOf()) {
  const declare = (
    order: number,
    name: string,
    title: string,
    protocol: Experiment['protocol'],
    options = {},
  ): Experiment => defineExperiment({ name, title, order, protocol, version: 2, study, options })
  const attacked = { rate: 0.01, details: true }
  return {
    table1: declare(5, 'table1', 'Table 1: one-shot unbiasedness', 'one-shot'),
    table2: declare(6, 'table2', 'Table 2: unbiasedness under repeated prompts', 'repeated'),
    table3: declare(7, 'table3', 'Table 3: detectability', 'detectability'),
    table4: declare(8, 'table4', 'Table 4: robustness at FPR 1%', 'robustness', attacked),
    table5: declare(9, 'table5', 'Table 5: robustness at FPR 0.1%', 'robustness', { rate: 0.001 }),
    table6: declare(10, 'table6', 'Table 6: robustness at FPR 5%', 'robustness', { rate: 0.05 }),
    table7: declare(2, 'table7', 'Table 7: the three scores', 'scores'),
    figure1: declare(1, 'figure1', 'Figure 1: three axes', 'three-axes'),
    figure2: declare(11, 'figure2', 'Figure 2: spread of p-values', 'spread'),
    agreement: declare(3, 'agreement', 'Agreement with the paper', 'agreement'),
    falsePositives: declare(4, 'false-positives', 'False positives: nominal and measured', 'false-positives'),
    samples: declare(13, 'samples', 'Samples: texts to look at', 'samples'),
    audit: declare(12, 'paper-audit', 'Audit: the published tables', 'audit'),
  } as const
}
