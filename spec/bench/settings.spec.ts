import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openStore, paperExperiments, paperStudy, runExperiment, studyOf } from '../../src/bench/entry.ts'
import { Resources } from '../../src/bench/steps/resources.ts'
import { missingNeeds } from '../../src/bench/study/needs.ts'
import { dataOf, readSettings, withSettings } from '../../src/bench/study/settings.ts'
import { toyStudy } from './toy-study.ts'

const folder = mkdtempSync(join(tmpdir(), 'uwbench-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))
const data = dataOf(paperStudy())
const write = (name: string, value: unknown): string => {
  writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))
  return name
}

describe('settings', () => {
  test('a file says where parts are; paths are relative to it, other names are hub ids', () => {
    mkdirSync(join(folder, 'llama'))
    write('uwbench.config.json', {
      models: ['./llama', 'owner/name'],
      dtype: 'q4',
      data: { c4: 'data/c4', 'mmw-stories': '/data/mmw' },
    })
    expect(readSettings(data, {}, folder)).toEqual({
      models: [join(folder, 'llama'), 'owner/name'],
      dtype: 'q4',
      data: { c4: join(folder, 'data/c4'), 'mmw-stories': '/data/mmw' },
    })
  })

  test('settings of commands may stand beside them, and settings may be given', () => {
    const commands = { keyFile: './key', model: './llama', vocabSize: 9, data: 'prompts.jsonl' }
    const env = { UWBENCH_CONFIG: write('both.json', { ...commands, judge: './llama' }) }
    expect(readSettings(data, env, folder)).toEqual({ judge: join(folder, 'llama'), data: {} })
    const config = { ...commands, judge: 'a/b', data: { c4: 'c4' } }
    expect(readSettings(data, { UWBENCH_DATA_C4: '/one' }, folder, config)).toEqual({
      judge: 'a/b',
      data: { c4: '/one' },
    })
    expect(studyOf('paper', { summarizer: 'c/d' }).tasks[0]!.model.id).toBe('c/d')
    expect(() => studyOf('paper', { summarizer: 3 as unknown as string })).toThrow(
      'config: summarizer: expected',
    )
    write('module.ts', '')
    expect(() => readSettings(data, { UWBENCH_CONFIG: 'module.ts' }, folder)).toThrow(
      /studyOf\(scale, config\)/,
    )
  })

  test('the environment comes first, setting by setting', () => {
    const env = {
      UWBENCH_CONFIG: write('other.json', {
        judge: 'a/b',
        device: 'cpu',
        data: { c4: '/one', 'dolly-cw': '/two' },
      }),
      UWBENCH_DEVICE: 'cuda',
      UWBENCH_MODELS: 'c/d, e/f',
      UWBENCH_DATA_DOLLY_CW: '/three',
    }
    expect(readSettings(data, env, folder)).toEqual({
      judge: 'a/b',
      device: 'cuda',
      models: ['c/d', 'e/f'],
      data: { c4: '/one', 'dolly-cw': '/three' },
    })
  })

  test('they replace where parts are and nothing that is measured', () => {
    const study = paperStudy()
    const set = withSettings(study, {
      models: ['./m'],
      summarizer: 's',
      judge: 'j',
      dtype: 'q4',
      data: { c4: '/c4' },
    })
    expect(set.open.models).toEqual([{ id: './m', chat: true, dtype: 'q4' }])
    expect(set.tasks.map(({ model, judge }) => [model.id, judge?.id])).toEqual([
      ['s', 'j'],
      [study.tasks[1]!.model.id, undefined],
    ])
    expect(set.tasks[1]!.model).toMatchObject({ sourceLanguage: 'ro_RO', dtype: 'q4' })
    expect(set.paths).toEqual({ c4: '/c4' })
    const { open, tasks, attacks, paths, ...rest } = set
    expect(rest).toEqual(
      Object.fromEntries(
        Object.entries(study).filter(([name]) => !['open', 'tasks', 'attacks', 'paths'].includes(name)),
      ),
    )
    expect([open.prompts, tasks.length, attacks.length, paths !== undefined]).toEqual([
      1000,
      2,
      study.attacks.length,
      true,
    ])
  })

  test.each([
    [{ model: 'x', modls: ['y'] }, /bad.json: config: unknown option 'modls', .*did you mean 'models'/],
    [[], /expected an object of options/],
    [{ data: ['x'] }, /data: expected files, separated by commas, or paths by name/],
    [{ data: { c4: '' } }, /data.c4: expected a text that is not empty/],
    [{ models: 'x' }, /models: expected a list/],
    [{ dtype: 'q3' }, /dtype: expected one of 'fp32'/],
    [{ threads: 0 }, /threads: expected an integer/],
    [{ judge: 7 }, /judge: expected a string, got 7/],
    ['{', /bad.json: expected a JSON file of settings/],
  ])('%j is refused', (value, message) => {
    const env = { UWBENCH_CONFIG: write('bad.json', value) }
    expect(() => readSettings(data, env, folder)).toThrow(message)
  })

  test('a file that is not there and data that no study reads are refused', () => {
    expect(() => readSettings(data, { UWBENCH_CONFIG: 'no.json' }, folder)).toThrow(
      /UWBENCH_CONFIG: expected a file/,
    )
    expect(() => withSettings(paperStudy(), { data: { c5: '/x' } })).toThrow(/data: expected one of c4/)
    expect(studyOf('smoke').paths).toBeUndefined()
  })
})

describe('what is missing', () => {
  const nowhere = (name: string) => join(folder, 'no', name)
  const study = withSettings(paperStudy(), {
    models: ['a', 'b'].map(nowhere),
    summarizer: nowhere('bart'),
    translator: nowhere('mbart'),
    judge: nowhere('a'),
    encoder: nowhere('bert'),
    paraphraser: nowhere('dipper'),
    data: Object.fromEntries(data.map((name) => [name, nowhere(name)])),
  })

  test('every model and dataset is listed, each once, with how to set it', async () => {
    const missing = await missingNeeds(study, new Resources({ data: study.paths! }))
    expect(missing.length).toBe(6 + data.length)
    for (const name of ['a', 'b', 'bart', 'mbart', 'bert', 'dipper'])
      expect(missing.filter((one) => one.includes(`model ${nowhere(name)}:`)).length, name).toBe(1)
    for (const name of data) expect(missing.join('\n')).toContain(`set 'data.${name}'`)
    expect(missing.join('\n')).toContain("set 'paraphraser' or UWBENCH_PARAPHRASER")
  })

  test('a run says all of it before it computes anything', async () => {
    const store = openStore(join(folder, 'store'))
    const run = runExperiment(paperExperiments(study).table3, { store, workers: 0 })
    await expect(run).rejects.toThrow(
      /^the scale 'paper' cannot start; missing on this machine.*\n {2}model /,
    )
    await expect(run).rejects.toThrow(/data mmw-fake-news/)
  })

  test('nothing is missing from what ships', async () => {
    expect(await missingNeeds(toyStudy(), new Resources())).toEqual([])
    expect(await missingNeeds(studyOf('embedded'), new Resources())).toEqual([])
  })
})
