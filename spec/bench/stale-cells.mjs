// Lists the cells of a small study in a copy of the package: node stale-cells.mjs COPY MODULE MODEL [STORE]. With a store, the part
// on the toy model is run as well. Prints one line of JSON.
import { register } from 'node:module'
import { pathToFileURL } from 'node:url'

const [copy, module, model, path] = process.argv.slice(2)
const at = (name) => new URL(name, `${pathToFileURL(copy)}/`).href
register(at('scripts/typescript-hook.mjs'))
const { openStore, paperExperiments, runExperiment, smokeStudy } = await import(at('src/bench/entry.ts'))
const { closure } = await import(at('src/bench/cells/cell.ts'))
const { identify, Plan } = await import(at('src/bench/plan/plan.ts'))
const { protocols } = await import(at('src/bench/protocols/index.ts'))
const { Resources } = await import(at('src/bench/steps/resources.ts'))
const { dipmark, kgw } = await import(at('src/watermarks/entry.ts'))
const { mine } = await import(pathToFileURL(module))

const modules = [pathToFileURL(module).href]
const attacks = ['replace(rate=0.3)', 'synonyms(rate=0.2)'].map((id) => ({ id, label: id }))
const small = {
  ...smokeStudy(),
  watermarks: [kgw({ delta: 2 }), dipmark({ alpha: 0.4 }), mine],
  modules,
  tasks: [],
  attacks,
  human: { data: 'toy', passages: 4, keys: 1 },
}
const open = { models: [{ id: 'toy' }], data: ['toy'], prompts: 8, tokens: 60, lengths: [] }
const study = { ...small, open: { ...open, models: [{ id: 'toy' }, { id: model }] } }

const plan = new Plan(study, await identify(study, new Resources({ modules })))
const cells = closure([
  ...protocols.detectability.cells(plan, {}),
  ...protocols.robustness.cells(plan, { rate: 0.01 }),
]).map((c) => {
  const all = closure([c])
  const inputs = all.map((one) => one.inputs)
  return {
    digest: c.digest,
    watermarks: [...new Set(inputs.map(({ watermark }) => watermark).filter(Boolean))],
    models: [...new Set(inputs.flatMap((one) => (one.model ? [one.model.id] : [])))],
    steps: [...new Set(all.map(({ step }) => step))],
  }
})

const run = async () => {
  const { table3 } = paperExperiments({ ...small, open })
  const progress = { done() {}, warn() {}, end() {} }
  const { run, report } = await runExperiment(table3, { store: openStore(path), workers: 0, progress })
  return { computed: run.computed, reused: run.reused, rows: report.tables[0].rows }
}
process.stdout.write(JSON.stringify({ cells, ...(path ? { run: await run() } : {}) }))
