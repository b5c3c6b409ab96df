/** Workflows, the action and the issue templates: valid YAML, steps pinned to a commit, commands that exist, no placeholder addresses. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parseDocument } from 'yaml'

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
const filesIn = (folder: string): string[] =>
  readdirSync(new URL(`../../${folder}`, import.meta.url)).map((name) => `${folder}/${name}`)

interface Step {
  readonly uses?: string
  readonly run?: string
}
interface Workflow {
  readonly on: unknown
  readonly permissions: unknown
  readonly jobs: Readonly<Record<string, { 'timeout-minutes'?: number; steps: readonly Step[] }>>
}

/** Ours, and those that `uwbench init` writes. */
const workflows = [...filesIn('.github/workflows'), 'examples/watermark/workflow.yml', 'testee/workflow.yml']
const { scripts, version, devDependencies } = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>
  version: string
  devDependencies: Record<string, string>
}
const stepsOf = ({ jobs }: Workflow): Step[] => Object.values(jobs).flatMap(({ steps }) => steps)
const runsIn = (workflow: Workflow): string[] =>
  stepsOf(workflow).flatMap(({ run }) => (run === undefined ? [] : run.split('\n')))

test.each([...workflows, ...filesIn('.github/ISSUE_TEMPLATE'), 'action.yml'])('%s is valid YAML', (file) => {
  const { errors, warnings } = parseDocument(read(file))
  expect([...errors, ...warnings]).toEqual([])
})

describe.each(workflows)('%s', (file) => {
  const workflow = parseDocument(read(file)).toJS() as Workflow

  test('states its events, its permissions and a limit for every job', () => {
    expect(workflow.on).toBeDefined()
    expect(workflow.permissions).toMatchObject({ contents: 'read' })
    for (const job of Object.values(workflow.jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0)
  })

  test('pins every action to a commit, and names its version', () => {
    const lines = read(file).match(/^.*\buses:.*$/gm) ?? []
    expect(lines.length).toBe(stepsOf(workflow).filter(({ uses }) => uses !== undefined).length)
    for (const line of lines) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  test('runs scripts and tests that exist', () => {
    for (const run of runsIn(workflow)) {
      const script = /^npm (?:run )?(test|[\w:]+)$/.exec(run)?.[1]
      if (script !== undefined && !['ci', 'install'].includes(script))
        expect(scripts).toHaveProperty([script])
      for (const path of run.match(/\bspec\/\S+|^\.ci\/\S+/g) ?? [])
        expect(existsSync(fileURLToPath(new URL(`../../${path}`, import.meta.url))), path).toBe(true)
    }
  })
})

test('the workflow of `uwbench init --python` runs this version, and the generator of cases that it is tested with', () => {
  const needed = ` -p uwbench@${version} -p fast-check@${devDependencies['fast-check']} uwbench check `
  expect(read('testee/workflow.yml')).toContain(needed)
})

test('no address is a placeholder', () => {
  const files = ['package.json', 'SECURITY.md', 'CONTRIBUTING.md', 'README.md', 'action.yml']
  for (const file of [...files, ...workflows, ...filesIn('.github/ISSUE_TEMPLATE')])
    expect(read(file), file).not.toMatch(/example\.(invalid|com|org)/)
})
