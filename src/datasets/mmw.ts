import { oneOf } from '../input.ts'
import type { DatasetDeclaration } from './dataset.ts'
import { textColumn } from './row.ts'

/**
 * Mark My Words (Piet et al., 2023): book reports, stories and fake news, at most 100 prompts of each. The project publishes them
 * inside its code, in `generation_prompts.py`; `scripts/mmw-prompts.py` of this repository writes them as `mmw-book-report.jsonl`,
 * `mmw-story.jsonl` and `mmw-fake-news.jsonl`, with the columns `prompt` and `system`.
 */
export function mmw(kind: 'book-report' | 'story' | 'fake-news'): DatasetDeclaration {
  oneOf('kind', kind, ['book-report', 'story', 'fake-news'])
  const id = `mmw-${kind}`
  return {
    id,
    files: new RegExp(`(^|/)${id}\\.(jsonl|csv)$`),
    origin: "scripts/mmw-prompts.py writes it from the project's generation_prompts.py",
    columns: ['prompt'],
    example: (row, index) => ({
      id: `${kind}-${index}`,
      prompt: textColumn(row, 'prompt', id),
      ...(typeof row.system === 'string' ? { system: row.system } : {}),
    }),
  }
}
