/** Answers to one prompt under one key: Theorem 1, live. */

import type { Client } from './client.ts'
import { byId, element } from './elements.ts'
import { type Bar, type Drift, SIDES } from './protocol.ts'
import type { SetupForm } from './setup-form.ts'
import { count, share } from './shown.ts'

/** Number of answers listed. */
const LISTED = 6

const distinct = (answers: readonly string[]): number => new Set(answers).size

function answerList(answers: readonly string[]): HTMLElement[] {
  const seen = new Set<string>()
  return answers.slice(0, LISTED).map((answer) => {
    const again = seen.has(answer)
    seen.add(answer)
    return element('li', again ? { class: 'again', title: 'the same as above' } : {}, answer)
  })
}

/** A progress element is a bar that needs no style attribute, which the page's policy forbids. */
const meter = (value: number, label: string, kind: string): HTMLElement =>
  element(
    'td',
    {},
    element('span', { class: 'share' }, share(value)),
    element('progress', { max: '1', value: `${value}`, class: kind, 'aria-label': label }),
  )

function barRow({ token, p, q }: Bar): HTMLElement {
  const shown = JSON.stringify(token)
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, element('code', {}, shown)),
    meter(p, `${shown} under the model`, 'side-0'),
    ...(q === undefined ? [] : [meter(q, `${shown} under the key`, 'side-1')]),
  )
}

function summary({ answers, distance, queries, watermark }: Drift): string {
  const [plain, marked] = answers
  const counts = `${distinct(marked)} different answers to ${marked.length} questions with the mark, ${distinct(plain)} without it.`
  if (distance === undefined || queries === undefined)
    return `${counts} ${watermark} draws new randomness for each text, so a single step shows nothing.`
  if (!Number.isFinite(queries.high))
    return `${counts} The first token is not marked: its distribution is the model's.`
  const enough =
    queries.low === queries.high ? count(queries.low, 'answer') : `${queries.low} to ${queries.high} answers`
  return `${counts} At the first token the distribution under this key is ${distance.toFixed(2)} away from the model's in total variation. First tokens alone are 0.9 apart after ${enough}; whole answers need no more.`
}

export function driftSection(client: Client, form: SetupForm, onError: (error: unknown) => void): void {
  const button = byId<HTMLButtonElement>('ask')
  const ask = async (): Promise<void> => {
    button.disabled = true
    byId('drift-said').textContent = 'asking 16 times, with and without the mark'
    try {
      const { prompt, temperature } = form.sampling()
      const found = await client.ask('drift', { ...form.chosen(), prompt, temperature }).answer
      for (const side of SIDES) byId(`answers-${side}`).replaceChildren(...answerList(found.answers[side]))
      byId('bars').replaceChildren(...found.bars.map(barRow))
      byId('bars-q').hidden = found.distance === undefined
      byId('drift-said').textContent = summary(found)
      byId('drift-result').hidden = false
    } catch (error) {
      byId('drift-said').textContent = ''
      onError(error)
    } finally {
      button.disabled = false
    }
  }
  button.addEventListener('click', () => void ask())
}
