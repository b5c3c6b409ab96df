/** Two texts of one prompt side by side, without the mark and with it, and the p-value as they grow. */

import { type Asked, type Client, Stopped } from './client.ts'
import { byId } from './elements.ts'
import { pChart } from './p-chart.ts'
import { SIDES, type Side, type Verdict, type Written } from './protocol.ts'
import type { SetupForm } from './setup-form.ts'
import { count, legend, messageSaid, pValue, tokenElement } from './shown.ts'

interface Listeners {
  onStart(): void
  onWritten(verdicts: readonly [Verdict, Verdict]): void
  onError(error: unknown): void
}

/** With `?seed=1` in the address, every visit gives the same texts. */
const seed = new URLSearchParams(location.search).get('seed')

function showVerdict(side: Side, { logPValue, detected, scored, watermark, message }: Verdict): void {
  byId(`p-${side}`).replaceChildren(...pValue(logPValue))
  byId(`said-${side}`).textContent =
    `${detected ? 'detected' : 'not detected'} at 1%, from ${count(scored, 'scored token')}`
  byId(`card-${side}`).classList.toggle('detected', detected)
  if (side === 0) return
  byId('marked-by').textContent = watermark
  byId('message-1').textContent = messageSaid(message)
}

export function writeSection(client: Client, form: SetupForm, { onStart, onWritten, onError }: Listeners) {
  const chart = pChart(byId<SVGSVGElement>('chart'))
  const stopButton = byId<HTMLButtonElement>('stop')
  let running: Asked<'write'> | undefined
  byId('legend').replaceChildren(...legend())

  const clear = (tokens: number, prompt: string): void => {
    chart.clear(tokens)
    for (const side of SIDES) {
      byId(`prompt-${side}`).textContent = prompt
      byId(`text-${side}`).replaceChildren()
      byId(`p-${side}`).replaceChildren()
      byId(`said-${side}`).textContent = ''
      byId(`card-${side}`).classList.remove('detected')
    }
    byId('message-1').textContent = ''
    byId('chart-note').hidden = true
  }
  const show = ({ side, piece, logPValue, message }: Written): void => {
    const text = byId(`text-${side}`)
    // some tokenizers leave out the space before a text
    if (text.childElementCount === 0 && /^\S/.test(piece.text)) byId(`prompt-${side}`).append(' ')
    text.append(tokenElement(piece))
    byId('chart-note').hidden = logPValue !== undefined
    if (logPValue === undefined) return
    chart.add(side, logPValue)
    if (side === 1) byId('message-1').textContent = messageSaid(message)
    byId(`p-${side}`).replaceChildren(...pValue(logPValue))
  }
  const write = async (): Promise<void> => {
    running?.stop()
    onStart()
    const sampling = form.sampling()
    clear(sampling.tokens, sampling.prompt)
    const asked = client.ask('write', { ...form.chosen(), ...sampling, ...(seed && { seed }) }, (event) => {
      if (running === asked) show(event)
    })
    running = asked
    stopButton.disabled = false
    try {
      const verdicts = await asked.answer
      if (running !== asked) return
      for (const side of SIDES) {
        byId(`text-${side}`).replaceChildren(...verdicts[side].pieces.map(tokenElement))
        showVerdict(side, verdicts[side])
      }
      onWritten(verdicts)
    } catch (error) {
      if (!(error instanceof Stopped)) onError(error)
    } finally {
      if (running === asked) {
        running = undefined
        stopButton.disabled = true
      }
    }
  }
  const stop = (): void => running?.stop()
  byId('write').addEventListener('click', () => void write())
  stopButton.addEventListener('click', stop)
  return { write, stop }
}
