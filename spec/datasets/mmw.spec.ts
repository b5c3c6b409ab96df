import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, type TestContext, test } from 'vitest'
import { readDataset } from '../../src/text/datasets/dataset.ts'
import { mmw } from '../../src/text/datasets/named.ts'
import { requireComponent } from '../require.ts'
import { fileOf, folderOf, lines } from './files.ts'

describe('the prompts of the published file, through scripts/mmw-prompts.py', () => {
  const published = `
import json
report_system_prompt = (
    "You help."
)
story_system_prompt = 'You tell.'
fake_news_system_prompt = "You invent."
report_prompt = "Report on '{}' by {}."
story_prompt = "A {}story about {}"
fake_news_prompt = "{} visits {} at {}."
report_topics = [
    ("Emma", "Jane Austen"),
    ("Alice's \\"Adventures\\"", 'Lewis Carroll'),  # a comment
]
t1 = ["", "sad "]
t2 = ["a man.", "a ghost " "story.",]
story_topics = [(i, j) for i in t1 for j in t2][:100]
person = ["A", "B", "C"]
location = ["home", "sea"]
`
  const script = fileURLToPath(new URL('../../scripts/mmw-prompts.py', import.meta.url))
  const python = (...args: string[]) => spawnSync('python3', args, { encoding: 'utf8' })

  /** The folder that the script wrote. */
  function converted(context: TestContext, source: string): { folder: string; stderr: string } {
    requireComponent(context, 'python', python('--version').status === 0)
    const folder = folderOf({ 'src/utils/generation_prompts.py': source })
    const { stderr } = python(
      script,
      join(folder, 'src/utils/generation_prompts.py'),
      join(folder, 'prompts'),
    )
    return { folder, stderr }
  }

  test('book reports, stories and news, in the order of the project', async (context) => {
    const { folder } = converted(context, published)
    const prompts = async (kind: Parameters<typeof mmw>[0]) =>
      (await readDataset(mmw(kind), { path: folder })).examples.map(({ prompt }) => prompt)
    expect(await prompts('book-report')).toEqual([
      "Report on 'Emma' by Jane Austen.",
      `Report on 'Alice's "Adventures"' by Lewis Carroll.`,
    ])
    expect(await prompts('story')).toEqual([
      'A story about a man.',
      'A story about a ghost story.',
      'A sad story about a man.',
      'A sad story about a ghost story.',
    ])
    expect(await prompts('fake-news')).toEqual([
      'A visits B at home.',
      'A visits B at sea.',
      'A visits C at home.',
      'A visits C at sea.',
      'B visits C at home.',
      'B visits C at sea.',
    ])
    const [first] = (await readDataset(mmw('book-report'), { path: folder })).examples
    expect(first).toMatchObject({ id: 'book-report-0', system: 'You help.' })
  })

  test('at most 100 of each kind', async (context) => {
    const many = published.replace('["home", "sea"]', `[${Array.from({ length: 60 }, (_, i) => `"${i}"`)}]`)
    const { folder } = converted(context, many)
    expect((await readDataset(mmw('fake-news'), { path: folder })).examples.length).toBe(100)
  })

  test('a source without the constants is refused with what it has', (context) => {
    const { stderr } = converted(context, 'report_prompt = "x"\nreport_system_prompt = "y"\n')
    expect(stderr).toMatch(
      /: expected a constant report_topics, found report_prompt, report_system_prompt\n$/,
    )
  })
})

test('a file of prompts alone will do', async () => {
  const path = fileOf('mmw-story.jsonl', lines({ prompt: 'Tell.' }))
  expect((await readDataset(mmw('story'), { path })).examples).toEqual([{ id: 'story-0', prompt: 'Tell.' }])
})

test('the error for the published repository names the script', async () => {
  const path = folderOf({ 'src/utils/generation_prompts.py': '' })
  const script = /; scripts\/mmw-prompts\.py writes it from the project's generation_prompts\.py$/
  await expect(readDataset(mmw('story'), { path })).rejects.toThrow(script)
  await expect(readDataset(mmw('story'))).rejects.toThrow(script)
})
