/** A text to edit or to paste: its p-value, its certified radius, and the p-values of other keys. */

import type { Client } from './client.ts'
import { byId, element } from './elements.ts'
import type { Side, Verdict } from './protocol.ts'
import { freshKey, type SetupForm } from './setup-form.ts'
import { count, messageSaid, pValue, tokenElement } from './shown.ts'

/** Milliseconds from the last key press to a detection. */
const PAUSE_MS = 150

const textOf = ({ pieces }: Verdict): string => pieces.map(({ text }) => text).join('')

/** Says how many more edits the detection is certified to survive. */
function certificate({ radius, detected, edits }: Verdict): string {
  if (typeof radius === 'string') return `Nothing is certified: ${radius}.`
  const made = edits === undefined || edits === 0 ? '' : `${count(edits, 'token edit')} made. `
  if (!detected) return `${made}Not detected at 1%, so there is nothing to certify.`
  if (radius === 0) return `${made}Detected, but one more edit might undo it.`
  return `${made}Certified: this text stays detected at 1% after any ${radius === 1 ? 'token edit' : count(radius, 'token edit')}.`
}

export function editSection(client: Client, form: SetupForm, onError: (error: unknown) => void) {
  const area = byId<HTMLTextAreaElement>('edited')
  let offered: readonly [Verdict, Verdict] | undefined
  let original: readonly number[] | undefined
  let timer: number | undefined
  let latest = 0

  const show = (verdict: Verdict): void => {
    byId('edited-p').replaceChildren(...pValue(verdict.logPValue))
    byId('edited-said').textContent =
      `${verdict.detected ? 'Detected' : 'Not detected'} at 1% by ${verdict.watermark}, from ${count(verdict.scored, 'scored token')} of ${verdict.tokens.length}.`
    byId('edited-message').textContent = messageSaid(verdict.message)
    byId('radius').textContent = certificate(verdict)
    byId('edited-text').replaceChildren(...verdict.pieces.map(tokenElement))
    byId('edit-result').classList.toggle('detected', verdict.detected)
  }
  const detect = async (): Promise<void> => {
    latest++
    const mine = latest
    const input = { ...form.chosen(), text: area.value, ...(original && { original }) }
    const verdict = await client.ask('detect', input).answer
    if (mine === latest) show(verdict)
  }
  const soon = (): void => {
    clearTimeout(timer)
    timer = window.setTimeout(() => detect().catch(onError), PAUSE_MS)
  }
  const take = async (side: Side): Promise<void> => {
    if (offered === undefined) return
    area.value = textOf(offered[side])
    original = undefined
    byId('other-keys').replaceChildren()
    // the tokens of the text as they are read back, so that reading it counts no edits
    original = (await client.ask('detect', { ...form.chosen(), text: area.value }).answer).tokens
    await detect()
  }
  const tryKey = async (): Promise<void> => {
    const key = freshKey()
    const { logPValue } = await client.ask('detect', { ...form.chosen(), key, text: area.value }).answer
    byId('other-keys').prepend(element('li', {}, element('code', {}, key), ' ', ...pValue(logPValue)))
  }
  const onClick = (id: string, act: () => Promise<void>): void =>
    byId(id).addEventListener('click', () => act().catch(onError))
  area.addEventListener('input', soon)
  form.onChosen(soon)
  onClick('take-marked', () => take(1))
  onClick('take-plain', () => take(0))
  onClick('try-key', tryKey)
  return {
    offer(verdicts: readonly [Verdict, Verdict]): void {
      offered = verdicts
      take(1).catch(onError)
    },
  }
}
