/** Logits processors and samplers of the Python package write what an embedder writes, whatever rows are made of. */
import { expect, test } from 'vitest'
import { checkTestee } from '../../src/gate/testee/entry.ts'
import { requireComponent } from '../require.ts'
import { env, python, root, run, withNumpy, withTorch } from './interpreters.ts'

test.for([
  { rows: 'lists', component: 'python', program: python, flags: ['-S'] },
  { rows: 'numpy', component: 'numpy', program: withNumpy, flags: [] },
  { rows: 'torch', component: 'torch', program: withTorch, flags: [] },
])('processors and samplers of $rows follow every row as its own text', (one, context) => {
  requireComponent(
    context,
    one.component,
    one.program !== undefined,
    `apt-get install python3-${one.component}`,
  )
  const file = `${root}spec/python/processors.py`
  expect(run([one.program!, ...one.flags, file, one.rows])).toBe('ok\n')
})

test('doc comments of the package say what it returns', (context) => {
  requireComponent(context, 'python', python !== undefined)
  const script = `
import doctest, importlib
for name in ("numbers", "keys", "flip", "methods", "text", "warp", "processor"):
    result = doctest.testmod(importlib.import_module(f"uwbench.{name}"))
    assert result.failed == 0 and result.attempted > 0, (name, result)`
  run([python!, '-W', 'error', '-c', script])
})

test.for<[id: string, law: string]>([
  ['synthid(layers=20)', 'unbiased over texts'],
  ['dipmark(alpha=0.4)', 'reweight gives a distribution'],
  ['gumbel(context=ngram(1))', 'unbiased over texts'],
  ['kgw(delta=2)', 'shown biased'],
])('a processor of %s in torch passes the gate: %s', async ([id, law], context) => {
  requireComponent(context, 'torch', withTorch !== undefined, 'apt-get install python3-torch')
  const command = [withTorch!, `${root}spec/python/gated.py`, id]
  const { results } = await checkTestee(
    { command, env: { PYTHONPATH: env.PYTHONPATH! } },
    { effort: 'quick', laws: [law] },
  )
  expect(results[0]).toMatchObject({ law, verdict: 'holds' })
})
