/** Search in the browser, in an index of all pages that is fetched when the field is first used. */

interface Entry {
  /** Address below the site's root. */
  readonly u: string
  /** Title of the page, heading of the part, its text. */
  readonly t: string
  readonly h: string
  readonly x: string
}

const MAX_RESULTS = 12
/** Characters shown on each side of the first match. */
const AROUND = 60

const field = document.getElementById('search') as HTMLInputElement
const list = document.getElementById('found') as HTMLUListElement
const root = document.getElementById('search-script')!.dataset.root!

let entries: Promise<readonly Entry[]> | undefined
const load = (): Promise<readonly Entry[]> => {
  entries ??= fetch(`${root}search.json`).then((response) => response.json() as Promise<readonly Entry[]>)
  return entries
}

/** Rates an entry: every word must occur, and headings count most. */
function worth({ t, h, x, u }: Entry, words: readonly string[]): number {
  let total = 0
  for (const word of words) {
    const [title, heading, text] = [t, h, x].map((part) => part.toLowerCase())
    const whole = (part: string): boolean => part.split(/[^\p{L}\p{N}_]+/u).includes(word)
    const here =
      (title!.includes(word) ? 6 : 0) +
      (heading!.includes(word) ? 8 : 0) +
      (whole(heading!) || whole(title!) ? 8 : 0) +
      (text!.includes(word) ? 1 : 0)
    if (here === 0) return 0
    total += here
  }
  // explanations come before reports
  return u.startsWith('reports/') || u.startsWith('CHANGELOG') ? total / 3 : total
}

function around(text: string, word: string): string {
  const at = text.toLowerCase().indexOf(word)
  if (at < 0) return text.slice(0, 2 * AROUND)
  return `${at > AROUND ? '…' : ''}${text.slice(Math.max(0, at - AROUND), at + AROUND)}…`
}

function item({ u, t, h, x }: Entry, words: readonly string[], index: number): HTMLLIElement {
  const one = document.createElement('li')
  one.id = `found-${index}`
  one.setAttribute('role', 'option')
  one.dataset.to = root + u
  const name = document.createElement('strong')
  name.textContent = h && h !== t ? `${t} › ${h}` : t
  const excerpt = document.createElement('span')
  excerpt.textContent = around(x, words[0]!)
  one.append(name, excerpt)
  one.addEventListener('mousedown', () => location.assign(one.dataset.to!))
  return one
}

let chosen = -1

function choose(index: number): void {
  const all = [...list.children]
  chosen = all.length === 0 ? -1 : (index + all.length) % all.length
  for (const [i, one] of all.entries()) one.setAttribute('aria-selected', `${i === chosen}`)
  all[chosen]?.scrollIntoView({ block: 'nearest' })
  field.setAttribute('aria-activedescendant', chosen < 0 ? '' : `found-${chosen}`)
}

function close(): void {
  list.hidden = true
  field.setAttribute('aria-expanded', 'false')
}

async function search(): Promise<void> {
  const text = field.value
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return close()
  const found = (await load())
    .map((entry) => ({ entry, value: worth(entry, words) }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value)
    .slice(0, MAX_RESULTS)
  if (text !== field.value) return
  list.replaceChildren(...found.map(({ entry }, i) => item(entry, words, i)))
  if (found.length === 0) {
    const none = document.createElement('li')
    none.setAttribute('role', 'option')
    none.setAttribute('aria-disabled', 'true')
    none.textContent = 'nothing found'
    list.append(none)
  }
  list.hidden = false
  field.setAttribute('aria-expanded', 'true')
  choose(0)
}

field.addEventListener('focus', () => void load())
field.addEventListener('input', () => void search())
field.addEventListener('blur', close)
field.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') choose(chosen + 1)
  else if (event.key === 'ArrowUp') choose(chosen - 1)
  else if (event.key === 'Enter') {
    const to = (list.children[chosen] as HTMLElement | undefined)?.dataset.to
    if (to !== undefined) location.assign(to)
    close()
  } else if (event.key === 'Escape') close()
  else return
  event.preventDefault()
})
document.addEventListener('keydown', (event) => {
  const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  field.focus()
})
